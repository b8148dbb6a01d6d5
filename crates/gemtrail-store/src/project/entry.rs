//! A project: all directories of all homes that stand for one root path.

use std::collections::HashMap;

use gemtrail_core::model::{Diagnostic, PathSource, Project, is_hash};

use super::Registry;
use super::identify::identify;
use crate::discover::{Found, FoundFile};

/// A project with its files in all homes.
#[derive(Clone, Debug)]
pub struct ProjectEntry {
    /// What is known about it.
    pub project: Project,
    /// Its files, each with the home (by position) that it lies in.
    pub files: Vec<(usize, FoundFile)>,
}

/// Joins the directories of all homes to projects; each home comes with its registry.
pub(crate) fn join(
    found: &[Found],
    registries: &[Registry],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ProjectEntry> {
    let mut entries: Vec<ProjectEntry> = Vec::new();
    let mut by_hash: HashMap<String, usize> = HashMap::new();
    for (home_index, (found, registry)) in found.iter().zip(registries).enumerate() {
        for dir in &found.projects {
            let project = identify(dir, &found.home.root, registry, diagnostics);
            let files = dir.files.iter().map(|file| (home_index, file.clone()));
            let key = project
                .hash
                .clone()
                .unwrap_or_else(|| format!("{home_index}/{}", dir.name));
            match by_hash.get(&key) {
                Some(&at) => {
                    entries[at].files.extend(files);
                    better(&mut entries[at].project, project);
                }
                None => {
                    by_hash.insert(key, entries.len());
                    entries.push(ProjectEntry {
                        project,
                        files: files.collect(),
                    });
                }
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
        _ => 2,
    };
    if rank(other.path_source) < rank(known.path_source) {
        known.path = other.path;
        known.path_source = other.path_source;
    }
}
