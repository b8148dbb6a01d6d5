//! Naming a session: by id, prefix, file name or path.

use std::collections::HashSet;
use std::path::Path;

use gemtrail_core::model::{Code, Diagnostic, Kind, Logged, Session, SessionRow};
use gemtrail_core::{Detail, LogEntry, Sources, stem_of};

use crate::StoreError;
use crate::discover::{FileKind, FoundFile};
use crate::group::SessionKey;
use crate::index::LoggedOf;
use crate::library::Library;
use crate::load::{Depth, load, load_found};
use crate::project::ProjectEntry;
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

    /// Every session that this name may mean; more than one if it is ambiguous. Where several machines
    /// have a session, `NAME@HOST` means that of one.
    pub fn find(&self, name: &str) -> Vec<Handle> {
        let (name, host) = self.split_host(name);
        let mut found = self.find_anywhere(name);
        if host.is_some() {
            found.retain(|handle| self.host_of(handle) == host);
        }
        found
    }

    /// The session that a row is about.
    pub fn find_row(&self, row: &SessionRow) -> Option<Handle> {
        let has_stem = |handle: &&Handle| {
            handle.stems.is_empty() || handle.stems.iter().any(|stem| row.stems.contains(stem))
        };
        let handles = self.find_anywhere(row.id.as_str());
        let here = |handle: &&Handle| self.host_of(handle) == row.origin.host.as_deref();
        let mut found = handles.iter().filter(here).filter(has_stem);
        found.next().cloned()
    }

    /// A name without the machine that it may end with, and that machine.
    pub fn split_host<'n>(&self, name: &'n str) -> (&'n str, Option<&'n str>) {
        let is_host = |host: &str| {
            let mut homes = self.homes().iter();
            homes.any(|found| found.host.as_deref() == Some(host))
        };
        match name.rsplit_once('@') {
            Some((before, host)) if !before.is_empty() && is_host(host) => (before, Some(host)),
            _ => (name, None),
        }
    }

    /// The machine that a session was on, if the archive was told.
    pub fn host_of(&self, handle: &Handle) -> Option<&str> {
        self.host_of_project(handle.project)
    }

    pub(crate) fn host_of_project(&self, project: usize) -> Option<&str> {
        let (home, _) = self.projects().get(project)?.dirs.first()?;
        self.homes().get(*home)?.host.as_deref()
    }

    fn find_anywhere(&self, name: &str) -> Vec<Handle> {
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
        if depth == Depth::Document {
            session
                .diagnostics
                .extend(self.disagreement(handle, &session));
        }
        self.add_faults(&mut session, &journals);
        if let Some(parent) = &handle.key.parent {
            // It was read by itself.
            let mut others = self.handles_of(handle.project).iter();
            if others.any(|it| it.kind == Kind::Main && it.key.id == *parent) {
                let is_orphan = |it: &Diagnostic| it.code == Code::OrphanSubagent;
                session.diagnostics.retain(|it| !is_orphan(it));
            }
        }
        if depth != Depth::Counts && !session.logged.is_empty() {
            session.logged = self.logged(handle, session.logged);
        }
        Some(session)
    }

    /// Whether another machine has something else of a session.
    fn disagreement(&self, handle: &Handle, session: &Session) -> Option<Diagnostic> {
        let hash = session.project.hash.as_ref()?;
        let is_twin = |(at, entry): &(usize, &ProjectEntry)| {
            *at != handle.project && entry.known_hash() == Some(hash)
        };
        let entries = self.projects().iter().enumerate();
        for (project, entry) in entries.filter(is_twin) {
            let handles = self.handles_of(project).iter();
            for twin in handles.filter(|twin| twin.key == handle.key) {
                let files = twin.files.iter().filter_map(|&at| entry.files.get(at));
                let files = files.filter(|(_, file)| matches!(file.kind, FileKind::Journal));
                let digests: HashSet<Option<String>> = files
                    .map(|(_, file)| load_found(file, Depth::Document).ok()?.sha256)
                    .collect();
                let own = session
                    .journals
                    .iter()
                    .map(|journal| journal.sha256.clone());
                if own.collect::<HashSet<_>>() != digests {
                    let host = self.host_of(twin).unwrap_or("another machine");
                    let text = format!("{host} has the session as well, and not the same of it");
                    return Some(Diagnostic::new(Code::HostsDisagree, text));
                }
            }
        }
        None
    }

    /// Says of which files of a session older bytes were taken, because they cannot be read now.
    fn add_faults(&self, session: &mut Session, journals: &[&(usize, FoundFile)]) {
        let is_its = |finding: &&Diagnostic| {
            let path = finding.journal.as_deref();
            finding.code == Code::Unreadable
                && journals
                    .iter()
                    .any(|(_, file)| Some(&*file.path.to_string_lossy()) == path)
        };
        let faults = self.diagnostics().iter().filter(is_its).cloned();
        session.diagnostics.extend(faults);
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
        let read = || -> Vec<LoggedOf> {
            let entry = &self.projects()[handle.project];
            let sessions = self.read_project(entry, Detail::Counts).sessions;
            let logged = sessions.into_iter();
            logged.map(|it| (it.id, it.stems, it.logged)).collect()
        };
        let read_here;
        // A thread that helps others while it waits could come back to what it has not finished.
        let of_project = if rayon::current_thread_index().is_some() {
            read_here = read();
            &read_here
        } else {
            self.shelves[handle.project].logged.get_or_init(read)
        };
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
    let mut by_id = pick(&|handle| handle.key.id.eq_ignore_ascii_case(name));
    // Only somebody who makes up ids has two that differ in case alone.
    if by_id.iter().any(|handle| handle.key.id == name) {
        by_id.retain(|handle| handle.key.id == name);
    }
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
    pick(&|handle| starts_with(&handle.key.id, name))
}

/// Whether an id starts so. Some programs show ids in upper case, and people paste them.
pub(crate) fn starts_with(id: &str, start: &str) -> bool {
    let id = id.as_bytes().get(..start.len());
    id.is_some_and(|id| id.eq_ignore_ascii_case(start.as_bytes()))
}
