//! The project of a conversation.

use gemtrail_core::model::{PathSource, Project, Session};
use sha2::{Digest as _, Sha256};

use crate::result::StepResult;
use crate::uri;
use crate::wire::WireRecord;

/// What a conversation tells about where it was held.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// The workspaces that the engine stored.
    stored: Vec<String>,
    /// Workspaces that steps name.
    named: Vec<String>,
    /// The directories of commands.
    directories: Vec<String>,
}

impl Workspace {
    /// Reads the record about a conversation as a whole.
    pub(crate) fn stored(metadata: WireRecord<'_>) -> Self {
        let mut stored: Vec<String> = metadata.texts(7).filter_map(uri::path_of).collect();
        if stored.is_empty() {
            let folders = metadata.records(1).filter_map(|it| it.text(1));
            stored.extend(folders.filter_map(uri::path_of));
        }
        Self {
            stored,
            ..Self::default()
        }
    }

    /// Takes along what a step tells.
    pub(crate) fn learn(&mut self, result: &StepResult) {
        let add = |known: &mut Vec<String>, path: &Option<String>| {
            if let Some(path) = path.as_ref().filter(|path| !known.contains(path)) {
                known.push(path.clone());
            }
        };
        // Enough to choose from, however many a hostile file has.
        if self.named.len() < 64 {
            add(&mut self.named, &result.workspace);
        }
        if self.directories.len() < 64 {
            add(&mut self.directories, &result.directory);
        }
    }

    /// Sets the project. Without a stored workspace it is the one directory that all others which
    /// steps name are in; if there is no such directory, it stays unknown.
    pub(crate) fn settle(self, session: &mut Session) {
        let mut stored = self.stored.into_iter();
        let (path, path_source) = match stored.next() {
            Some(path) => (Some(path), PathSource::Workspace),
            None => match outermost(&self.named).or_else(|| outermost(&self.directories)) {
                Some(path) => (Some(path), PathSource::Directories),
                None => (None, PathSource::None),
            },
        };
        session.directories = stored.collect();
        session.project = Project {
            dir: None,
            hash: path.as_deref().map(hash),
            path,
            path_source,
        };
    }
}

/// The path that all others are below.
fn outermost(paths: &[String]) -> Option<String> {
    let contains = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer.trim_end_matches(['/', '\\']));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
    };
    let contains_all = |outer: &&String| paths.iter().all(|inner| contains(outer, inner));
    paths.iter().find(contains_all).cloned()
}

/// The hash of a root path, by which Gemini CLI names its projects.
fn hash(path: &str) -> String {
    hex(&Sha256::digest(path))
}

/// Bytes as hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::outermost;

    #[test]
    fn only_a_directory_that_holds_all_others_is_the_project() {
        let of = |paths: &[&str]| {
            outermost(&paths.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["/a/b", "/a", "/a/c/d"]).as_deref(), Some("/a"));
        assert_eq!(of(&["/a/b", "/a/bc"]), None);
        assert_eq!(of(&[]), None);
    }
}
