//! `native`: a JSONL journal that Gemini CLI lists and resumes.
//!
//! It holds the messages, not the way in which some version recorded them: no updates, no
//! checkpoints, and no tool answers in the user's name. The calls already contain those answers, so
//! Gemini CLI would send each of them to the model twice on resume.

mod record;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use gemtrail_core::model::Session;

use crate::jsonl::write_line;
use crate::uuid::derived_uuid;
use crate::{ExportError, Selection, selected};
use record::{Header, MessageRecord, Metadata, Update};

/// The value for an unknown hash. Gemini CLI accepts any that is not empty.
const UNKNOWN_HASH: &str = "unknown";

/// What the journal holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeOptions {
    /// Which messages it holds.
    pub selection: Selection,
    /// The update time that the journal claims; by default the session's own. Gemini CLI deletes
    /// journals whose last update is long ago.
    pub last_updated: Option<String>,
}

impl Default for NativeOptions {
    fn default() -> Self {
        Self {
            selection: Selection::Current,
            last_updated: None,
        }
    }
}

/// Writes a header line, a line of further facts if there are any, and a line per message.
pub fn write(
    session: &Session,
    options: &NativeOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    write_line(&header(session, options), out)?;
    let metadata = Metadata::of(session);
    if !metadata.is_empty() {
        write_line(&Update { set: metadata }, out)?;
    }
    for message in selected(session, options.selection) {
        write_line(&MessageRecord::of(message), out)?;
    }
    Ok(())
}

fn header<'a>(session: &'a Session, options: &'a NativeOptions) -> Header<'a> {
    let first_time = session.messages.iter().find_map(|m| m.time.as_deref());
    let start_time = session.started.as_deref().or(first_time);
    let updated = session.updated.as_deref().or(start_time);
    Header {
        session_id: session_id(session),
        project_hash: session.project.hash.as_deref().unwrap_or(UNKNOWN_HASH),
        start_time,
        last_updated: options.last_updated.as_deref().or(updated),
        // A subagent's journal would be deleted rather than listed.
        kind: "main",
    }
}

/// The session's id; checkpoints and shared conversations have none and get a derived one.
fn session_id(session: &Session) -> Cow<'_, str> {
    if !session.id.as_str().is_empty() {
        return Cow::Borrowed(session.id.as_str());
    }
    let mut purpose = vec!["native"];
    purpose.extend(session.stems.iter().map(String::as_str));
    purpose.extend(session.messages.iter().map(|message| message.text.as_str()));
    Cow::Owned(derived_uuid(&purpose))
}
