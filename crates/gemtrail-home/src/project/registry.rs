//! What a project directory says about itself, and what the files of its home say about it: `projects.json` and
//! `trustedFolders.json`.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Shape};
use gemtrail_core::model::{Code, Diagnostic, PathSource, Project, is_hash};
use gemtrail_core::project_hash;

use crate::discover::{FileKind, FoundFile, ProjectDir};
use crate::load::peek_file;

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
    pub fn slug_of_path(&self, path: &str) -> Option<&str> {
        let mut known = self.paths.iter().filter(|(known, _)| known == path);
        known.next_back().map(|(_, slug)| slug.as_str())
    }

    /// All paths that claim a slug.
    pub fn paths_of<'a>(&'a self, slug: &str) -> impl Iterator<Item = &'a str> {
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

/// The number of journals to ask for the hash of a directory that is named by a slug.
const JOURNALS_ASKED: usize = 8;

/// Marker first, then registry; whatever neither knows is left to proof.
pub(super) fn identify(
    dir: &ProjectDir,
    registry: &Registry,
    diagnostics: &mut Vec<Diagnostic>,
) -> Project {
    let marker = dir.markers.iter().find_map(marker);
    let hash = if is_hash(&dir.name) {
        Some(dir.name.clone())
    } else if let Some(marker) = marker.as_ref().filter(|it| it.starts_with('/')) {
        // Regardless of what journals were copied into the directory.
        Some(project_hash(marker))
    } else {
        // Paths are written in lower case on Windows, so the journals know the hash better.
        recorded_hash(dir)
    };
    let registered = registered(registry, &dir.name, hash.as_deref());
    if let (Some(marker), Some(registered)) = (&marker, registered)
        && marker != registered
    {
        let what =
            format!("the marker says {marker:?}, the registry {registered:?}; the marker counts");
        let place = dir.path.join(".project_root");
        diagnostics.push(
            Diagnostic::new(Code::RegistryMismatch, what).in_journal(place.to_string_lossy()),
        );
    }
    let (path, path_source) = match (marker, registered) {
        (Some(path), _) => (Some(path), PathSource::Marker),
        (None, Some(path)) => (Some(path.to_owned()), PathSource::Registry),
        (None, None) => (None, PathSource::None),
    };
    Project {
        dir: Some(dir.name.clone()),
        hash: hash.or_else(|| path.as_deref().map(project_hash)),
        path,
        path_source,
    }
}

/// Of several paths with the same slug, the one whose hash the journals recorded.
fn registered<'a>(registry: &'a Registry, slug: &str, hash: Option<&str>) -> Option<&'a str> {
    let mut paths = registry.paths_of(slug);
    let first = paths.next()?;
    let fits = |path: &&str| hash.is_some_and(|hash| project_hash(path) == hash);
    match paths.next() {
        None => Some(first),
        Some(_) => registry.paths_of(slug).find(fits).or(Some(first)),
    }
}

fn marker(file: &FoundFile) -> Option<String> {
    let text = String::from_utf8(file.read_small().ok()?).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The hash that most of the first journals recorded; on a tie, the first one.
fn recorded_hash(dir: &ProjectDir) -> Option<String> {
    let journals = dir
        .files
        .iter()
        .filter(|file| matches!(file.kind, FileKind::Journal | FileKind::Subagent { .. }));
    let hashes: Vec<String> = journals
        .take(JOURNALS_ASKED)
        .filter_map(|file| peek_file(file).ok()?.project_hash)
        .filter(|hash| is_hash(hash))
        .collect();
    let count = |hash: &&String| hashes.iter().filter(|it| it == hash).count();
    hashes.iter().rev().max_by_key(count).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

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
