//! From journals to a session: all files of one conversation, each message once.

mod agents;
mod facts;
mod fold;
mod join;
mod name;
mod one;
mod places;
mod roles;
mod takeover;
mod unlogged;

use std::collections::HashSet;

use crate::logs::LogEntry;
use crate::model::{
    Diagnostic, Format, Journal, Kind, Logged, Message, OpaqueRecord, Origin, Project,
    SESSION_SCHEMA, Session, SessionId, SessionRef,
};
use crate::replay::{Detail, JournalLog};

pub use agents::split_subagents;
pub use facts::{said_by_the_person, squeezed, title_of};
pub use name::{is_restored, restored_endings, short_id_of, stem_of, time_of};
pub use one::read_message;
pub use places::Item;

/// One file of a session and what was read from it.
#[derive(Clone, Debug)]
pub struct SourceJournal {
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The digest of its bytes, if computed.
    pub sha256: Option<String>,
    /// Whether this is an earlier version of a file that has since been rewritten. What only an
    /// earlier version has is kept as superseded; the file itself is listed once, in its current
    /// version.
    pub earlier: bool,
    /// Its contents.
    pub log: JournalLog,
}

impl SourceJournal {
    /// Whether these are old bytes, which Gemini CLI set aside or overwrote: never the current
    /// conversation.
    pub(crate) fn is_spare(&self) -> bool {
        self.earlier || self.path.contains(".jsonl.unreadable-")
    }

    /// The last time anything happened in it.
    pub(crate) fn updated(&self) -> Option<&str> {
        let times = self
            .log
            .entries
            .iter()
            .filter_map(|entry| entry.time.as_deref());
        times
            .chain(self.log.metadata.updated.as_deref())
            .max_by(|a, b| {
                if crate::time::is_before(a, b) {
                    std::cmp::Ordering::Less
                } else {
                    std::cmp::Ordering::Greater
                }
            })
    }
}

/// Everything that makes up one session.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The session's reference; a file on its own is referred to by its own metadata.
    pub reference: Option<SessionRef>,
    /// The session's id, if not all journals have it.
    pub id: Option<SessionId>,
    /// Main or subagent, as shown by the location of the files.
    pub kind: Kind,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The reference of that session.
    pub parent_ref: Option<SessionRef>,
    /// The project.
    pub project: Project,
    /// Where it was found.
    pub origin: Origin,
    /// The files, in any order.
    pub journals: Vec<SourceJournal>,
    /// What the prompt log has for this session.
    pub prompts: Vec<LogEntry>,
    /// The sessions of its agents.
    pub subagents: Vec<Session>,
}

impl Sources {
    /// A session of a single file outside any home.
    pub fn single(journal: SourceJournal) -> Self {
        let kind = match journal.log.metadata.kind.as_deref() {
            Some("subagent") => Kind::Subagent,
            _ if journal.log.format == Format::Logs => Kind::Log,
            _ => Kind::Main,
        };
        let project = Project {
            hash: journal.log.metadata.project_hash.clone(),
            ..Project::default()
        };
        let prompts = journal.log.prompts.clone();
        Self {
            kind,
            project,
            prompts,
            journals: vec![journal],
            ..Self::default()
        }
    }

    /// Assembles the session.
    pub fn assemble(mut self) -> Session {
        if let [single] = self.journals.as_mut_slice()
            && let Some(mut document) = single.log.document.take()
        {
            // Documents written before references existed.
            if document.reference == SessionRef::default() {
                document.reference = own_reference(&document.project, &document.id);
            }
            facts::complete(&mut document);
            return *document;
        }
        for journal in &mut self.journals {
            journal.take_time_from_name();
        }
        self.journals.sort_by(join::order);
        let id = self.id.take().or_else(|| {
            let journals = || self.journals.iter().rev();
            let recorded = journals().find_map(|journal| journal.recorded_id().map(str::to_owned));
            let id = recorded.or_else(|| journals().find_map(SourceJournal::id));
            id.map(SessionId::new)
        });
        let listed_at = listed_at(&self.journals);
        let has_earlier = self.journals.iter().any(|journal| journal.earlier);
        let mut joined = join::join(&mut self.journals, &self.prompts);
        let is_outlined = |journal: &SourceJournal| journal.log.detail != Detail::Full;
        let detail = if self.journals.iter().any(is_outlined) {
            Detail::Counts
        } else {
            Detail::Full
        };
        fold::answers(&mut joined, detail);
        roles::assign(&mut joined, self.kind, &self.prompts);
        unlogged::cut(&mut joined, &self.prompts);
        let messages: Vec<Message> = joined.into_messages(&listed_at);

        let id = id.unwrap_or_default();
        let reference = self.reference;
        let mut session = Session {
            schema: SESSION_SCHEMA.to_owned(),
            reference: reference.unwrap_or_else(|| own_reference(&self.project, &id)),
            id,
            stems: Vec::new(),
            project: self.project,
            origin: self.origin,
            kind: self.kind,
            recorded_kind: None,
            parent: self.parent,
            parent_ref: self.parent_ref,
            title: None,
            summary: None,
            started: None,
            updated: None,
            models: Vec::new(),
            counts: crate::model::Counts::default(),
            tokens: crate::model::Tokens::default(),
            directories: Vec::new(),
            journals: Vec::new(),
            messages,
            logged: Vec::new(),
            subagents: self.subagents,
            diagnostics: Vec::new(),
            records: Vec::new(),
            extra: crate::json::Fields::default(),
        };
        for (index, journal) in listed_at.into_iter().zip(self.journals) {
            take_journal(&mut session, index, journal);
        }
        if has_earlier {
            say_once(&mut session);
        }
        let mut seen = HashSet::new();
        session.directories.retain(|dir| seen.insert(dir.clone()));
        if self.kind == Kind::Log {
            session.logged = self.prompts.iter().map(logged).collect();
        }
        places::assign(&mut session.messages);
        facts::settle(&mut session, &self.prompts);
        if detail == Detail::Counts {
            fold::drop_outlines(&mut session.messages);
        }
        session
    }
}

/// The reference of a session that was read without its surroundings.
fn own_reference(project: &Project, id: &SessionId) -> SessionRef {
    let project = project.hash.as_deref().or(project.dir.as_deref());
    SessionRef::new(project.unwrap_or_default(), None, id.as_str(), None)
}

fn logged(entry: &LogEntry) -> Logged {
    Logged {
        time: Some(entry.time.clone()),
        text: entry.text.clone(),
    }
}

/// The index of each journal in the session's list of files. An earlier version of a file has the
/// index of the file.
fn listed_at(journals: &[SourceJournal]) -> Vec<usize> {
    let mut listed: Vec<&str> = Vec::new();
    for journal in journals {
        if !journal.earlier {
            listed.push(&journal.path);
        }
    }
    let mut next = 0;
    let mut place = |journal: &SourceJournal| {
        if journal.earlier {
            let same = listed.iter().position(|path| *path == journal.path);
            same.unwrap_or_default()
        } else {
            next += 1;
            next - 1
        }
    };
    journals.iter().map(&mut place).collect()
}

/// Versions of one file mostly share the same oddities.
fn say_once(session: &mut Session) {
    let mut seen = HashSet::new();
    session
        .diagnostics
        .retain(|d| seen.insert((d.journal.clone(), d.line, d.message.clone())));
    let mut seen = HashSet::new();
    session
        .records
        .retain(|r| seen.insert((r.journal, r.line, r.record.text().to_owned())));
}

/// Adds what a journal says about the session as a whole.
fn take_journal(session: &mut Session, index: usize, mut journal: SourceJournal) {
    if let Some(updated) = journal.claimed_update() {
        crate::time::keep_latest(&mut session.updated, updated);
    }
    let metadata = std::mem::take(&mut journal.log.metadata);
    if journal.is_session_file()
        && !journal.is_spare()
        && let Some(stem) = journal.stem()
        && !session.stems.iter().any(|known| known == stem)
    {
        session.stems.push(stem.to_owned());
    }
    if let Some(started) = &metadata.started {
        crate::time::keep_earliest(&mut session.started, started);
    }
    session.summary = metadata.summary.or(session.summary.take());
    session.recorded_kind = metadata.kind.or(session.recorded_kind.take());
    session.directories.extend(metadata.directories);
    session.extra.merge(metadata.extra);
    let in_file = |diagnostic: Diagnostic| diagnostic.in_journal(journal.path.clone());
    session
        .diagnostics
        .extend(journal.log.diagnostics.into_iter().map(in_file));
    let opaque = journal.log.opaque.into_iter();
    session.records.extend(opaque.map(|o| OpaqueRecord {
        journal: index,
        line: o.line,
        record: o.record,
    }));
    if !journal.earlier {
        session.journals.push(Journal {
            path: journal.path,
            format: journal.log.format,
            bytes: journal.bytes,
            sha256: journal.sha256,
        });
    }
}
