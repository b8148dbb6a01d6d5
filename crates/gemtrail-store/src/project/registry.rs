//! The files of a home that name root paths: `projects.json` and `trustedFolders.json`.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Shape};
use gemtrail_core::model::{Code, Diagnostic};

use crate::discover::FoundFile;

/// `projects.json`: path to slug.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    paths: Vec<(String, String)>,
}

impl Registry {
    /// Reads the registry of a home; a missing one is empty.
    pub fn read(file: Option<&FoundFile>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let Some((file, text)) = file.and_then(|file| Some((file, read_text(file)?))) else {
            return Self::default();
        };
        let Some(projects) = Node::parse(&text).and_then(|node| node.get("projects")) else {
            let what = "the project registry cannot be read; Gemini CLI will build it anew";
            diagnostics.push(
                Diagnostic::new(Code::BadRegistry, what).in_journal(file.path.to_string_lossy()),
            );
            return Self::default();
        };
        let entry = |(path, slug): (Cow<'_, str>, Node<'_>)| {
            Some((path.into_owned(), slug.as_str()?.into_owned()))
        };
        Self {
            paths: projects.members().filter_map(entry).collect(),
        }
    }

    /// The path of a slug; the first one if the registry has it twice.
    pub fn path_of(&self, slug: &str) -> Option<&str> {
        self.paths_of(slug).next()
    }

    /// The slug of a path.
    pub(crate) fn slug_of_path(&self, path: &str) -> Option<&str> {
        let mut known = self.paths.iter().filter(|(known, _)| known == path);
        known.next_back().map(|(_, slug)| slug.as_str())
    }

    /// All paths that claim a slug.
    pub(crate) fn paths_of<'a>(&'a self, slug: &str) -> impl Iterator<Item = &'a str> {
        self.paths
            .iter()
            .filter(move |(_, known)| known == slug)
            .map(|(path, _)| path.as_str())
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|(path, _)| path.as_str())
    }
}

/// The folders that the user trusted or distrusted; empty if the file cannot be read.
pub(super) fn trusted_folders(file: &FoundFile) -> Vec<String> {
    let Some(text) = read_text(file) else {
        return Vec::new();
    };
    match Node::parse(&text) {
        Some(node) if node.shape() == Shape::Object => {
            node.members().map(|(path, _)| path.into_owned()).collect()
        }
        _ => Vec::new(),
    }
}

fn read_text(file: &FoundFile) -> Option<String> {
    let bytes = file.read_small().ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_start_matches('\u{FEFF}').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::FileKind;

    /// The file exists as long as the directory.
    fn file(content: &str) -> (tempfile::TempDir, FoundFile) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file.json");
        std::fs::write(&path, content).unwrap();
        let found = FoundFile::at(&path, FileKind::Registry).unwrap();
        (home, found)
    }

    #[test]
    fn a_slug_may_be_claimed_twice() {
        let (_home, file) = file(r#"{"projects":{"/a/app":"app","/b/app":"app","/c":7}}"#);
        let mut diagnostics = Vec::new();
        let registry = Registry::read(Some(&file), &mut diagnostics);
        assert_eq!(registry.path_of("app"), Some("/a/app"));
        assert_eq!(
            registry.paths_of("app").collect::<Vec<_>>(),
            ["/a/app", "/b/app"]
        );
        assert_eq!(registry.paths().count(), 2, "a number is no slug");
        assert!(diagnostics.is_empty());
    }

    #[test]
    fn a_broken_registry_is_empty_and_reported() {
        let (_home, file) = file("{\"projects\":");
        let mut diagnostics = Vec::new();
        assert_eq!(
            Registry::read(Some(&file), &mut diagnostics)
                .paths()
                .count(),
            0
        );
        assert_eq!(diagnostics[0].code, Code::BadRegistry);
    }

    #[test]
    fn trusted_folders_are_the_keys() {
        let (_home, trusting) =
            file("\u{FEFF}{\"/a b\":\"TRUST_FOLDER\",\"C:\\\\x\":\"DO_NOT_TRUST\"}");
        assert_eq!(trusted_folders(&trusting), ["/a b", "C:\\x"]);
        let (_home, odd) = file("[1]");
        assert!(trusted_folders(&odd).is_empty());
    }
}
