//! The keys of the configuration files.

/// Everything that can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Homes,
    Color,
    Pager,
    Utc,
    ScanDirs,
    ScanDepth,
}

impl Key {
    pub(crate) const ALL: [Self; 6] = [
        Self::Homes,
        Self::Color,
        Self::Pager,
        Self::Utc,
        Self::ScanDirs,
        Self::ScanDepth,
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
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The key that somebody who wrote this probably meant.
    pub(crate) fn nearest(name: &str) -> Option<Self> {
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let distance = |key: Self| {
            let whole = strsim::damerau_levenshtein(name, key.name());
            // The right key in the wrong table is near, too.
            let part = 1 + strsim::damerau_levenshtein(&last(name), &last(key.name()));
            whole.min(part)
        };
        Self::ALL
            .into_iter()
            .map(|key| (distance(key), key))
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
        let nearest = |name: &str| Key::nearest(name).map(Key::name);
        assert_eq!(nearest("colour"), Some("color"));
        assert_eq!(nearest("home"), Some("homes"));
        assert_eq!(nearest("scan.dir"), Some("scan.dirs"));
        assert_eq!(nearest("scan.dpeth"), Some("scan.depth"));
        assert_eq!(nearest("dirs"), Some("scan.dirs"));
        assert_eq!(nearest("theme"), None);
        assert_eq!(nearest(""), None);
    }

    /// Reads the headings of the reference, so that it names every key and no other.
    #[test]
    fn the_reference_names_every_key() {
        let reference = include_str!("../../../../docs/configuration.md");
        let documented: Vec<&str> = reference
            .lines()
            .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
            .collect();
        assert_eq!(documented, Key::ALL.map(Key::name));
    }
}
