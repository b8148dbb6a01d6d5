//! Naming a session: by id, prefix, file name or path.

use std::path::Path;

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::{Detail, LogEntry, Sources, stem_of};
use rayon::prelude::*;

use crate::discover::FoundFile;
use crate::group::{SessionKey, group};
use crate::library::{Library, is_journal};
use crate::load::load;
use crate::peek::peek_file;
use crate::{FileKind, StoreError};

/// The shortest prefix of an id that names a session.
const SHORTEST_PREFIX: usize = 4;

/// A session that was found but not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The session's key within its project.
    pub key: SessionKey,
    /// The project, by position in the library.
    pub project: usize,
    /// File names without ending.
    pub stems: Vec<String>,
    /// What kind of session it is.
    pub kind: Kind,
}

impl Library {
    /// Every session that this name may mean; more than one if it is ambiguous.
    pub fn find(&self, name: &str) -> Vec<Handle> {
        let handles = self.handles();
        let pick = |wanted: &dyn Fn(&Handle) -> bool| -> Vec<Handle> {
            handles
                .iter()
                .filter(|handle| wanted(handle))
                .cloned()
                .collect()
        };
        let by_id = pick(&|handle| handle.key.id == name);
        if !by_id.is_empty() {
            // A subagent may bear its parent's id.
            let mains: Vec<Handle> = by_id
                .iter()
                .filter(|handle| handle.kind != Kind::Subagent)
                .cloned()
                .collect();
            return if mains.is_empty() { by_id } else { mains };
        }
        let stem = stem_of(name);
        let by_stem = pick(&|handle| handle.stems.iter().any(|known| known == stem));
        if !by_stem.is_empty() {
            return by_stem;
        }
        if name.chars().count() < SHORTEST_PREFIX {
            return Vec::new();
        }
        pick(&|handle| handle.key.id.starts_with(name))
    }

    /// All sessions, by their headers alone.
    fn handles(&self) -> Vec<Handle> {
        let of_project = |project: usize| {
            let entry = &self.projects()[project];
            let files: Vec<&(usize, FoundFile)> = entry
                .files
                .iter()
                .filter(|(_, file)| is_journal(&file.kind))
                .collect();
            let keyed: Vec<(SessionKey, &FoundFile)> = files
                .par_iter()
                .map(|(_, file)| (key_of(file), file))
                .collect();
            let mut handles: Vec<Handle> = group(keyed)
                .into_iter()
                .map(|(key, files)| {
                    let kind = if key.parent.is_some() {
                        Kind::Subagent
                    } else {
                        Kind::Main
                    };
                    let mut stems: Vec<String> = Vec::new();
                    for file in files
                        .iter()
                        .filter(|file| file.kind != FileKind::UnreadableJournal)
                    {
                        let stem = stem_of(&file.path.to_string_lossy()).to_owned();
                        if !stems.contains(&stem) {
                            stems.push(stem);
                        }
                    }
                    Handle {
                        key,
                        project,
                        stems,
                        kind,
                    }
                })
                .collect();
            let mut logged: Vec<String> = Self::read_prompts(entry)
                .into_iter()
                .map(|prompt| prompt.session_id)
                .collect();
            logged.sort_unstable();
            logged.dedup();
            for id in logged {
                if !handles.iter().any(|handle| handle.key.id == id) {
                    let key = SessionKey {
                        parent: None,
                        id,
                        apart: None,
                    };
                    handles.push(Handle {
                        key,
                        project,
                        stems: Vec::new(),
                        kind: Kind::Log,
                    });
                }
            }
            handles
        };
        (0..self.projects().len())
            .into_par_iter()
            .flat_map_iter(of_project)
            .collect()
    }

    /// Reads one session in full.
    pub fn read(&self, handle: &Handle) -> Option<Session> {
        let entry = self.projects().get(handle.project)?;
        let is_part = |file: &FoundFile| {
            let key = key_of(file);
            let is_subagent = key.parent.as_deref() == Some(handle.key.id.as_str())
                && handle.key.parent.is_none();
            is_subagent || key == handle.key
        };
        let journals: Vec<&(usize, FoundFile)> = entry
            .files
            .par_iter()
            .filter(|(_, file)| is_journal(&file.kind) && is_part(file))
            .collect();
        let prompts: Vec<LogEntry> = Self::read_prompts(entry)
            .into_iter()
            .filter(|prompt| prompt.session_id == handle.key.id)
            .collect();
        let mut sessions = self
            .assemble(entry, &journals, &prompts, Detail::Full)
            .sessions;
        let wanted = sessions.iter().position(|session| {
            session.id.as_str() == handle.key.id
                && (handle.key.apart.is_none()
                    || session
                        .stems
                        .iter()
                        .any(|stem| Some(stem) == handle.key.apart.as_ref()))
        })?;
        let mut session = sessions.swap_remove(wanted);
        if !session.logged.is_empty() {
            self.drop_said_elsewhere(&mut session, handle);
        }
        Some(session)
    }

    /// A logged prompt may stand in another session of the project.
    fn drop_said_elsewhere(&self, session: &mut Session, handle: &Handle) {
        let entry = &self.projects()[handle.project];
        let others = self.read_project(entry, Detail::Counts).sessions;
        let same = others
            .into_iter()
            .find(|other| other.id == session.id && other.stems == session.stems);
        if let Some(same) = same {
            session.logged = same.logged;
        }
    }

    /// Reads a single file without looking at its surroundings.
    pub fn read_file(path: &Path, detail: Detail) -> Result<Session, StoreError> {
        let read = load(path, detail).map_err(|source| StoreError::Read {
            path: path.to_owned(),
            source,
        })?;
        Ok(Sources::single(read).assemble())
    }
}

/// The session that a file belongs to, by its header; a file without one is read.
fn key_of(file: &FoundFile) -> SessionKey {
    let mut metadata = peek_file(&file.path).unwrap_or_default();
    if metadata.session_id.is_none()
        && let Ok(journal) = load(&file.path, Detail::Counts)
    {
        metadata = journal.log.metadata().clone();
    }
    SessionKey::of(&file.kind, &metadata, &file.path.to_string_lossy())
}
