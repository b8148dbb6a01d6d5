//! What a project directory says about itself, and what its home's registry says about it.

use gemtrail_core::model::{Code, Diagnostic, PathSource, Project, is_hash};
use gemtrail_core::project_hash;

use super::Registry;
use crate::discover::{FileKind, FoundFile, ProjectDir};
use crate::load::peek_file;

/// How many journals to ask for the hash of a directory that is named by a slug.
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
