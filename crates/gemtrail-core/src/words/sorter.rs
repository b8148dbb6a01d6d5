//! Sorts the parts of one record into typed, attached and injected.

use crate::model::Reference;
use crate::wire::content::Part;

use super::references::{self, Block};
use super::{Hint, wording};

/// What the parts of a record hold.
#[derive(Default)]
pub(super) struct Sorter {
    pub(super) typed: String,
    /// The first injected text, if there is one.
    pub(super) injected: Option<Hint>,
    pub(super) references: Vec<Reference>,
    attaching: bool,
    /// The next text part is the body of the reference just named.
    body_next: bool,
}

impl Sorter {
    pub(super) fn sort(parts: &[Part<'_>]) -> Self {
        let mut sorter = Self::default();
        // Before 0.28 a content was one text with everything in it.
        let is_flattened = parts.len() == 1;
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Text(_) => {
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
                Part::Data(data) if sorter.attaching => {
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
            self.injected.get_or_insert(Hint::Hook);
            text = before;
        }
        let block = Block::find(text);
        let (before, after) = match &block {
            Some(block) => (block.before, block.after),
            None => (text, ""),
        };
        match wording::around_flattened_note(before) {
            Some((prompt, rest)) => {
                self.injected.get_or_insert(Hint::Context);
                self.outside(prompt);
                self.typed.push_str(rest);
            }
            None => self.outside(before),
        }
        self.references
            .extend(block.iter().flat_map(Block::references));
        self.typed.push_str(after);
    }

    /// Text outside the attached files: typed, or one of the known injected texts.
    fn outside(&mut self, text: &str) {
        if let Some(hint) = wording::of_part(text) {
            self.injected.get_or_insert(hint);
        } else if !self.typed.is_empty() && wording::is_note(text) {
            self.injected.get_or_insert(Hint::Context);
        } else if let Some(prompt) = wording::after_hook(text) {
            self.injected.get_or_insert(Hint::Hook);
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

/// Whether a text may hold more than what was typed.
fn may_be_injected(text: &str, is_flattened: bool) -> bool {
    wording::of_part(text).is_some()
        || wording::after_hook(text).is_some()
        || is_flattened
            && (Block::find(text).is_some()
                || wording::before_flattened_hook(text).is_some()
                || wording::around_flattened_note(text).is_some())
}
