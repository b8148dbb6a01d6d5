//! The keys of the configuration files.

use super::rules::FIELDS;

/// Everything that can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Homes,
    Color,
    Pager,
    Utc,
    ScanDirs,
    ScanDepth,
    ArchivePath,
    ArchiveExclude,
    ArchiveKeepDays,
    RedactionRules,
    /// A threshold of `signals`, by its name.
    Threshold(&'static str),
}

impl Key {
    pub(crate) const ALL: [Self; 20] = [
        Self::Homes,
        Self::Color,
        Self::Pager,
        Self::Utc,
        Self::ScanDirs,
        Self::ScanDepth,
        Self::ArchivePath,
        Self::ArchiveExclude,
        Self::ArchiveKeepDays,
        Self::RedactionRules,
        Self::Threshold("signals.cascade_failures"),
        Self::Threshold("signals.retry_uses"),
        Self::Threshold("signals.retry_similarity"),
        Self::Threshold("signals.rephrase_prompts"),
        Self::Threshold("signals.rephrase_similarity"),
        Self::Threshold("signals.rephrase_characters"),
        Self::Threshold("signals.abandon_seconds"),
        Self::Threshold("signals.stall_seconds"),
        Self::Threshold("signals.churn_compressions"),
        Self::Threshold("signals.cancelled_calls"),
    ];

    /// The key as it is written, with a dot between table and key.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Homes => "homes",
            Self::Color => "color",
            Self::Pager => "pager",
            Self::Utc => "utc",
            Self::ScanDirs => "scan.dirs",
            Self::ScanDepth => "scan.depth",
            Self::ArchivePath => "archive.path",
            Self::ArchiveExclude => "archive.exclude",
            Self::ArchiveKeepDays => "archive.keep_days",
            Self::RedactionRules => "redaction.rules",
            Self::Threshold(name) => name,
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The key, or the field of a rule, that somebody who wrote this probably meant.
    pub(crate) fn nearest(name: &str) -> Option<&'static str> {
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let distance = |key: &str| {
            let whole = strsim::damerau_levenshtein(name, key);
            // The right key in the wrong table is near, too.
            let part = 1 + strsim::damerau_levenshtein(&last(name), &last(key));
            whole.min(part)
        };
        let keys = Self::ALL.into_iter().map(Self::name).chain(FIELDS);
        keys.map(|key| (distance(key), key))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, _)| *distance <= name.chars().count().div_ceil(3).max(1))
            .map(|(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_find_their_key() {
        let nearest = Key::nearest;
        assert_eq!(nearest("colour"), Some("color"));
        assert_eq!(nearest("home"), Some("homes"));
        assert_eq!(nearest("scan.dir"), Some("scan.dirs"));
        assert_eq!(nearest("scan.dpeth"), Some("scan.depth"));
        assert_eq!(nearest("dirs"), Some("scan.dirs"));
        assert_eq!(nearest("redaction.rule"), Some("redaction.rules"));
        assert_eq!(
            nearest("redaction.rules.regexp"),
            Some("redaction.rules.regex")
        );
        assert_eq!(nearest("signals.stall_secs"), Some("signals.stall_seconds"));
        assert_eq!(nearest("theme"), None);
        assert_eq!(nearest(""), None);
    }

    /// Reads the headings and the table of thresholds of the reference, so that it names every key and no other.
    #[test]
    fn the_reference_names_every_key() {
        let reference = include_str!("../../../../docs/configuration.md");
        let documented: Vec<&str> = reference
            .lines()
            .filter_map(|line| {
                let heading = line
                    .strip_prefix("### `")
                    .and_then(|key| key.strip_suffix('`'));
                let row = || {
                    line.strip_prefix("| `")
                        .filter(|key| key.starts_with("signals."))
                };
                heading.or_else(|| row()?.split('`').next())
            })
            .collect();
        assert_eq!(documented, Key::ALL.map(Key::name));
    }
}
