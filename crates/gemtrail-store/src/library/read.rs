//! Reads a session.

use std::collections::HashSet;
use std::path::Path;

use gemtrail_antigravity::as_subagent;
use gemtrail_core::model::{
    Code, Diagnostic, Kind, Logged, Message, Project, Session, SessionId, SessionRef, SessionSource,
};
use gemtrail_core::{Detail, LogEntry, Sources};
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::load::{Depth, load, load_found};
use gemtrail_home::outputs::Outputs;
use gemtrail_home::paths::text_of;
use gemtrail_home::project::ProjectEntry;

use super::tables::About;
use super::{Handle, Library, WantedPart};
use crate::StoreError;
use crate::index::fingerprint_of;

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
    /// The number that the session has.
    pub total: usize,
}

impl Library {
    /// Reads the session that a reference names.
    pub fn read(&self, reference: SessionRef, detail: ReadDetail) -> Result<Session, ReadError> {
        let handle = self.locate(reference).ok_or(ReadError::Gone(reference))?;
        let read = self.read_handle(&handle, handle.reference_of(reference), detail.into());
        read.map(|mut session| {
            self.mark_session(&mut session);
            session
        })
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

    /// Reads the session with this reference from the files of a handle.
    pub(crate) fn read_handle(
        &self,
        handle: &Handle,
        reference: SessionRef,
        depth: Depth,
    ) -> Result<Session, ReadError> {
        if let Some(session) = self.read_as_found(handle, depth)
            && let Some(session) = within(session, reference)
        {
            return Ok(session);
        }
        Err(match Self::why_unreadable(handle) {
            Some(error) => error.into(),
            None => ReadError::Gone(reference),
        })
    }

    /// Reads the files of a session. Counts of what only the log has are not exact.
    pub(crate) fn read_as_found(&self, handle: &Handle, depth: Depth) -> Option<Session> {
        let entry = self.projects().get(handle.project)?;
        let journals: Vec<&(usize, FoundFile)> = handle.files.iter().collect();
        let prompts: Vec<LogEntry> = self
            .catalog
            .prompts_of(handle.project)
            .iter()
            .filter(|prompt| prompt.session_id == handle.key.id)
            .cloned()
            .collect();
        let read = self.catalog.assemble(entry, &journals, &prompts, depth);
        let sessions = read.sessions;
        let is_it = |session: &Session| session.reference == handle.reference;
        let mut session = sessions.into_iter().find(is_it)?;
        if let Some((parent, parent_ref)) = handle.key.parent.as_ref().zip(handle.parent_ref)
            && session.source == SessionSource::Antigravity
            && session.kind != Kind::Subagent
        {
            session = as_subagent(session, &SessionId::new(parent), parent_ref);
            if session.project.path.is_none() {
                // Only its parent's file tells.
                session.project = self.parent_project(handle, entry);
            }
        }
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

    /// The project of the session that a subagent of Antigravity worked for.
    fn parent_project(&self, handle: &Handle, entry: &ProjectEntry) -> Project {
        let parent = handle.key.parent.as_deref().unwrap_or_default();
        let handles = self.handles_with_id(handle.project, parent);
        let mut parents = handles.iter().filter(|it| it.key.parent.is_none());
        let parent = parents.find_map(|it| self.read_as_found(it, Depth::Counts));
        parent.map_or_else(|| entry.project().clone(), |it| it.project)
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
                    let text = format!("{host} has the session, too, with different content");
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

    /// Those of the logged prompts that no other session of the project has either.
    fn logged(&self, handle: &Handle, own: Vec<Logged>) -> Vec<Logged> {
        let Some(known) = self.logged_fingerprints(handle) else {
            return own;
        };
        let is_known = |logged: &Logged| known.contains(&fingerprint_of(logged));
        own.into_iter().filter(is_known).collect()
    }

    /// The fingerprints of what only the log has of a session; `None` if the index does not know it.
    pub(super) fn logged_fingerprints(&self, handle: &Handle) -> Option<HashSet<u64>> {
        let about = About::Project(handle.project);
        let known = self.ask(about, |tables, connection| {
            let mut statement = connection.prepare_cached(
                "SELECT project, prompted.logged FROM session
                 JOIN prompted ON prompted.session = session.id WHERE ref = ?1",
            )?;
            let mut rows = statement.query([handle.local_ref.as_str()])?;
            while let Some(row) = rows.next()? {
                if tables.projects.get(&row.get(0)?) == Some(&handle.project) {
                    let packed = row.get_ref(1)?.as_blob().unwrap_or_default();
                    let (packed, _) = packed.as_chunks::<8>();
                    let fingerprints = packed.iter().map(|it| u64::from_le_bytes(*it));
                    return Ok(vec![fingerprints.collect::<HashSet<u64>>()]);
                }
            }
            Ok(Vec::new())
        });
        known.into_iter().next()
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
