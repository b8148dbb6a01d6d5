//! Which files were changed, and how often.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::SessionRef;

/// How often a file was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTally {
    /// How many changes.
    pub edits: u64,
    sessions: HashSet<SessionRef>,
}

impl FileTally {
    /// In how many sessions.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }
}

/// The files that were changed, by project and path: relative to the root of the project if it is
/// known to be in there.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(HashMap<Option<Arc<str>>, HashMap<Arc<str>, FileTally>>);

impl Files {
    pub(super) fn add(
        &mut self,
        project: Option<&Arc<str>>,
        path: &str,
        session: SessionRef,
        edits: u64,
    ) {
        let files = self.0.entry(project.cloned()).or_default();
        // Most edits are of files that were edited before.
        if !files.contains_key(path) {
            files.insert(Arc::from(path), FileTally::default());
        }
        if let Some(tally) = files.get_mut(path) {
            tally.edits = tally.edits.saturating_add(edits);
            tally.sessions.insert(session);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (project, files) in other.0 {
            let own = self.0.entry(project).or_default();
            for (path, other) in files {
                let tally = own.entry(path).or_default();
                tally.edits = tally.edits.saturating_add(other.edits);
                tally.sessions.extend(other.sessions);
            }
        }
    }

    /// The project, path and tally of each, the most changed first.
    pub(super) fn most(&self) -> Vec<(Option<&str>, &str, &FileTally)> {
        let projects = self.0.iter();
        let mut most: Vec<_> = projects
            .flat_map(|(project, files)| {
                let files = files.iter();
                files.map(move |(path, tally)| (project.as_deref(), path.as_ref(), tally))
            })
            .collect();
        most.sort_by(|a, b| b.2.edits.cmp(&a.2.edits).then((a.0, a.1).cmp(&(b.0, b.1))));
        most
    }
}

/// A path as it is named in its project.
pub(super) fn in_project<'a>(path: &'a str, root: Option<&str>) -> &'a str {
    let inside = root.and_then(|root| {
        let rest = path.strip_prefix(root.trim_end_matches(['/', '\\']))?;
        rest.strip_prefix(['/', '\\'])
    });
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::in_project;

    #[test]
    fn paths_are_those_of_the_project() {
        for (path, root, shown) in [
            ("/src/api/lib.rs", Some("/src/api"), "lib.rs"),
            ("/src/api/lib.rs", Some("/src/api/"), "lib.rs"),
            (r"C:\api\src\lib.rs", Some(r"C:\api"), r"src\lib.rs"),
            ("/src/api-2/lib.rs", Some("/src/api"), "/src/api-2/lib.rs"),
            ("./lib.rs", Some("/src/api"), "lib.rs"),
            ("/src/api", Some("/src/api"), "/src/api"),
            ("/src/api/lib.rs", None, "/src/api/lib.rs"),
        ] {
            assert_eq!(in_project(path, root), shown, "{path} in {root:?}");
        }
    }
}
