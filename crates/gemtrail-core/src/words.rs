//! Whose words a `type: "user"` record holds, and which of them the person typed.
//!
//! Gemini CLI records as `user` whatever it sends to the model in the user's name: session context,
//! hook output, editor state, tool answers, attached files. This module extracts the typed words.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::json::Node;
use crate::model::Reference;
use crate::wire::content::{self, Part};

/// The id that every `<session_context>` record has.
const CONTEXT_ID: &str = "d04923d38bb0f6017037e74183378ef4";

const REFERENCES_START: &str = "--- Content from referenced files ---";
const REFERENCES_END: &str = "--- End of content ---";
const REFERENCE_HEAD: &str = "\nContent from @";

/// Prefixes of texts that no person typed.
const INJECTED: [&str; 7] = [
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context, in JSON format.",
    "System: Potential loop detected.",
    "- **Workspace Directories:**",
    "System: Please continue.",
    "[System: You successfully executed a tool but returned an empty response.",
];
const SHELL: &str = "I ran the following shell command:";
const CONTINUE: &str = "Please continue.";

/// What the content alone tells about its author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Typed, as far as the content shows.
    #[default]
    Plain,
    ToolResult,
    Context,
    Hook,
    Shell,
    Summary,
    /// A bare `Please continue.`: the prompt log decides.
    Continue,
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
    let mut sorter = Sorter::default();
    for part in parts {
        sorter.take(part);
    }
    let typed = sorter.typed.trim();
    let has_answer = parts.iter().any(|part| matches!(part, Part::Response(_)));
    let hint = if id == Some(CONTEXT_ID) {
        Hint::Context
    } else if typed.is_empty() && has_answer {
        Hint::ToolResult
    } else if typed.is_empty() {
        sorter.injected.unwrap_or_default()
    } else if typed.starts_with(SHELL) {
        Hint::Shell
    } else if is_summary(typed) {
        Hint::Summary
    } else if is_flattened_answer(typed) {
        Hint::ToolResult
    } else if typed == CONTINUE {
        Hint::Continue
    } else {
        Hint::Plain
    };
    let shown = display.map(|node| content::joined_text(&content::parts(node)));
    match hint {
        Hint::Plain | Hint::Continue => {
            let text = shown
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| content::trimmed(sorter.typed));
            let mut references = sorter.references;
            name_attachments(&text, &mut references);
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

/// A compression snapshot is alone or follows an introduction; a person who merely mentions the tag
/// does not close it.
fn is_summary(text: &str) -> bool {
    text.starts_with("<state_snapshot>")
        || (text.contains("<state_snapshot>") && text.contains("</state_snapshot>"))
}

/// Before 0.28 parts were flattened to text; only this marker is left of a tool's answer.
fn is_flattened_answer(text: &str) -> bool {
    text.starts_with("[Function Response: ") && text.ends_with(']') && !text.contains('\n')
}

/// Sorts the parts of one record into typed, attached and injected.
#[derive(Default)]
struct Sorter {
    typed: String,
    injected: Option<Hint>,
    references: Vec<Reference>,
    attaching: bool,
    /// The next text part is the body of the reference just named.
    body_next: bool,
}

impl Sorter {
    fn take(&mut self, part: &Part<'_>) {
        match part {
            Part::Text(_) => {
                let Some(text) = part.text() else { return };
                if self.attaching {
                    self.attached(&text);
                } else if self.typed.is_empty() && is_plain(&text) {
                    // Prompts may be very long: avoid another copy.
                    self.typed = text.into_owned();
                } else {
                    self.outside(&text);
                }
            }
            Part::Data(data) if self.attaching => {
                let mime = data.mime.as_deref().map(str::to_owned);
                match self.references.last_mut() {
                    // The name came just before its content.
                    Some(named) if self.body_next => named.mime = mime,
                    _ => self.references.push(Reference {
                        path: data.uri.as_deref().map(str::to_owned),
                        text: String::new(),
                        mime,
                    }),
                }
                self.body_next = false;
            }
            _ => {}
        }
    }

    /// Text outside the attached files: typed, or one of the known injected texts.
    fn outside(&mut self, text: &str) {
        if let Some(at) = find_start(text) {
            self.outside(&text[..at]);
            let rest = &text[at..];
            let rest = &rest[rest
                .find(REFERENCES_START)
                .map_or(0, |i| i + REFERENCES_START.len())..];
            match rest.rfind(REFERENCES_END) {
                Some(end) => {
                    self.flattened(rest[..end].strip_suffix('\n').unwrap_or(&rest[..end]));
                    self.outside(&rest[end + REFERENCES_END.len()..]);
                }
                None if rest.trim().is_empty() => self.attaching = true,
                // The end marker is missing: everything up to the end was attached.
                None => self.flattened(rest),
            }
            return;
        }
        let start = text.trim_start();
        if start.starts_with("<session_context>") {
            self.injected.get_or_insert(Hint::Context);
            let end = start
                .rfind("</session_context>")
                .map(|at| at + "</session_context>".len());
            if let Some(end) = end {
                self.outside(&start[end..]);
            }
            return;
        }
        if INJECTED.iter().any(|known| start.starts_with(known)) {
            self.injected.get_or_insert(Hint::Context);
            return;
        }
        let text = self.without_block(text, "<hook_context>", "</hook_context>", Hint::Hook);
        let text = self.without_block(&text, "<system_note>", "</system_note>", Hint::Context);
        self.typed.push_str(&text);
    }

    /// Removes the text between two tags, and the tags.
    fn without_block<'t>(
        &mut self,
        text: &'t str,
        open: &str,
        close: &str,
        hint: Hint,
    ) -> Cow<'t, str> {
        if !text.contains(open) {
            return Cow::Borrowed(text);
        }
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(open) {
            let Some(length) = rest[start..].find(close) else {
                break;
            };
            kept.push_str(&rest[..start]);
            rest = &rest[start + length + close.len()..];
            self.injected.get_or_insert(hint);
        }
        kept.push_str(rest);
        Cow::Owned(kept)
    }

    /// A part between the markers; since 0.28 each file is a part.
    fn attached(&mut self, text: &str) {
        if text.trim() == REFERENCES_END {
            self.attaching = false;
            self.body_next = false;
        } else if self.body_next {
            if let Some(named) = self.references.last_mut() {
                text.clone_into(&mut named.text);
            }
            self.body_next = false;
        } else if let Some(path) = reference_head(text) {
            let path = Some(path.to_owned());
            self.references.push(Reference {
                path,
                text: String::new(),
                mime: None,
            });
            self.body_next = true;
        } else {
            self.references.push(Reference {
                path: None,
                text: text.to_owned(),
                mime: None,
            });
        }
    }

    /// The attached files as one string, as versions before 0.28 recorded them.
    fn flattened(&mut self, block: &str) {
        let mut pieces = block.split(REFERENCE_HEAD);
        if let Some(unnamed) = pieces.next().map(str::trim).filter(|text| !text.is_empty()) {
            self.references.push(attachment_marker(unnamed));
        }
        for piece in pieces {
            let (path, text) = piece.split_once(":\n").unwrap_or((piece, ""));
            let path = Some(path.to_owned());
            self.references.push(Reference {
                path,
                text: text.to_owned(),
                mime: None,
            });
        }
    }
}

/// Whether a text contains only what was typed.
fn is_plain(text: &str) -> bool {
    let start = text.trim_start();
    let begins = |known: &&str| start.starts_with(*known);
    let tags = ["<session_context>", "<hook_context>", "<system_note>"];
    !tags.iter().any(|tag| text.contains(tag))
        && !INJECTED.iter().any(begins)
        && find_start(text).is_none()
}

/// The start of the block of attached files, its leading line break included.
fn find_start(text: &str) -> Option<usize> {
    let at = text.find(REFERENCES_START)?;
    match text.as_bytes()[..at].last() {
        None => Some(at),
        Some(b'\n') => Some(at - 1),
        // The prompt merely mentions the marker.
        Some(_) => None,
    }
}

fn reference_head(text: &str) -> Option<&str> {
    text.strip_prefix(REFERENCE_HEAD)?.strip_suffix(":\n")
}

/// `<image/png>` or `[Image: image/png, 12.3 KB]` replace binary content in flattened text.
fn attachment_marker(text: &str) -> Reference {
    let inner = text
        .trim_start_matches(['<', '['])
        .trim_end_matches(['>', ']']);
    let inner = inner.strip_prefix("Image: ").unwrap_or(inner);
    let mime = inner.split(',').next().unwrap_or(inner).trim();
    if text.starts_with(['<', '[']) && mime.contains('/') && !mime.contains(char::is_whitespace) {
        Reference {
            path: None,
            text: String::new(),
            mime: Some(mime.to_owned()),
        }
    } else {
        Reference {
            path: None,
            text: text.to_owned(),
            mime: None,
        }
    }
}

/// Names unnamed attachments after the `@path`s of the prompt that no other attachment has, if
/// there are as many of one as of the other.
fn name_attachments(prompt: &str, references: &mut [Reference]) {
    if references.iter().all(|reference| reference.path.is_some()) {
        return;
    }
    let paths = references
        .iter()
        .filter_map(|reference| reference.path.clone());
    let named: HashSet<String> = paths.collect();
    let mut seen = HashSet::new();
    let free: Vec<&str> = prompt
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@').filter(|path| !path.is_empty()))
        .filter(|path| !named.contains(*path) && seen.insert(*path))
        .collect();
    let unnamed: Vec<&mut Reference> = references
        .iter_mut()
        .filter(|reference| reference.path.is_none())
        .collect();
    if unnamed.len() == free.len() {
        for (reference, path) in unnamed.into_iter().zip(free) {
            reference.path = Some(path.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(content: &str) -> Words {
        let node = Node::parse(content).expect("test content is JSON");
        of_user(None, &content::parts(node), None)
    }

    fn hint(text: &str) -> Hint {
        words(&serde_json::to_string(text).unwrap()).hint
    }

    #[test]
    fn typed_words_are_plain() {
        let words = words(r#"[{"text":" hello "},{"text":"world"}]"#);
        assert_eq!(
            (words.hint, words.text.as_str()),
            (Hint::Plain, "hello world")
        );
    }

    #[test]
    fn injected_texts_are_not_typed() {
        assert_eq!(
            hint("<session_context>\nThis is\n</session_context>"),
            Hint::Context
        );
        assert_eq!(hint("<session_context> cut off"), Hint::Context);
        assert_eq!(hint("<hook_context>x</hook_context>"), Hint::Hook);
        assert_eq!(
            hint("I ran the following shell command:\n```\nls\n```"),
            Hint::Shell
        );
        assert_eq!(hint("<state_snapshot>\n…"), Hint::Summary);
        assert_eq!(hint("What is a <state_snapshot> tag?"), Hint::Plain);
        assert_eq!(hint("System: Please continue."), Hint::Context);
        assert_eq!(hint("Please continue."), Hint::Continue);
        assert_eq!(hint("- **Workspace Directories:**\n  - /a"), Hint::Context);
        assert_eq!(
            hint("Here is the user's editor context as a JSON object. {}"),
            Hint::Context
        );
        assert_eq!(hint("[Function Response: read_file]"), Hint::ToolResult);
    }

    #[test]
    fn a_prompt_survives_what_was_put_around_it() {
        assert_eq!(
            words(r#""<hook_context>h</hook_context>\n\nreal prompt""#).text,
            "real prompt"
        );
        assert_eq!(
            words(r#"[{"text":"real"},{"text":"<hook_context>h</hook_context>"}]"#).text,
            "real"
        );
        assert_eq!(
            words(r#"[{"text":"<session_context>c</session_context>"},{"text":"real"}]"#).text,
            "real"
        );
        assert_eq!(
            words(r#"[{"text":"real"},{"text":"\n<system_note>\nnote\n</system_note>\n"}]"#).text,
            "real"
        );
    }

    #[test]
    fn references_of_the_part_era() {
        let words = words(
            r#"[{"text":"Explain @a.txt and @b.png"},{"text":"\n--- Content from referenced files ---"},
               {"text":"\nContent from @a.txt:\n"},{"text":"has\n--- End of content ---\ninside"},
               {"inlineData":{"mimeType":"image/png","data":""}},{"text":"\n--- End of content ---"}]"#,
        );
        assert_eq!(words.text, "Explain @a.txt and @b.png");
        let found: Vec<_> = words
            .references
            .iter()
            .map(|r| (r.path.as_deref(), r.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (Some("a.txt"), "has\n--- End of content ---\ninside"),
                (Some("b.png"), "")
            ]
        );
        assert_eq!(words.references[1].mime.as_deref(), Some("image/png"));
    }

    #[test]
    fn references_of_the_string_era() {
        let words = words(
            r#""Explain @a and @b.\n--- Content from referenced files ---\nContent from @a:\nfirst\n--- End of content ---\nmore\nContent from @b:\nsecond\n--- End of content ---""#,
        );
        assert_eq!(words.text, "Explain @a and @b.");
        let found: Vec<_> = words
            .references
            .iter()
            .map(|r| (r.path.as_deref(), r.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (Some("a"), "first\n--- End of content ---\nmore"),
                (Some("b"), "second")
            ]
        );
    }

    #[test]
    fn an_image_of_the_string_era_gets_its_name_from_the_prompt() {
        let words = words(
            r#""Describe @logo.png please.\n--- Content from referenced files ---<image/png>\n--- End of content ---""#,
        );
        assert_eq!(words.text, "Describe @logo.png please.");
        assert_eq!(words.references[0].path.as_deref(), Some("logo.png"));
        assert_eq!(words.references[0].mime.as_deref(), Some("image/png"));
    }

    #[test]
    fn writing_about_the_marker_is_not_attaching() {
        let words = words(r#""why does it print --- Content from referenced files --- here?""#);
        assert_eq!(
            words.text,
            "why does it print --- Content from referenced files --- here?"
        );
        assert!(words.references.is_empty());
    }
}
