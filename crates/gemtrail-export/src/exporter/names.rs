//! File names.

use std::collections::{BTreeMap, HashSet};
use std::path::{MAIN_SEPARATOR, Path};

use gemtrail_core::model::{Session, SessionRef};

/// The longest file name, below the limits of all file systems.
const LONGEST_NAME: usize = 120;

/// True if a path denotes a directory: it is one, or it ends like one.
pub fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR])
}

/// The properties that a session's file may be named after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLabel {
    /// The stem of its first journal, or its id.
    pub stem: String,
    /// Its project's name.
    pub project: String,
    /// The machine it is from, if known.
    pub host: Option<String>,
    /// Its reference.
    pub reference: SessionRef,
}

impl FileLabel {
    /// The label of a session that was read.
    pub fn of(session: &Session) -> Self {
        let stem = session.stems.first();
        Self {
            stem: stem.map_or_else(|| session.id.as_str().to_owned(), String::clone),
            project: session.project.name(),
            host: session.origin.host.clone(),
            reference: session.reference,
        }
    }
}

/// A file name for each label, without extension; no two clash on any system.
///
/// A session's file is named after its stem. Sessions with the same stem also get the name of their
/// project, their machine or their reference, as far as these differ; a number, in the order of the
/// labels, is the last resort. So a name depends on the order only if it has to.
pub fn file_names(labels: &[FileLabel]) -> Vec<String> {
    let mut names: Vec<String> = labels.iter().map(|label| safe_name(&label.stem)).collect();
    let qualifiers: [fn(&FileLabel) -> &str; 3] = [
        |label| &label.project,
        |label| label.host.as_deref().unwrap_or_default(),
        |label| label.reference.as_str(),
    ];
    for qualifier in qualifiers {
        for group in groups(&names) {
            let values: HashSet<String> = group
                .iter()
                .map(|at| safe_name(qualifier(&labels[*at])).to_lowercase())
                .collect();
            for at in group.into_iter().filter(|_| values.len() > 1) {
                let value = qualifier(&labels[at]);
                if !value.is_empty() {
                    names[at] = format!("{}.{}", names[at], safe_name(value));
                }
            }
        }
    }
    number(&mut names);
    names
}

/// The positions of names that clash, in order.
fn groups(names: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        groups.entry(name.to_lowercase()).or_default().push(at);
    }
    groups
        .into_values()
        .filter(|group| group.len() > 1)
        .collect()
}

/// Numbers names that still clash, from the second on.
fn number(names: &mut [String]) {
    let mut taken: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    for group in groups(names) {
        for at in group.into_iter().skip(1) {
            let name = names[at].clone();
            let mut numbered = (2..).map(|number| format!("{name}-{number}"));
            let free = numbered.find(|name| taken.insert(name.to_lowercase()));
            names[at] = free.expect("there are more numbers than names");
        }
    }
}

/// A file name that is valid on every system.
pub fn safe_name(name: &str) -> String {
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let safe: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '_'
            }
        })
        .collect();
    // A name that begins with a hyphen is an option to most programs.
    let safe = safe.trim_matches('.').trim_start_matches('-');
    let base = safe.split('.').next().unwrap_or_default().to_lowercase();
    let is_device = RESERVED.contains(&base.trim_end_matches(|c: char| c.is_ascii_digit()));
    if safe.is_empty() || is_device {
        format!("session-{safe}")
    } else {
        safe.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(stem: &str, project: &str, host: Option<&str>, reference: &str) -> FileLabel {
        FileLabel {
            stem: stem.to_owned(),
            project: project.to_owned(),
            host: host.map(str::to_owned),
            reference: SessionRef::new(reference, None, reference, None),
        }
    }

    #[test]
    fn a_name_of_its_own_is_the_stem() {
        let labels = [
            label("session-a", "shop", Some("left"), "1"),
            label("session-b", "shop", Some("left"), "2"),
        ];
        assert_eq!(file_names(&labels), ["session-a", "session-b"]);
    }

    #[test]
    fn sessions_with_one_stem_are_told_apart_by_what_differs() {
        let labels = [
            label("s", "alpha", None, "1"),
            label("S", "beta", None, "1"),
            label("t", "shop", Some("left"), "1"),
            label("t", "shop", Some("right"), "1"),
            label("u", "shop", None, "1"),
            label("u", "shop", None, "2"),
        ];
        let [one, two] = [&labels[4], &labels[5]].map(|label| format!("u.{}", label.reference));
        let names = ["s.alpha", "S.beta", "t.left", "t.right", &one, &two].map(str::to_owned);
        assert_eq!(file_names(&labels), names);
        let reversed: Vec<_> = labels.iter().rev().cloned().collect();
        assert!(file_names(&reversed).iter().rev().eq(&names));
    }

    #[test]
    fn what_cannot_be_told_apart_is_numbered() {
        let same = label("s", "shop", None, "1");
        let labels = [
            same.clone(),
            label("s-2", "shop", None, "1"),
            same.clone(),
            same,
        ];
        assert_eq!(file_names(&labels), ["s", "s-2", "s-3", "s-4"]);
    }

    #[test]
    fn names_are_safe_on_every_system() {
        assert_eq!(
            safe_name("session-2026-06-01T10-00-2f1e0a52"),
            "session-2026-06-01T10-00-2f1e0a52"
        );
        assert_eq!(safe_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(safe_name("a:b\\c\n\u{1b}[31m"), "a_b_c___31m");
        assert_eq!(safe_name("..."), "session-");
        assert_eq!(safe_name("COM1.json"), "session-COM1.json");
        assert_eq!(safe_name("日本"), "日本");
    }
}
