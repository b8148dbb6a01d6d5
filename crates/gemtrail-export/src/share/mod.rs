//! `share-md` and `share-json`: what Gemini CLI's own `/chat share` writes.
//!
//! The command writes the model's history, not the journal, so the history is first rebuilt from
//! the current messages. No journal has, and so this lacks: thought signatures, the context of
//! versions before 0.44, and white space that the recorder trimmed from texts.

mod history;
pub mod json;
pub mod markdown;
#[cfg(test)]
mod tests;

use gemtrail_core::model::{Format, Message, Role, Session};

use crate::Selection;

/// Ranges of Gemini CLI versions by the output of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// Up to 0.20: the icon is before the heading.
    To20,
    /// 0.21 to 0.43: the icon is at the end of the heading.
    To43,
    /// Since 0.44: calls carry their ids. Consecutive turns of the user are merged, as since 0.53: files
    /// do not tell which of these releases wrote them.
    Since44,
}

impl Era {
    /// The era that the session's latest file shows. Files do not distinguish the first two.
    pub fn of(session: &Session) -> Self {
        match session.journals.last().map(|journal| journal.format) {
            // A list of contents keeps the turns and ids that it has.
            Some(Format::Json | Format::History) => Self::To43,
            Some(Format::Jsonl) if !session.messages.iter().any(is_opening) => Self::To43,
            _ => Self::Since44,
        }
    }
}

/// Whether this is the context that opens the history; files have it since 0.44.
fn is_opening(message: &Message) -> bool {
    message.role == Role::Context && message.text.starts_with("<session_context>")
}

/// What is shared, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareOptions {
    /// Which messages are shared.
    pub selection: Selection,
    /// Which version's output to write; by default the one that the session's files show.
    pub era: Option<Era>,
}

impl Default for ShareOptions {
    fn default() -> Self {
        Self {
            selection: Selection::Current,
            era: None,
        }
    }
}

impl ShareOptions {
    fn era(self, session: &Session) -> Era {
        self.era.unwrap_or_else(|| Era::of(session))
    }
}
