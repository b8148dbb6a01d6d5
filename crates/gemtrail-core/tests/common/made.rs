//! Sessions made of hand-written records.

use gemtrail_core::model::Session;
use gemtrail_core::{Detail, JournalLog, LogEntry, SourceJournal, Sources, read};
use serde_json::{Value, json};

fn header() -> Value {
    json!({"sessionId": "s", "projectHash": "h"})
}

/// A file of lines: a header and these records.
pub(crate) fn lines(records: &[Value]) -> String {
    let records = std::iter::once(header()).chain(records.iter().cloned());
    records.map(|record| record.to_string() + "\n").collect()
}

/// A whole-file record with these messages, as versions before 0.39 wrote it.
pub(crate) fn whole(messages: &[Value]) -> String {
    let mut record = header();
    record["messages"] = messages.into();
    record.to_string()
}

/// A journal of these bytes.
pub(crate) fn journal(bytes: &str, path: &str) -> SourceJournal {
    let log: JournalLog = read(bytes.as_bytes(), Detail::Full);
    SourceJournal {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        sha256: None,
        earlier: false,
        log,
    }
}

/// The session of these bytes, with what the prompt log has for it.
pub(crate) fn session(bytes: &str, prompts: Vec<LogEntry>) -> Session {
    let mut sources = Sources::single(journal(bytes, "session-a"));
    sources.prompts = prompts;
    sources.assemble()
}
