//! The files of a home that name root paths: `projects.json` and `trustedFolders.json`.

use std::borrow::Cow;
use std::path::Path;

use gemtrail_core::json::{Node, Shape};
use gemtrail_core::model::{Code, Diagnostic};

use crate::load::read_small;

/// `projects.json`: path to slug.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    paths: Vec<(String, String)>,
}

impl Registry {
    /// Reads the registry of a home; a missing one is empty.
    pub fn read(home: &Path, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let file = home.join("projects.json");
        let Some(text) = read_text(&file) else {
            return Self::default();
        };
        let Some(projects) = Node::parse(&text).and_then(|node| node.get("projects")) else {
            let what = "the project registry cannot be read; Gemini CLI will build it anew";
            diagnostics
                .push(Diagnostic::new(Code::BadRegistry, what).in_journal(file.to_string_lossy()));
            return Self::default();
        };
        let entry = |(path, slug): (Cow<'_, str>, Node<'_>)| {
            Some((path.into_owned(), slug.as_str()?.into_owned()))
        };
        Self {
            paths: projects.members().filter_map(entry).collect(),
        }
    }

    /// The path that a slug stands for; the first one, should it stand there twice.
    pub fn path_of(&self, slug: &str) -> Option<&str> {
        self.paths_of(slug).next()
    }

    /// All paths that claim a slug.
    pub(super) fn paths_of<'a>(&'a self, slug: &str) -> impl Iterator<Item = &'a str> {
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

/// The folders that a person trusted or distrusted; a file that cannot be read names none.
pub(super) fn trusted_folders(home: &Path) -> Vec<String> {
    let Some(text) = read_text(&home.join("trustedFolders.json")) else {
        return Vec::new();
    };
    match Node::parse(&text) {
        Some(node) if node.shape() == Shape::Object => {
            node.members().map(|(path, _)| path.into_owned()).collect()
        }
        _ => Vec::new(),
    }
}

fn read_text(file: &Path) -> Option<String> {
    let bytes = read_small(file).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_start_matches('\u{FEFF}').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(name: &str, content: &str) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(name), content).unwrap();
        home
    }

    #[test]
    fn a_slug_may_be_claimed_twice() {
        let home = home(
            "projects.json",
            r#"{"projects":{"/a/app":"app","/b/app":"app","/c":7}}"#,
        );
        let mut diagnostics = Vec::new();
        let registry = Registry::read(home.path(), &mut diagnostics);
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
        let home = home("projects.json", "{\"projects\":");
        let mut diagnostics = Vec::new();
        assert_eq!(
            Registry::read(home.path(), &mut diagnostics)
                .paths()
                .count(),
            0
        );
        assert_eq!(diagnostics[0].code, Code::BadRegistry);
    }

    #[test]
    fn trusted_folders_are_the_keys() {
        let trusting = home(
            "trustedFolders.json",
            "\u{FEFF}{\"/a b\":\"TRUST_FOLDER\",\"C:\\\\x\":\"DO_NOT_TRUST\"}",
        );
        assert_eq!(trusted_folders(trusting.path()), ["/a b", "C:\\x"]);
        let odd = home("trustedFolders.json", "[1]");
        assert!(trusted_folders(odd.path()).is_empty());
    }
}
