//! Naming a session: by id, prefix, file name or path.

use std::path::Path;

use gemtrail_core::model::{Kind, Logged, Session};
use gemtrail_core::{Detail, LogEntry, Sources, stem_of};

use crate::StoreError;
use crate::discover::FoundFile;
use crate::group::SessionKey;
use crate::index::LoggedOf;
use crate::library::Library;
use crate::load::{Depth, load, load_found};
use crate::said;

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
    /// Its files, those of its subagents included, by position in the project.
    pub(crate) files: Vec<usize>,
}

impl Handle {
    fn is(&self, session: &Session) -> bool {
        session.id.as_str() == self.key.id && self.has_stem_of(&session.stems)
    }

    fn has_stem_of(&self, stems: &[String]) -> bool {
        self.key
            .apart
            .as_ref()
            .is_none_or(|apart| stems.contains(apart))
    }
}

impl Library {
    /// All sessions, by what the headers of their files say.
    pub fn handles(&self) -> Vec<&Handle> {
        self.index()
    }

    /// Every session that this name may mean; more than one if it is ambiguous.
    pub fn find(&self, name: &str) -> Vec<Handle> {
        let found = find_in(&self.find_by_file_name(name), name);
        if !found.is_empty() {
            return found;
        }
        let found = find_in(&self.index(), name);
        if !found.is_empty() {
            return found;
        }
        // A later record of a journal may give the session another id than its header does.
        let exact: Vec<&Handle> = self.exact_index().iter().collect();
        find_in(&exact, name)
    }

    /// Reads one session in full.
    pub fn read(&self, handle: &Handle) -> Option<Session> {
        self.read_to(handle, Depth::Document)
    }

    /// The same without the digests of its files, which take time and which few ask for.
    pub fn read_words(&self, handle: &Handle) -> Option<Session> {
        self.read_to(handle, Depth::Words)
    }

    /// The same, as deep as that.
    pub(crate) fn read_to(&self, handle: &Handle, depth: Depth) -> Option<Session> {
        self.read_as_found(handle, depth).or_else(|| {
            // It went by the id in its header, and its last records give it another.
            let first = handle.files.first()?;
            let has_it = |exact: &&Handle| {
                exact.project == handle.project && exact.files.first() == Some(first)
            };
            let exact = self.exact_index().iter().find(has_it)?;
            self.read_as_found(exact, depth)
        })
    }

    /// Reads the files of a session. Of what only the log has, counts are not exact.
    pub(crate) fn read_as_found(&self, handle: &Handle, depth: Depth) -> Option<Session> {
        let entry = self.projects().get(handle.project)?;
        let journals: Vec<&(usize, FoundFile)> = handle
            .files
            .iter()
            .filter_map(|&at| entry.files.get(at))
            .collect();
        let prompts: Vec<LogEntry> = self
            .prompts_of(handle.project)
            .iter()
            .filter(|prompt| prompt.session_id == handle.key.id)
            .cloned()
            .collect();
        let sessions = self.assemble(entry, &journals, &prompts, depth).sessions;
        let mut session = sessions.into_iter().find(|session| handle.is(session))?;
        if depth != Depth::Counts && !session.logged.is_empty() {
            session.logged = self.logged(handle, session.logged);
        }
        Some(session)
    }

    /// Why a session that was found cannot be read, if one of its files cannot.
    pub fn why_unreadable(&self, handle: &Handle) -> Option<StoreError> {
        let entry = self.projects().get(handle.project)?;
        let files = handle.files.iter().filter_map(|&at| entry.files.get(at));
        let fault = |(_, file): &(usize, FoundFile)| {
            load_found(file, Depth::Counts)
                .err()
                .map(|source| StoreError::Read {
                    path: file.path.clone(),
                    source,
                })
        };
        files.into_iter().find_map(fault)
    }

    /// What of the logged prompts stands in no other session of the project either.
    fn logged(&self, handle: &Handle, own: Vec<Logged>) -> Vec<Logged> {
        if let Some(known) = self.prepared_logged(handle) {
            let is_known = |logged: &Logged| known.contains(&print_of(logged));
            return own.into_iter().filter(is_known).collect();
        }
        let of_project = self.shelves[handle.project].logged.get_or_init(|| {
            let sessions = self
                .read_project(&self.projects()[handle.project], Detail::Counts)
                .sessions;
            sessions
                .into_iter()
                .map(|session| (session.id, session.stems, session.logged))
                .collect()
        });
        let is_it =
            |(id, stems, _): &&LoggedOf| id.as_str() == handle.key.id && handle.has_stem_of(stems);
        of_project
            .iter()
            .find(is_it)
            .map_or(own, |(_, _, logged)| logged.clone())
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

/// What tells logged prompts apart, without their words.
pub(crate) fn print_of(logged: &Logged) -> u64 {
    said::print_of(&[logged.time.as_deref().unwrap_or_default(), &logged.text])
}

fn find_in(handles: &[&Handle], name: &str) -> Vec<Handle> {
    let pick = |wanted: &dyn Fn(&Handle) -> bool| -> Vec<Handle> {
        let wanted = handles.iter().filter(|handle| wanted(handle));
        wanted.map(|handle| (*handle).clone()).collect()
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
