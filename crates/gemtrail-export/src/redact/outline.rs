//! `--content none`: the structure of a session, with every text replaced by its length.
//!
//! For bug reports about gemtrail: it keeps what readers and writers base their decisions on.

use gemtrail_core::model::{MessageId, Session, SessionId};

use super::rewrite::Rewrite;
use super::session::rewritten;

/// Members of recorded JSON whose values are structure.
const STRUCTURE: [&str; 12] = [
    "type",
    "role",
    "kind",
    "name",
    "id",
    "callId",
    "status",
    "mimeType",
    "timestamp",
    "model",
    "state",
    "schema",
];

/// Longer values of these members are text, whatever the member is called.
const LONGEST_WORD: usize = 80;

/// The session without a word of what was said, done or read.
pub fn outline(session: &Session) -> Session {
    let mut outlined = rewritten(session, &mut Outline);
    outlined.project.dir = outlined
        .project
        .dir
        .filter(|dir| gemtrail_core::model::is_hash(dir));
    outlined
}

struct Outline;

fn length(text: &str) -> Option<String> {
    // The outline of an outline is the same outline.
    if text.is_empty() || is_length(text) {
        return None;
    }
    Some(format!("[{} characters]", text.chars().count()))
}

fn is_length(text: &str) -> bool {
    text.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(" characters]"))
        .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

fn is_identifier(text: &str) -> bool {
    let allowed =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/' | b'$');
    text.len() <= LONGEST_WORD && text.bytes().all(allowed)
}

impl Rewrite for Outline {
    fn enter(&mut self, _: &SessionId, _: Option<&MessageId>) {}

    fn text(&mut self, field: &'static str, text: &str) -> Option<String> {
        // These are gemtrail's own words, and often the reason for the report.
        if field == "diagnostics" {
            return None;
        }
        length(text)
    }

    fn member(&mut self, _: &'static str, name: &str, text: &str) -> Option<String> {
        if STRUCTURE.contains(&name) && is_identifier(text) {
            return None;
        }
        length(text)
    }

    fn name(&mut self, _: &'static str, name: &str) -> Option<String> {
        if is_identifier(name) {
            None
        } else {
            length(name)
        }
    }

    fn path(&mut self, _: &'static str, path: &str) -> Option<String> {
        // Session file names are Gemini CLI's own, and their form matters to a report.
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        if name.starts_with("session-") && is_identifier(name) {
            return Some(name.to_owned());
        }
        length(path)
    }
}
