//! The recorded trees of the repository.

use std::cmp::Ordering;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::quirk::{Effect, Quirk, quirks_of};

/// A release of Gemini CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u16, pub u16, pub u16);

impl Version {
    /// Parses `0.61.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|n| n.parse().ok());
        let version = Self(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// One home that a client left, and what actually happened in it.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The client that started it.
    pub version: Version,
    /// What was done.
    pub scenario: String,
    /// The invocation after which the client was stopped, if it is not the last one.
    pub after: Option<usize>,
    /// What to pass as `--home`.
    pub home: PathBuf,
    /// The directory that holds the project directories.
    pub tmp: PathBuf,
    /// What actually happened.
    pub expected: Value,
}

impl Fixture {
    /// A name for reports: `0.61.0/tui_rewind`.
    pub fn name(&self) -> String {
        let after = self.after.map(|n| format!(" after {n}"));
        let (version, scenario) = (self.version, &self.scenario);
        format!("{version}/{scenario}{}", after.unwrap_or_default())
    }

    /// The known deviations of this client in this scenario.
    pub fn quirks(&self) -> Vec<&'static Quirk> {
        let mut quirks = quirks_of(self.version, &self.scenario);
        if self.after.is_some() {
            // A step was copied before anything was deleted, and without the project's marker.
            quirks.retain(|quirk| !matches!(quirk.effect, Effect::Deleted));
            quirks.push(&crate::quirk::STEP_WITHOUT_MARKER);
        }
        quirks
    }
}

/// The directory of the recorded trees.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded")
}

/// Every recorded tree, by version and scenario, each followed by its earlier states.
///
/// # Panics
///
/// If the checkout is damaged: a tree without a readable `expected.json`.
pub fn fixtures() -> impl Iterator<Item = Fixture> {
    let mut all = Vec::new();
    for version_directory in children(&directory()) {
        let Some(version) = Version::parse(&name_of(&version_directory)) else {
            continue;
        };
        for tree in children(&version_directory) {
            all.extend(states_of(version, &tree));
        }
    }
    all.sort_by(by_version_and_scenario);
    all.into_iter()
}

fn by_version_and_scenario(a: &Fixture, b: &Fixture) -> Ordering {
    (a.version, &a.scenario, a.after).cmp(&(b.version, &b.scenario, b.after))
}

/// The final state of a tree, and the states after earlier invocations.
fn states_of(version: Version, tree: &Path) -> Vec<Fixture> {
    let expected = read_json(&tree.join("expected.json"));
    let last = Fixture {
        version,
        scenario: name_of(tree),
        after: None,
        home: tree.join(".gemini"),
        tmp: tree.join(".gemini/tmp"),
        expected,
    };
    let mut states = Vec::new();
    for step in children(&tree.join("steps")) {
        let number = name_of(&step)
            .strip_prefix("after-")
            .and_then(|n| n.parse().ok());
        if let Some(number) = number {
            states.push(Fixture {
                after: Some(number),
                home: step.join("tmp"),
                tmp: step.join("tmp"),
                expected: until(&last.expected, number),
                ..last.clone()
            });
        }
    }
    states.push(last);
    states
}

/// The truth after an invocation: one prompt was typed in each.
fn until(expected: &Value, invocation: usize) -> Value {
    let mut expected = expected.clone();
    if let Some(turns) = expected["turns"].as_array_mut() {
        turns.truncate(invocation + 1);
    }
    expected
}

fn read_json(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The entries of a directory; empty if it does not exist.
pub(crate) fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_is_found_with_its_truth() {
        let all: Vec<Fixture> = fixtures().collect();
        assert!(all.len() > 150, "{} fixtures", all.len());
        for fixture in all {
            assert!(fixture.home.is_dir(), "{}", fixture.name());
            assert!(crate::expected::Expected::parse(&fixture.expected).is_ok());
        }
    }

    #[test]
    fn an_earlier_state_knows_only_what_was_typed_until_then() {
        let early = fixtures()
            .find(|f| f.name() == "0.56.0/multi_gap after 0")
            .expect("the tree has steps");
        assert_eq!(early.expected["turns"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn versions_sort_as_numbers() {
        assert!(Version::parse("0.8.2") < Version::parse("0.11.3"));
        assert_eq!(Version::parse("0.61"), None);
    }
}
