//! From journals to a session: all files of one conversation, each message once.

mod facts;
mod fold;
mod join;
mod name;
mod places;
mod repeats;
mod roles;

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::json::Cursor;
use crate::logs::LogEntry;
use crate::model::{
    Aside, CleanUpFacts, Diagnostic, Format, Journal, Kind, Logged, Message, OpaqueRecord, Origin,
    Project, SESSION_SCHEMA, Session, SessionId, SessionRef,
};
use crate::read::read;
use crate::replay::{Detail, JournalLog, Replay};
use crate::wire::record;
use crate::{time, tools};

pub use facts::{said_by_the_person, settled, squeezed, title_of};
pub use name::{is_restored, restored_endings, restored_start, short_id_of, stem_of, time_of};
pub use places::Item;

/// The session in the bytes of one file. The name tells what old files do not: their id and time.
///
/// A log of the prompts of several sessions is the first of these; [`Sources::of_file`] has all of
/// them, and [`Sources`] joins the files of one session.
pub fn session(name: &str, bytes: &[u8]) -> Session {
    let digest = crate::spelling::hex(&Sha256::digest(bytes));
    let journal = SourceJournal {
        path: name.to_owned(),
        bytes: bytes.len() as u64,
        sha256: Some(digest),
        earlier: false,
        log: read(bytes, Detail::Full),
    };
    let mut sources = Sources::of_file(journal);
    sources.swap_remove(0).assemble()
}

/// One file of a session and what was read from it.
#[derive(Clone, Debug)]
pub struct SourceJournal {
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The digest of its bytes, if computed.
    pub sha256: Option<String>,
    /// True if this is an earlier version of a file that has since been rewritten. What only an
    /// earlier version has is kept as superseded; the file itself is listed once, in its current
    /// version.
    pub earlier: bool,
    /// Its contents.
    pub log: JournalLog,
}

impl SourceJournal {
    /// True if these are old bytes, which Gemini CLI set aside or overwrote: never the current
    /// conversation.
    pub(crate) fn is_spare(&self) -> bool {
        self.earlier || self.path.contains(".jsonl.unreadable-")
    }

    /// The earliest start that it claims.
    pub(crate) fn started(&self) -> Option<&str> {
        self.log.metadata.started.as_deref()
    }

    /// The last time anything happened in it.
    pub(crate) fn updated(&self) -> Option<&str> {
        let entries = self.log.entries.iter();
        let times = entries.filter_map(|entry| entry.time.as_deref());
        times
            .chain(self.log.metadata.updated.as_deref())
            .reduce(|latest, time| {
                if time::is_before(latest, time) {
                    time
                } else {
                    latest
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
    /// The home and machine it was found on.
    pub origin: Origin,
    /// The files, in any order.
    pub journals: Vec<SourceJournal>,
    /// The prompts in the log of this session.
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

    /// The sessions of a file outside any home: one, or each of a prompt log's.
    pub fn of_file(journal: SourceJournal) -> Vec<Self> {
        let mut ids: Vec<&String> = Vec::new();
        for prompt in &journal.log.prompts {
            if !ids.contains(&&prompt.session_id) {
                ids.push(&prompt.session_id);
            }
        }
        if ids.len() < 2 {
            return vec![Self::single(journal)];
        }
        let of_session = |id: &String| {
            let mut sources = Self::single(journal.clone());
            sources.prompts.retain(|prompt| prompt.session_id == *id);
            sources.id = Some(SessionId::new(id.clone()));
            sources
        };
        ids.into_iter().map(of_session).collect()
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
        // Joining takes the contents out of the journals.
        let clean_up: Vec<CleanUpFacts> =
            self.journals.iter().map(|it| it.log.clean_up()).collect();
        let mut joined = join::join(&mut self.journals, &self.prompts);
        let is_outlined = |journal: &SourceJournal| journal.log.detail != Detail::Full;
        let detail = if self.journals.iter().any(is_outlined) {
            Detail::Counts
        } else {
            Detail::Full
        };
        fold::answers(&mut joined, detail);
        roles::assign(&mut joined, self.kind, &self.prompts);
        roles::cut_hook_output(&mut joined, &self.prompts);
        let messages: Vec<Message> = joined.into_messages(&listed_at);

        let id = id.unwrap_or_default();
        let reference = self.reference;
        let mut session = Session {
            schema: SESSION_SCHEMA.to_owned(),
            reference: reference.unwrap_or_else(|| own_reference(&self.project, &id)),
            id,
            project: self.project,
            origin: self.origin,
            kind: self.kind,
            parent: self.parent,
            parent_ref: self.parent_ref,
            messages,
            subagents: self.subagents,
            ..Session::default()
        };
        let journals = self.journals.into_iter().zip(clean_up);
        for (index, (journal, clean_up)) in listed_at.into_iter().zip(journals) {
            take_journal(&mut session, index, journal, clean_up);
        }
        if has_earlier {
            say_once(&mut session);
        }
        let mut seen = HashSet::new();
        session.directories.retain(|dir| seen.insert(dir.clone()));
        if self.kind == Kind::Log {
            session.logged = self.prompts.iter().map(Logged::from).collect();
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

impl From<&LogEntry> for Logged {
    fn from(entry: &LogEntry) -> Self {
        Self {
            time: Some(entry.time.clone()),
            text: entry.text.clone(),
        }
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
fn take_journal(
    session: &mut Session,
    index: usize,
    mut journal: SourceJournal,
    clean_up: CleanUpFacts,
) {
    if let Some(updated) = journal.claimed_update() {
        time::keep_latest(&mut session.updated, updated);
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
        time::keep_earliest(&mut session.started, started);
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
            clean_up: Aside(Some(clean_up)),
        });
    }
}

/// Separates the journals of a session from those of its subagents, which before 0.37 were next to
/// them under the same session id: by `kind` since 0.31, before
/// that by a first prompt that a call of the main session asked for, while that session was
/// running.
pub fn split_subagents(journals: Vec<SourceJournal>) -> (Vec<SourceJournal>, Vec<SourceJournal>) {
    let outlines: Vec<JournalOutline<'_>> = journals.iter().map(JournalOutline::of).collect();
    let is_agent: Vec<bool> = journals
        .iter()
        .zip(&outlines)
        .map(
            |(journal, outline)| match journal.log.metadata.kind.as_deref() {
                Some(kind) => kind == "subagent",
                None => outlines.iter().any(|main| main.asked_for(outline)),
            },
        )
        .collect();
    let mut parts = (Vec::new(), Vec::new());
    for (journal, is_agent) in journals.into_iter().zip(is_agent) {
        if is_agent {
            parts.1.push(journal);
        } else {
            parts.0.push(journal);
        }
    }
    parts
}

/// The facts that identify a journal as an agent's. A session may have thousands of files, so this
/// is computed once per file and not once per pair.
struct JournalOutline<'a> {
    began: Option<&'a str>,
    /// The first prompt and its time.
    prompt: Option<(&'a str, Option<&'a str>)>,
    /// The prompts its calls gave to agents.
    requests: Vec<String>,
}

impl<'a> JournalOutline<'a> {
    fn of(journal: &'a SourceJournal) -> Self {
        let entries = &journal.log.entries;
        let first = entries.iter().find(|entry| entry.kind.is_user());
        let calls = entries.iter().flat_map(|entry| &entry.calls);
        Self {
            began: journal.started(),
            prompt: first.map(|entry| (entry.words.text.as_str(), entry.time.as_deref())),
            requests: calls.flat_map(tools::agent_requests).collect(),
        }
    }

    /// True if a call of this journal started the other one.
    fn asked_for(&self, other: &Self) -> bool {
        let (Some(began), Some((prompt, Some(time)))) = (self.began, other.prompt) else {
            return false;
        };
        let is_same = self.prompt.is_some_and(|(text, _)| text == prompt);
        let asks = |request: &String| prompt.contains(request.as_str());
        !self.requests.is_empty()
            && !is_same
            && time::is_before(began, time)
            && self.requests.iter().any(asks)
    }
}

/// Reads one message from its records: the bytes its [trace](Message::trace) names, in that order.
///
/// The result is the message of the first record, as in its session: id, time, type, text,
/// references, model, thoughts, tool calls, tokens, contents and unknown fields are the same. What
/// depends on the other messages may differ: role, state and why it was superseded, journal, copies
/// and, if it has copies, revisions; and it has no trace. `None` if the bytes are not records of
/// messages.
///
/// ```
/// use gemtrail_core::{Detail, SourceJournal, Sources, read, read_message};
///
/// let bytes = br#"{"sessionId":"s1","projectHash":"h"}
/// {"id":"m1","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"read_file"}]}
/// {"id":"m1","type":"gemini","content":"It is empty."}
/// "#;
/// let log = read(bytes, Detail::Full);
/// let journal = SourceJournal { path: "session.jsonl".into(), bytes: bytes.len() as u64, sha256: None, log, earlier: false };
/// let session = Sources::single(journal).assemble();
///
/// let message = &session.messages[0];
/// let records: Vec<&[u8]> = message.trace.spans().iter().filter_map(|span| span.of(bytes)).collect();
/// assert_eq!(records.len(), 2);
/// let again = read_message(&records).expect("the records of a message");
/// assert_eq!(again.text, "It is empty.");
/// assert_eq!(again.tool_calls, message.tool_calls);
/// ```
pub fn read_message(records: &[impl AsRef<[u8]>]) -> Option<Message> {
    let mut replay = Replay::new(Detail::Full);
    for record in records {
        let text = std::str::from_utf8(record.as_ref()).ok()?;
        let mut cursor = Cursor::new(text);
        let message = record::message(&mut cursor).ok()?.ok()?;
        if message.id.is_none() || !cursor.at_end() {
            return None;
        }
        replay.message(&message, 1);
    }
    let log = replay.finish();
    let id = log.timeline().next()?.to_owned();
    let journal = SourceJournal {
        path: String::new(),
        bytes: 0,
        sha256: None,
        earlier: false,
        log,
    };
    let session = Sources::single(journal).assemble();
    let mut message = session.messages.into_iter().next()?;
    message.journal = None;
    // Its answers are folded into it and hidden; any other message here is the wrong one.
    (message.id.as_str() == id).then_some(message)
}
