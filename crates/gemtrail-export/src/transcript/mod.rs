//! `transcript` and `transcript-json`: the dialogue without the machinery.
//!
//! For writing about a session: what the person said, what the agent said, which tools it used on
//! what, and what went wrong. Thoughts, tokens, notices, injected context, complete arguments and
//! result bodies are left out.

mod entry;
pub mod json;
pub mod markdown;
#[cfg(test)]
mod tests;

pub use entry::{Entry, FIRST_KEY_ARGUMENTS, KEY_ARGUMENTS, Speaker, ToolUse, entries};

use crate::Selection;

/// What the transcript covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptOptions {
    /// Which messages are considered.
    pub selection: Selection,
    /// The arguments of tool calls that are kept; [`KEY_ARGUMENTS`] if not set.
    pub keys: Option<Vec<String>>,
}

impl Default for TranscriptOptions {
    fn default() -> Self {
        Self {
            selection: Selection::Conversation,
            keys: None,
        }
    }
}
