//! Reads one session.

use std::collections::HashSet;
use std::path::Path;

use gemtrail_core::model::{Code, Diagnostic, Kind, Logged, Message, Session, SessionRef};
use gemtrail_core::{Detail, Fingerprint, LogEntry, Sources};

use super::index::{LoggedOf, SHORT_ID};
use super::{Library, WantedPart, computed};
use crate::StoreError;
use crate::discover::{FileKind, FoundFile};
use crate::group::{SessionKey, starts_with};
use crate::load::{Depth, load, load_found};
use crate::outputs::Outputs;
use crate::project::{Files, ProjectEntry};
use crate::spelled::text_of;

/// Locates a session in a library. Valid for that library only; the reference outlives it.
#[derive(Clone, Debug)]
pub struct Handle {
    /// The session's reference.
    pub reference: SessionRef,
    /// Its reference on its own machine; differs from `reference` if that is another machine.
    pub(crate) local_ref: SessionRef,
    /// The reference of a subagent's parent session.
    pub parent_ref: Option<SessionRef>,
    /// The session's key within its project.
    pub key: SessionKey,
    /// The index of its project in the library.
    pub project: usize,
    /// File names without extension.
    pub stems: Vec<String>,
    /// What kind of session it is.
    pub kind: Kind,
    /// Its files and those of its subagents, each with the index of its home.
    pub(crate) files: Files,
}

/// How much of a session to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadDetail {
    /// Everything, including the digests of its files.
    #[default]
    Document,
    /// Everything but the digests of its files, which take time and are rarely needed.
    Words,
    /// What lists show: counts and times, no contents.
    Counts,
}

impl From<ReadDetail> for Depth {
    fn from(detail: ReadDetail) -> Self {
        match detail {
            ReadDetail::Document => Self::Document,
            ReadDetail::Words => Self::Words,
            ReadDetail::Counts => Self::Counts,
        }
    }
}

/// Why a session cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The library does not have this session, or no longer.
    #[error("session {0} no longer exists")]
    Gone(SessionRef),
    /// One of its files cannot be read.
    #[error(transparent)]
    Unreadable(#[from] StoreError),
}

/// Some messages of a session, and the total.
#[derive(Clone, Debug, PartialEq)]
pub struct MessagePage {
    /// The messages that were asked for.
    pub messages: Vec<Message>,
    /// How many the session has.
    pub total: usize,
}

impl Library {
    /// Reads the session that a reference names.
    pub fn read(&self, reference: SessionRef, detail: ReadDetail) -> Result<Session, ReadError> {
        let handle = self.locate(reference).ok_or(ReadError::Gone(reference))?;
        self.read_handle(&handle, handle.reference_of(reference), detail.into())
    }

    /// Some messages of a session, by index in its document.
    pub fn messages(
        &self,
        reference: SessionRef,
        range: std::ops::Range<usize>,
    ) -> Result<MessagePage, ReadError> {
        let wanted = WantedPart::Within(range.clone());
        if let Some(part) = self.read_part(reference, &wanted, ReadDetail::Words) {
            let (messages, total) = (part.session.messages, part.total);
            return Ok(MessagePage { messages, total });
        }
        let mut session = self.read(reference, ReadDetail::Words)?;
        let total = session.messages.len();
        let end = range.end.min(total);
        let messages = session.messages.drain(range.start.min(end)..end).collect();
        Ok(MessagePage { messages, total })
    }

    /// The files with the outputs of a session's calls that were too long for its journal.
    pub fn outputs_of(&self, session: &Session) -> Outputs<'_> {
        let mut projects = self.projects().iter();
        let entry = projects.find(|it| *it.project() == session.project);
        entry.map(Outputs::of).unwrap_or_default()
    }

    /// Locates a session. A subagent of an old release is found through its parent, whose id it
    /// has.
    pub fn locate(&self, reference: SessionRef) -> Option<Handle> {
        if let Some(handle) = self.looked_up(reference) {
            return Some(handle);
        }
        // A caller that reads many sessions has usually listed them first.
        if let Some(&project) = self.listed.get().and_then(|listed| listed.get(&reference)) {
            let handles: Vec<&Handle> = self.handles_of(project).iter().collect();
            if let Some(handle) = self.located(&handles, reference) {
                return Some(handle);
            }
        }
        let short = &reference.as_str()[..SHORT_ID];
        let by_name = self.find_by_file_name(short, |id| starts_with(id, short));
        self.located(&by_name, reference)
            .or_else(|| self.located(&self.index(), reference))
            // A later record of a journal may change the session's id.
            .or_else(|| self.located(&self.exact_index().iter().collect::<Vec<_>>(), reference))
    }

    pub(super) fn located(&self, handles: &[&Handle], reference: SessionRef) -> Option<Handle> {
        let is_it = |handle: &&&Handle| handle.reference == reference;
        let has_it = |handle: &&&Handle| self.flat_subagents(handle).any(|it| it == reference);
        // The archive may have moved to another machine: on the old one, the session was local.
        let was_it = |handle: &&&Handle| handle.local_ref == reference;
        let mut found = handles.iter().find(is_it);
        found = found.or_else(|| handles.iter().find(has_it));
        if found.is_none() {
            let mut former = handles.iter().filter(was_it);
            found = former.next().filter(|_| former.next().is_none());
        }
        found.map(|handle| (*handle).clone())
    }

    /// The possible references of subagents whose files are next to the session's own, if any.
    fn flat_subagents(&self, handle: &Handle) -> impl Iterator<Item = SessionRef> {
        let is_crowded = handle.kind == Kind::Main && handle.stems.len() > 1;
        let entry = self.projects().get(handle.project).filter(|_| is_crowded);
        let identity = entry.map(|entry| self.identity_of(entry));
        let home = self.home_of(handle.project);
        identity.into_iter().flat_map(move |identity| {
            let refer = move |stem: &String| {
                let key = SessionKey::of_flat_subagent(&handle.key.id, stem);
                self.as_seen_here(home, key.reference(&identity))
            };
            handle.stems.iter().map(refer)
        })
    }

    /// Reads a session whose project is known.
    #[cfg(feature = "archive")]
    pub(crate) fn read_in(
        &self,
        project: usize,
        reference: SessionRef,
        depth: Depth,
    ) -> Result<Session, ReadError> {
        let handle = self.looked_up(reference).or_else(|| {
            let handles: Vec<&Handle> = self.handles_of(project).iter().collect();
            self.located(&handles, reference)
        });
        let handle = handle.ok_or(ReadError::Gone(reference))?;
        self.read_handle(&handle, reference, depth)
    }

    /// Reads the session with this reference from the files of a handle.
    pub(crate) fn read_handle(
        &self,
        handle: &Handle,
        reference: SessionRef,
        depth: Depth,
    ) -> Result<Session, ReadError> {
        if let Some(session) = self.read_to(handle, depth)
            && let Some(session) = within(session, reference)
        {
            return Ok(session);
        }
        Err(match Self::why_unreadable(handle) {
            Some(error) => error.into(),
            None => ReadError::Gone(reference),
        })
    }

    /// Reads the main session of a handle at this depth.
    pub(crate) fn read_to(&self, handle: &Handle, depth: Depth) -> Option<Session> {
        self.read_as_found(handle, depth).or_else(|| {
            // It was indexed by the id in its header, and later records change that.
            let first = |handle: &Handle| Some(handle.files.first()?.1.path.clone());
            let wanted = first(handle)?;
            let has_it = |exact: &&Handle| {
                exact.project == handle.project && first(exact).as_ref() == Some(&wanted)
            };
            let exact = self.exact_index().iter().find(has_it)?;
            let mut session = self.read_as_found(exact, depth)?;
            // The caller knows it by this reference.
            session.reference = handle.reference;
            Some(session)
        })
    }

    /// Reads the files of a session. Counts of what only the log has are not exact.
    pub(crate) fn read_as_found(&self, handle: &Handle, depth: Depth) -> Option<Session> {
        let entry = self.projects().get(handle.project)?;
        let journals: Vec<&(usize, FoundFile)> = handle.files.iter().collect();
        let prompts: Vec<LogEntry> = self
            .prompts_of(handle.project)
            .iter()
            .filter(|prompt| prompt.session_id == handle.key.id)
            .cloned()
            .collect();
        let sessions = self.assemble(entry, &journals, &prompts, depth).sessions;
        let is_it = |session: &Session| session.reference == handle.reference;
        let mut session = sessions.into_iter().find(is_it)?;
        self.add_what_others_know(handle, &mut session, depth);
        if let Some(parent) = &handle.key.parent {
            // It was read by itself.
            let of_parent = self.handles_with_id(handle.project, parent);
            if of_parent.iter().any(|it| it.kind == Kind::Main) {
                let is_orphan = |it: &Diagnostic| it.code == Code::OrphanSubagent;
                session.diagnostics.retain(|it| !is_orphan(it));
            }
        }
        if depth != Depth::Counts && !session.logged.is_empty() {
            session.logged = self.logged(handle, session.logged);
        }
        Some(session)
    }

    /// Adds what only the rest of the library knows of a session.
    pub(super) fn add_what_others_know(
        &self,
        handle: &Handle,
        session: &mut Session,
        depth: Depth,
    ) {
        if depth == Depth::Document {
            let more = self.disagreement(handle, session);
            session.diagnostics.extend(more);
        }
        self.add_faults(session, &handle.files);
    }

    /// Whether another machine has different content for a session.
    fn disagreement(&self, handle: &Handle, session: &Session) -> Option<Diagnostic> {
        let hash = session.project.hash.as_ref()?;
        let is_twin = |(at, entry): &(usize, &ProjectEntry)| {
            *at != handle.project && entry.known_hash() == Some(hash)
        };
        let entries = self.projects().iter().enumerate();
        for (project, _) in entries.filter(is_twin) {
            let handles = self.handles_with_id(project, &handle.key.id);
            for twin in handles.iter().filter(|twin| twin.key == handle.key) {
                let files = twin
                    .files
                    .iter()
                    .filter(|(_, file)| matches!(file.kind, FileKind::Journal));
                let digests: HashSet<Option<String>> = files
                    .map(|(_, file)| load_found(file, Depth::Document).ok()?.sha256)
                    .collect();
                let own = session
                    .journals
                    .iter()
                    .map(|journal| journal.sha256.clone());
                if own.collect::<HashSet<_>>() != digests {
                    let host = self.host_of(project).unwrap_or("another machine");
                    let text = format!("{host} has the session as well, and not the same of it");
                    return Some(Diagnostic::new(Code::HostsDisagree, text));
                }
            }
        }
        None
    }

    /// Reports which files of a session were read from older versions because they are unreadable
    /// now.
    fn add_faults(&self, session: &mut Session, journals: &[(usize, FoundFile)]) {
        let is_its = |finding: &&Diagnostic| {
            let path = finding.journal.as_deref();
            finding.code == Code::Unreadable
                && journals
                    .iter()
                    .any(|(_, file)| Some(&*text_of(&file.path)) == path)
        };
        let faults = self.diagnostics().iter().filter(is_its).cloned();
        session.diagnostics.extend(faults);
    }

    /// Why a session cannot be read, if one of its files cannot.
    fn why_unreadable(handle: &Handle) -> Option<StoreError> {
        let fault = |(_, file): &(usize, FoundFile)| {
            let error = load_found(file, Depth::Counts).err();
            error.map(|source| StoreError::Read {
                path: file.path.clone(),
                source,
            })
        };
        handle.files.iter().find_map(fault)
    }

    /// The machine that a project is on, if the archive was told.
    pub fn host_of(&self, project: usize) -> Option<&str> {
        self.heads().get(self.home_of(project))?.host.as_deref()
    }

    /// The account that a project's sessions are of, if the archive knows.
    pub(crate) fn user_of(&self, project: usize) -> Option<&str> {
        self.heads().get(self.home_of(project))?.user.as_deref()
    }

    /// Those of the logged prompts that no other session of the project has either.
    fn logged(&self, handle: &Handle, own: Vec<Logged>) -> Vec<Logged> {
        if self.is_covered(handle.project)
            && let Some(known) = self.ask_views(|views| views.logged(handle))
        {
            let is_known = |logged: &Logged| known.contains(&fingerprint_of(logged));
            return own.into_iter().filter(is_known).collect();
        }
        let read = || -> Vec<LoggedOf> {
            let entry = &self.projects()[handle.project];
            let sessions = self.read_project(entry, Detail::Counts).sessions;
            let logged = sessions.into_iter();
            logged.map(|it| (it.reference, it.logged)).collect()
        };
        let of_project = computed(&self.caches[handle.project].logged, read);
        let mut of_project = of_project.iter();
        let its = of_project.find(|(reference, _)| *reference == handle.reference);
        its.map_or(own, |(_, logged)| logged.clone())
    }

    /// Reads a single file without its surroundings.
    pub fn read_file(path: &Path, detail: Detail) -> Result<Session, StoreError> {
        let read = load(path, detail).map_err(|source| StoreError::Read {
            path: path.to_owned(),
            source,
        })?;
        Ok(Sources::single(read).assemble())
    }
}

impl Handle {
    /// The size of its files and those of its subagents.
    pub fn bytes(&self) -> u64 {
        let sizes = self.files.iter().map(|(_, file)| file.bytes);
        sizes.fold(0, u64::saturating_add)
    }

    /// The reference to look for in what is read: a former one means the session itself.
    fn reference_of(&self, asked: SessionRef) -> SessionRef {
        if asked == self.local_ref {
            self.reference
        } else {
            asked
        }
    }
}

/// The session with this reference: this one, or one of its subagents.
fn within(mut session: Session, reference: SessionRef) -> Option<Session> {
    if session.reference == reference {
        return Some(session);
    }
    let subagents = std::mem::take(&mut session.subagents);
    subagents.into_iter().find_map(|it| within(it, reference))
}

/// Fingerprint of a logged prompt.
pub(crate) fn fingerprint_of(logged: &Logged) -> u64 {
    Fingerprint::of_parts([logged.time.as_deref().unwrap_or_default(), &logged.text]).short()
}
