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
    LakeLevel,
    LakeLevelMax,
    LakePassphrase,
    LakeTime,
    LakeTools,
    LakeExclude,
    /// A threshold of `signals`, by its name.
    Threshold(&'static str),
}

impl Key {
    pub(crate) const ALL: [Self; 26] = [
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
        Self::LakeLevel,
        Self::LakeLevelMax,
        Self::LakePassphrase,
        Self::LakeTime,
        Self::LakeTools,
        Self::LakeExclude,
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
            Self::LakeLevel => "lake.level",
            Self::LakeLevelMax => "lake.level_max",
            Self::LakePassphrase => "lake.key",
            Self::LakeTime => "lake.time",
            Self::LakeTools => "lake.tools",
            Self::LakeExclude => "lake.exclude",
            Self::Threshold(name) => name,
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The key, or the field of a rule, that somebody who wrote this probably meant.
    pub(crate) fn nearest(name: &str) -> Option<&'static str> {
        let keys = || Self::ALL.into_iter().map(Self::name).chain(FIELDS);
        let (table, last) = split(name);
        let spelling = keys().map(|key| (distance(name, key), name, key));
        // The right key in the wrong table is near, too.
        let place = keys().map(|key| (1 + distance(last, split(key).1), last, key));
        let near = spelling
            .chain(place)
            .filter(|(distance, typed, _)| *distance <= typed.chars().count().div_ceil(3).max(1))
            .min_by_key(|(distance, _, key)| (*distance, split(key).0 != table));
        if let Some((_, _, key)) = near {
            return Some(key);
        }
        // If the table is right, one of its keys was meant.
        let of_table = keys().filter(|key| !table.is_empty() && split(key).0 == table);
        of_table.min_by_key(|key| distance(name, key))
    }
}

/// How many mistakes lie between what was typed and a key.
fn distance(typed: &str, key: &str) -> usize {
    strsim::damerau_levenshtein(typed, key)
}

/// The table and the key within it.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
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
        assert_eq!(nearest("scan.color"), Some("color"));
        for name in ["archive.foo", "archive.cc", "archive.something-else"] {
            let meant = nearest(name);
            assert!(
                meant.is_some_and(|key| key.starts_with("archive.")),
                "{name}: {meant:?}"
            );
        }
        assert_eq!(nearest("archive.keepdays"), Some("archive.keep_days"));
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
