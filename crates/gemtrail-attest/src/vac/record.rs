//! The record around the entries.

use std::collections::BTreeSet;

use gemtrail_core::Fingerprint;
use gemtrail_core::model::{Kind, Message, PathSource, Session, SessionId};

use crate::digest::sha256_hex;
use crate::validate::SESSION;
use crate::value::{Layout, Object, Value, object, put};

use super::attribution::file_attribution;
use super::entry::model;
use super::options::{Note, Profile, RecordOptions, UNKNOWN, provider_of};
use super::translator::{Native, Translator, event_data, non_empty};

/// A record, and notes on what it does not show.
#[derive(Clone, Debug)]
pub struct Record {
    /// The record.
    pub value: Value,
    /// The changes and omissions on the way.
    pub notes: Vec<Note>,
}

/// Builds the record of a session. Subagents have records of their own.
pub fn record(session: &Session, options: &RecordOptions) -> Record {
    let profile = options.profile;
    let mut translator = Translator::new(profile);
    let messages: Vec<_> = session
        .messages
        .iter()
        .filter(|message| options.selection.takes(message))
        .collect();
    let entries = entries(&mut translator, session, &messages);
    let id = session_id(session, &entries);
    let root = project_root(&mut translator, session, options);

    let mut record = object([
        ("version", profile.version().into()),
        ("id", id.as_str().into()),
    ]);
    let mut native = Native::default();
    let mut trace = object([
        ("format", options.format.as_str().into()),
        ("session-id", id.into()),
    ]);
    times(&mut translator, session, &mut trace, &mut native);
    translator.fields(&mut trace, &mut native, &session.extra);
    let created = options
        .created
        .as_ref()
        .map(|time| Value::from(time.as_str()));
    let created = created.or_else(|| trace.get("session-start").cloned());
    put(&mut record, "created", created);
    trace.insert("agent-meta".to_owned(), agent_meta(&messages));
    if !profile.is_minimal() {
        record.insert("recording-agent".to_owned(), recorder(options));
        let environment = root.map(|path| object([("working-dir", path.into())]));
        put(&mut trace, "environment", environment);
    }
    if profile == Profile::V3 {
        // Its members are spelled differently in the two schemas, so no record that is valid under
        // both can have it.
        put(
            &mut record,
            "file-attribution",
            file_attribution(&messages, root),
        );
    }
    native_members(session, &mut native);
    native.place(&mut trace, profile, &SESSION);
    trace.insert("entries".to_owned(), Value::Array(entries));
    record.insert("session".to_owned(), trace.into());
    Record {
        value: record.into(),
        notes: translator.notes,
    }
}

fn entries(translator: &mut Translator, session: &Session, messages: &[&Message]) -> Vec<Value> {
    let mut continuations = Continuations::new(session);
    let mut entries = Vec::with_capacity(messages.len());
    for message in messages {
        entries.extend(continuations.before(message, translator.profile));
        entries.push(translator.entry(message));
    }
    translator.end_messages();
    entries
}

fn times(translator: &mut Translator, session: &Session, trace: &mut Object, native: &mut Native) {
    // A record states no time that no file has.
    let started = session.started.as_deref();
    let started = started.filter(|_| !session.infers_start.0);
    translator.time_as("session-start", "startTime", trace, native, started);
    if !translator.profile.is_minimal() {
        let updated = session.updated.as_deref();
        let updated = updated.filter(|_| !session.infers_update.0);
        translator.time_as("session-end", "lastUpdated", trace, native, updated);
    }
}

/// The session's own members that the schema does not name.
fn native_members(session: &Session, native: &mut Native) {
    native.add("projectHash", session.project.hash.as_deref());
    native.add("summary", session.summary.as_deref());
    native.add("kind", session.recorded_kind.as_deref());
    if session.kind == Kind::Subagent {
        native.add("kind", Some("subagent"));
        let parent = session.parent.as_ref().map(SessionId::as_str);
        native.add("parentSessionId", parent);
    }
    let directories = (!session.directories.is_empty()).then(|| session.directories.clone());
    native.add("directories", directories);
}

/// The model of a session is the last one that answered; all are listed if there were several.
fn agent_meta(messages: &[&Message]) -> Value {
    let last = messages.iter().rev().find_map(|message| model(message));
    let mut meta = object([
        ("model-id", last.unwrap_or(UNKNOWN).into()),
        ("model-provider", last.map_or(UNKNOWN, provider_of).into()),
    ]);
    let all: BTreeSet<_> = messages
        .iter()
        .filter_map(|message| model(message))
        .collect();
    if all.len() > 1 {
        meta.insert(
            "models".to_owned(),
            all.into_iter().collect::<Vec<_>>().into(),
        );
    }
    meta.insert("cli-name".to_owned(), "gemini-cli".into());
    meta.into()
}

fn recorder(options: &RecordOptions) -> Value {
    let mut recorder = object([("name", options.recorder.name.as_str().into())]);
    put(
        &mut recorder,
        "version",
        options.recorder.version.as_deref(),
    );
    recorder.into()
}

/// The session's id, or the name of its file, or an id derived from its content, so that the same
/// session always gets the same id.
fn session_id(session: &Session, entries: &[Value]) -> String {
    non_empty(session.id.as_str())
        .or_else(|| session.stems.first().and_then(|stem| non_empty(stem)))
        .map_or_else(|| id_of_content(entries), str::to_owned)
}

/// A version 8 (custom) UUID from the SHA-256 of the entries.
fn id_of_content(entries: &[Value]) -> String {
    let content = Value::Array(entries.to_vec()).to_json(Layout::Canonical);
    Fingerprint::of(content).to_uuid()
}

/// The project's root directory, if it is certain.
fn project_root<'a>(
    translator: &mut Translator,
    session: &'a Session,
    options: &'a RecordOptions,
) -> Option<&'a str> {
    let project = &session.project;
    let matches_hash = |path: &str| {
        let hash = project.hash.as_ref()?;
        Some(sha256_hex(path.as_bytes()) == *hash)
    };
    if let Some(path) = options.project_root.as_deref() {
        if matches_hash(path) != Some(false) {
            return Some(path);
        }
        translator.notes.push(Note::ForeignProjectRoot {
            path: path.to_owned(),
        });
    }
    let path = project.path.as_deref()?;
    // Without a hash, only what Gemini CLI or the user wrote down counts.
    let is_recorded = matches!(
        project.path_source,
        PathSource::Marker | PathSource::Registry | PathSource::Mapping
    );
    matches_hash(path).unwrap_or(is_recorded).then_some(path)
}

/// Follows the messages and detects where another journal starts.
pub(super) struct Continuations<'a> {
    session: &'a Session,
    /// The furthest journal so far.
    journal: Option<usize>,
}

impl<'a> Continuations<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self {
            session,
            journal: None,
        }
    }

    /// The event to put before this message, if it is the first of a later journal.
    pub(super) fn before(&mut self, message: &Message, profile: Profile) -> Option<Value> {
        let journal = message.journal?;
        let is_later = self.journal.is_some_and(|known| journal > known);
        self.journal = self.journal.max(Some(journal));
        is_later.then(|| self.event(journal, profile))
    }

    fn event(&self, journal: usize, profile: Profile) -> Value {
        let mut event = object([
            ("type", "system-event".into()),
            ("event-type", "session-continued".into()),
        ]);
        if let Some(journal) = self.session.journals.get(journal) {
            // The name alone: directories describe the machine, not the session.
            let name = journal.path.rsplit(['/', '\\']).next().unwrap_or_default();
            let data = object([("file", name.into())]);
            event.insert("data".to_owned(), event_data(data, profile));
        }
        event.into()
    }
}
