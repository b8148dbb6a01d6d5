//! Whose words a `type: "user"` record holds, and which of them the person typed.
//!
//! Gemini CLI records as `user` whatever it sends to the model in the user's name: session context,
//! hook output, editor state, tool answers, attached files. This module extracts the typed words.
//! Some wordings are proof; others only suggest an author, and the messages around decide
//! (`session::roles`).

mod references;
mod sorter;
mod wording;

use crate::json::Node;
use crate::model::Reference;
use crate::wire::content::{self, Part};

use sorter::Sorter;
pub(crate) use wording::flattened_answers;

/// The id that every `<session_context>` record has.
const CONTEXT_ID: &str = "d04923d38bb0f6017037e74183378ef4";

/// What the content alone tells about its author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Typed, as far as the content shows.
    #[default]
    Plain,
    ToolResult,
    Context,
    /// A hook's output, unless it was sent to the model by itself.
    Hook,
    /// The report of a command run with `!`, unless it was sent to the model by itself.
    Shell,
    /// Looks like a compression snapshot: the client adds the answer to it.
    Summary,
    /// To a built-in agent.
    ToAgent,
    /// A bare `Please continue.`, which people type as well.
    Continue,
    /// The words with which the client asks again after a broken answer.
    Resend,
    /// The words with which the client asks for a compression snapshot.
    SnapshotRequest,
    /// Looks like what older versions left of a tool's answer.
    FlattenedAnswer,
}

/// The words of one record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) hint: Hint,
    pub(crate) text: String,
    pub(crate) references: Vec<Reference>,
}

/// Splits a user record into its words, references and origin.
pub(crate) fn of_user(id: Option<&str>, parts: &[Part<'_>], display: Option<Node<'_>>) -> Words {
    let sorted = Sorter::sort(parts);
    let typed = sorted.typed.trim();
    let has_answer = parts.iter().any(|part| matches!(part, Part::Response(_)));
    let shown = display
        .map(|node| shown(&content::parts(node)))
        .filter(|text| !text.is_empty());
    let hint = if id == Some(CONTEXT_ID) {
        Hint::Context
    } else if typed.is_empty() && has_answer {
        Hint::ToolResult
    } else if typed.is_empty() {
        sorted.injected.unwrap_or_default()
    } else {
        match wording::of_words(typed) {
            // The client goes on by itself under the display of the prompt before.
            Hint::Continue | Hint::Resend if shown.as_ref().is_some_and(|it| it != typed) => {
                Hint::Context
            }
            hint => hint,
        }
    };
    match hint {
        Hint::Plain | Hint::Continue | Hint::Resend | Hint::Summary | Hint::FlattenedAnswer => {
            let text = shown.unwrap_or_else(|| content::trimmed(sorted.typed));
            let mut references = sorted.references;
            references::name(&text, &mut references);
            Words {
                hint,
                text,
                references,
            }
        }
        _ => Words {
            hint,
            text: content::joined_text(parts),
            references: Vec::new(),
        },
    }
}

/// What the client displayed as typed. Headless runs display a hook's output with the prompt.
fn shown(parts: &[Part<'_>]) -> String {
    let text = content::joined_text(parts);
    match wording::after_hook(&text) {
        Some(rest) => rest.trim().to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests;
