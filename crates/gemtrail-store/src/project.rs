//! Which root path a project directory stands for, and which directories are one project.

use std::collections::HashMap;
use std::path::Path;

use gemtrail_core::json::Node;
use gemtrail_core::model::{Code, Diagnostic, PathSource, Project, is_hash};

use crate::discover::{FileKind, Found, FoundFile, ProjectDir};
use crate::load::project_hash;
use crate::peek::peek_file;

/// How many journals are asked for the hash of a directory that is named by a slug.
const JOURNALS_ASKED: usize = 8;

/// A project with its files in all homes.
#[derive(Clone, Debug)]
pub struct ProjectEntry {
    /// What is known about it.
    pub project: Project,
    /// Its files, each with the home (by position) that it lies in.
    pub files: Vec<(usize, FoundFile)>,
}

/// `projects.json`: path to slug.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    paths: Vec<(String, String)>,
}

impl Registry {
    /// Reads the registry of a home; a missing one is empty.
    pub fn read(home: &Path, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let file = home.join("projects.json");
        let Ok(bytes) = std::fs::read(&file) else {
            return Self::default();
        };
        let text = String::from_utf8_lossy(&bytes);
        let Some(projects) =
            Node::parse(text.trim_start_matches('\u{FEFF}')).and_then(|node| node.get("projects"))
        else {
            let what = "the project registry cannot be read; Gemini CLI will build it anew";
            diagnostics
                .push(Diagnostic::new(Code::BadRegistry, what).in_journal(file.to_string_lossy()));
            return Self::default();
        };
        let entry = |(path, slug): (std::borrow::Cow<'_, str>, Node<'_>)| {
            Some((path.into_owned(), slug.as_str()?.into_owned()))
        };
        Self {
            paths: projects.members().filter_map(entry).collect(),
        }
    }

    /// The path that a slug stands for.
    pub fn path_of(&self, slug: &str) -> Option<&str> {
        self.paths
            .iter()
            .find(|(_, known)| known == slug)
            .map(|(path, _)| path.as_str())
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|(path, _)| path.as_str())
    }
}

/// Joins the directories of all homes to projects.
pub(crate) fn join(found: &[Found], diagnostics: &mut Vec<Diagnostic>) -> Vec<ProjectEntry> {
    let mut entries: Vec<ProjectEntry> = Vec::new();
    let mut by_hash: HashMap<String, usize> = HashMap::new();
    for (home_index, found) in found.iter().enumerate() {
        let registry = Registry::read(&found.home.root, diagnostics);
        for dir in &found.projects {
            let project = identify(dir, &found.home.root, &registry, diagnostics);
            let files = dir.files.iter().map(|file| (home_index, file.clone()));
            let key = project
                .hash
                .clone()
                .unwrap_or_else(|| format!("{home_index}/{}", dir.name));
            if let Some(&at) = by_hash.get(&key) {
                entries[at].files.extend(files);
                better(&mut entries[at].project, project);
            } else {
                by_hash.insert(key, entries.len());
                entries.push(ProjectEntry {
                    project,
                    files: files.collect(),
                });
            }
        }
    }
    entries
}

/// Takes what the second directory of a project knows better.
fn better(known: &mut Project, other: Project) {
    let is_slug = |project: &Project| project.dir.as_deref().is_some_and(|dir| !is_hash(dir));
    if !is_slug(known) && is_slug(&other) {
        known.dir = other.dir;
    }
    let rank = |source: PathSource| match source {
        PathSource::Marker => 0,
        PathSource::Registry => 1,
        PathSource::Hash => 2,
        _ => 3,
    };
    if rank(other.path_source) < rank(known.path_source) {
        known.path = other.path;
        known.path_source = other.path_source;
    }
}

fn identify(
    dir: &ProjectDir,
    home: &Path,
    registry: &Registry,
    diagnostics: &mut Vec<Diagnostic>,
) -> Project {
    let marker = marker(&dir.path).or_else(|| marker(&home.join("history").join(&dir.name)));
    let registered = registry.path_of(&dir.name);
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
        (None, None) if is_hash(&dir.name) => {
            let proven = registry.paths().find(|path| project_hash(path) == dir.name);
            (
                proven.map(str::to_owned),
                proven.map_or(PathSource::None, |_| PathSource::Hash),
            )
        }
        (None, None) => (None, PathSource::None),
    };
    let hash = if is_hash(&dir.name) {
        Some(dir.name.clone())
    } else {
        // The registry lower-cases paths on Windows, so the journals know the hash better.
        recorded_hash(dir).or_else(|| path.as_deref().map(project_hash))
    };
    Project {
        dir: Some(dir.name.clone()),
        hash,
        path,
        path_source,
    }
}

fn marker(dir: &Path) -> Option<String> {
    let text = std::fs::read_to_string(dir.join(".project_root")).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn recorded_hash(dir: &ProjectDir) -> Option<String> {
    let journals = dir
        .files
        .iter()
        .filter(|file| file.kind == FileKind::Journal);
    journals
        .take(JOURNALS_ASKED)
        .filter_map(|file| peek_file(&file.path).ok()?.project_hash)
        .find(|hash| is_hash(hash))
}
