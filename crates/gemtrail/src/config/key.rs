//! The table of everything that can be configured.

use std::ops::RangeInclusive;
use std::path::Path;

use gemtrail_store::paths;
use serde_json::Value;
use toml::de::DeValue;

/// Something that can be configured.
#[derive(Debug)]
pub(crate) struct ConfigKey {
    /// The name as it is written, with a dot between table and key.
    pub(crate) name: &'static str,
    pub(super) takes: Takes,
    /// The end of the message "`key` takes …".
    pub(super) wanted: &'static str,
    pub(super) merge: Merge,
}

/// The kind of value that a key has.
#[derive(Debug)]
pub(super) enum Takes {
    Switch,
    Text,
    /// A text that is in force but never shown.
    Secret,
    /// One of these words, the strictest first.
    Word(&'static [&'static str]),
    Words,
    Path,
    Paths,
    Whole(RangeInclusive<u32>),
    Number(RangeInclusive<f64>),
    /// Tables with [`RULE_FIELDS`].
    Rules,
}

/// The file that counts if several have a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// The person's.
    Last,
    /// The system's.
    First,
    /// The one with the strictest word: users may not loosen what an administrator has bounded.
    Strictest,
    /// All: their lists are joined.
    Joined,
}

pub(crate) const HOMES: &str = "homes";
pub(crate) const SCAN_DIRS: &str = "scan.dirs";
pub(crate) const ARCHIVE_PATH: &str = "archive.path";

const DIRECTORIES: &str = "a list of directories, each absolute or starting with ~/";
const LEVELS: &[&str] = &["metrics", "redacted", "full"];
const LEVEL: &str = "\"metrics\" or \"redacted\" or \"full\"";

/// Every key, in the order in which `config show` lists them.
pub(crate) static KEYS: [ConfigKey; 26] = [
    ConfigKey::new(HOMES, Takes::Paths, DIRECTORIES),
    ConfigKey::new(
        "color",
        Takes::Word(&["never", "auto", "always"]),
        "\"auto\", \"always\" or \"never\"",
    ),
    ConfigKey::new("pager", Takes::Text, "a command as text"),
    ConfigKey::new("utc", Takes::Switch, "true or false"),
    ConfigKey::new(SCAN_DIRS, Takes::Paths, DIRECTORIES),
    ConfigKey::new(
        "scan.depth",
        Takes::Whole(1..=16),
        "a whole number from 1 to 16",
    ),
    ConfigKey::new(
        ARCHIVE_PATH,
        Takes::Path,
        "a path, absolute or starting with ~/",
    ),
    ConfigKey::new("archive.exclude", Takes::Paths, DIRECTORIES),
    ConfigKey::new(
        "archive.keep_days",
        Takes::Whole(0..=u32::MAX),
        "a number of days, 0 for ever",
    ),
    // What the system's file keeps in, nobody lets out by having one rule more.
    ConfigKey::new(
        "redaction.rules",
        Takes::Rules,
        "tables, each below a line [[redaction.rules]]",
    )
    .merged(Merge::Joined),
    ConfigKey::new("lake.level", Takes::Word(LEVELS), LEVEL),
    ConfigKey::new("lake.level_max", Takes::Word(LEVELS), LEVEL).merged(Merge::Strictest),
    // One key for all, or the files of a team do not match.
    ConfigKey::new("lake.key", Takes::Secret, "a secret text").merged(Merge::First),
    ConfigKey::new(
        "lake.time",
        Takes::Word(&["day", "exact"]),
        "\"exact\" or \"day\"",
    )
    .merged(Merge::Strictest),
    ConfigKey::new("lake.tools", Takes::Words, "a list of names of tools").merged(Merge::Joined),
    ConfigKey::new("lake.exclude", Takes::Paths, DIRECTORIES).merged(Merge::Joined),
    ConfigKey::count("signals.cascade_failures"),
    ConfigKey::count("signals.retry_uses"),
    ConfigKey::similarity("signals.retry_similarity"),
    ConfigKey::count("signals.rephrase_prompts"),
    ConfigKey::similarity("signals.rephrase_similarity"),
    ConfigKey::count("signals.rephrase_characters"),
    ConfigKey::count("signals.abandon_seconds"),
    ConfigKey::count("signals.stall_seconds"),
    ConfigKey::count("signals.churn_compressions"),
    ConfigKey::count("signals.cancelled_calls"),
];

/// The fields of a redaction rule.
pub(super) static RULE_FIELDS: [ConfigKey; 6] = [
    ConfigKey::new("redaction.rules.id", Takes::Text, "a text"),
    ConfigKey::new("redaction.rules.regex", Takes::Text, "a text"),
    ConfigKey::new("redaction.rules.keywords", Takes::Words, "a list of words"),
    ConfigKey::new(
        "redaction.rules.entropy",
        Takes::Number(0.0..=8.0),
        "a number from 0 to 8, in bits per character",
    ),
    ConfigKey::new("redaction.rules.example", Takes::Text, "a text"),
    ConfigKey::new("redaction.rules.counterexample", Takes::Text, "a text"),
];

impl ConfigKey {
    const fn new(name: &'static str, takes: Takes, wanted: &'static str) -> Self {
        Self {
            name,
            takes,
            wanted,
            merge: Merge::Last,
        }
    }

    const fn count(name: &'static str) -> Self {
        Self::new(name, Takes::Whole(1..=u32::MAX), "a whole number from 1")
    }

    const fn similarity(name: &'static str) -> Self {
        Self::new(name, Takes::Number(0.0..=1.0), "a number from 0 to 1")
    }

    const fn merged(self, merge: Merge) -> Self {
        Self { merge, ..self }
    }

    /// True if the value must not be shown: with it, pseudonyms can be guessed.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(self.takes, Takes::Secret)
    }
}

impl Takes {
    /// Returns the value as data if it is of this kind. Rules are read field by field instead.
    pub(super) fn read(&self, value: &DeValue<'_>, user_home: Option<&Path>) -> Option<Value> {
        let text = |value: &DeValue<'_>| value.as_str().map(Value::from);
        match self {
            Self::Switch => value.as_bool().map(Value::from),
            Self::Text => text(value),
            Self::Secret => text(value).filter(|_| !is_blank(value)),
            Self::Word(words) => {
                let is_word = value.as_str().is_some_and(|word| words.contains(&word));
                text(value).filter(|_| is_word)
            }
            Self::Words => list(value, |item| text(item).filter(|text| text != "")),
            Self::Path => path(value, user_home),
            Self::Paths => list(value, |item| path(item, user_home)),
            Self::Whole(range) => {
                let number = value.as_integer()?;
                let number = u32::from_str_radix(number.as_str(), number.radix()).ok()?;
                range.contains(&number).then(|| number.into())
            }
            Self::Number(range) => {
                let number: f64 = match value {
                    DeValue::Float(number) => number.as_str().parse().ok()?,
                    DeValue::Integer(number) if number.radix() == 10 => {
                        number.as_str().parse().ok()?
                    }
                    _ => return None,
                };
                range.contains(&number).then(|| number.into())
            }
            Self::Rules => None,
        }
    }

    /// The place of a word in the order of strictness.
    pub(super) fn rank(&self, value: &Value) -> Option<usize> {
        let Self::Word(words) = self else { return None };
        words.iter().position(|word| value == word)
    }
}

fn is_blank(value: &DeValue<'_>) -> bool {
    value.as_str().is_none_or(|text| text.trim().is_empty())
}

fn list(value: &DeValue<'_>, read: impl Fn(&DeValue<'_>) -> Option<Value>) -> Option<Value> {
    let items = value.as_array()?.iter();
    items.map(|item| read(item.get_ref())).collect()
}

/// Only absolute paths: the directory that a command runs in must not change what it does.
fn path(value: &DeValue<'_>, user_home: Option<&Path>) -> Option<Value> {
    let path = paths::expand_tilde(value.as_str()?, user_home)?;
    path.is_absolute().then(|| path.to_str().map(Value::from))?
}

/// The key, or the field of a rule, that somebody who wrote this probably meant.
pub(crate) fn nearest_key(name: &str) -> Option<&'static str> {
    let keys = || KEYS.iter().chain(&RULE_FIELDS).map(|key| key.name);
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

/// The number of mistakes between what was typed and a key.
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
        let nearest = nearest_key;
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
        assert_eq!(documented, KEYS.each_ref().map(|key| key.name));
    }
}
