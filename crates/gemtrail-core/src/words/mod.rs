//! Whose words a `type: "user"` record holds, and which of them the person typed.
//!
//! Gemini CLI records as `user` whatever it sends to the model in the user's name: session context,
//! hook output, editor state, tool answers, attached files. This module extracts the typed words.
//! Some wordings are proof; others only suggest an author, and the messages around decide
//! (`session::roles`).

mod references;
#[cfg(test)]
mod tests;
mod wording;

use references::AttachedFiles;

use crate::json::Node;
use crate::model::Reference;
use crate::wire::content::{self, WirePart};

pub(crate) use wording::flattened_answers;

/// The id that every `<session_context>` record has.
const CONTEXT_ID: &str = "d04923d38bb0f6017037e74183378ef4";

/// A hint at the author, from the content alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AuthorHint {
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
    pub(crate) hint: AuthorHint,
    pub(crate) text: String,
    pub(crate) references: Vec<Reference>,
}

/// Splits a user record into its words, references and origin.
pub(crate) fn of_user(
    id: Option<&str>,
    parts: &[WirePart<'_>],
    display: Option<Node<'_>>,
) -> Words {
    let sorted = Sorter::sort(parts);
    let typed = sorted.typed.trim();
    let has_answer = parts
        .iter()
        .any(|part| matches!(part, WirePart::Response(_)));
    let shown = display
        .map(|node| shown(&content::parts(node)))
        .filter(|text| !text.is_empty());
    let hint = if id == Some(CONTEXT_ID) {
        AuthorHint::Context
    } else if typed.is_empty() && has_answer {
        AuthorHint::ToolResult
    } else if typed.is_empty() {
        sorted.injected.unwrap_or_default()
    } else {
        match wording::of_words(typed) {
            // The client goes on by itself under the display of the prompt before.
            AuthorHint::Continue | AuthorHint::Resend
                if shown.as_ref().is_some_and(|it| it != typed) =>
            {
                AuthorHint::Context
            }
            hint => hint,
        }
    };
    match hint {
        AuthorHint::Plain
        | AuthorHint::Continue
        | AuthorHint::Resend
        | AuthorHint::Summary
        | AuthorHint::FlattenedAnswer => {
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

/// The text that the client displayed as typed. Headless runs display a hook's output with the
/// prompt.
fn shown(parts: &[WirePart<'_>]) -> String {
    let text = content::joined_text(parts);
    match wording::after_hook(&text) {
        Some(rest) => rest.trim().to_owned(),
        None => text,
    }
}

/// The parts of a record, sorted into typed, attached and injected.
#[derive(Default)]
struct Sorter {
    typed: String,
    /// The first injected text, if there is one.
    injected: Option<AuthorHint>,
    references: Vec<Reference>,
    attaching: bool,
    /// The next text part is the body of the reference just named.
    body_next: bool,
}

impl Sorter {
    fn sort(parts: &[WirePart<'_>]) -> Self {
        let mut sorter = Self::default();
        // Before 0.28 a content was one text with everything in it.
        let is_flattened = parts.len() == 1;
        for (at, part) in parts.iter().enumerate() {
            match part {
                WirePart::Text(_) => {
                    let Some(text) = part.text() else { continue };
                    if sorter.attaching {
                        sorter.attached(&text);
                    } else if references::is_header(&text, parts.get(at + 1)) {
                        sorter.attaching = true;
                    } else if sorter.typed.is_empty() && !may_be_injected(&text, is_flattened) {
                        // Prompts may be very long: avoid another copy.
                        sorter.typed = text.into_owned();
                    } else if is_flattened {
                        sorter.flattened(&text);
                    } else {
                        sorter.outside(&text);
                    }
                }
                WirePart::Data(data) if sorter.attaching => {
                    let mime = data.mime.as_deref().map(str::to_owned);
                    match sorter.references.last_mut() {
                        // The name came just before its content.
                        Some(named) if sorter.body_next => named.mime = mime,
                        _ => sorter.references.push(Reference {
                            path: data.uri.as_deref().map(str::to_owned),
                            text: String::new(),
                            mime,
                        }),
                    }
                    sorter.body_next = false;
                }
                _ => {}
            }
        }
        sorter
    }

    /// A text that holds all that was sent: the prompt, a note, attached files, a hook's output.
    fn flattened(&mut self, mut text: &str) {
        if let Some(before) = wording::before_flattened_hook(text) {
            self.injected.get_or_insert(AuthorHint::Hook);
            text = before;
        }
        let block = AttachedFiles::find(text);
        let (before, after) = match &block {
            Some(block) => (block.before, block.after),
            None => (text, ""),
        };
        match wording::around_flattened_note(before) {
            Some((prompt, rest)) => {
                self.injected.get_or_insert(AuthorHint::Context);
                self.outside(prompt);
                self.typed.push_str(rest);
            }
            None => self.outside(before),
        }
        self.references
            .extend(block.iter().flat_map(AttachedFiles::references));
        self.typed.push_str(after);
    }

    /// Text outside the attached files: typed, or one of the known injected texts.
    fn outside(&mut self, text: &str) {
        if let Some(hint) = wording::of_part(text) {
            self.injected.get_or_insert(hint);
        } else if !self.typed.is_empty() && wording::is_note(text) {
            self.injected.get_or_insert(AuthorHint::Context);
        } else if let Some(prompt) = wording::after_hook(text) {
            self.injected.get_or_insert(AuthorHint::Hook);
            self.typed.push_str(prompt);
        } else {
            self.typed.push_str(text);
        }
    }

    /// A part between the markers; since 0.28 each file is a part.
    fn attached(&mut self, text: &str) {
        if references::is_end(text) {
            self.attaching = false;
            self.body_next = false;
        } else if self.body_next {
            if let Some(named) = self.references.last_mut() {
                text.clone_into(&mut named.text);
            }
            self.body_next = false;
        } else {
            let path = references::named(text).map(str::to_owned);
            self.body_next = path.is_some();
            let text = if path.is_some() { "" } else { text };
            self.references.push(Reference {
                path,
                text: text.to_owned(),
                mime: None,
            });
        }
    }
}

/// True if a text may hold more than what was typed.
fn may_be_injected(text: &str, is_flattened: bool) -> bool {
    wording::of_part(text).is_some()
        || wording::after_hook(text).is_some()
        || is_flattened
            && (AttachedFiles::find(text).is_some()
                || wording::before_flattened_hook(text).is_some()
                || wording::around_flattened_note(text).is_some())
}
