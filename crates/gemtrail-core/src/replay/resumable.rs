//! What Gemini CLI 0.47 and later count as conversation. Journals without any are not listed, and
//! what is not listed is deleted.

use crate::json::Node;
use crate::model::MessageKind;
use crate::wire::content::Part;
use crate::wire::record::WireMessage;

/// User records that start like this do not count as conversation.
const IGNORED: [&str; 4] = ["/", "?", "<session_context>", "<hook_context>"];

/// Whether a record is conversation to Gemini CLI, which looks at `content` alone.
pub(super) fn is_resumable(wire: &WireMessage<'_>, parts: &[Part<'_>]) -> bool {
    match wire.kind.as_deref().map(MessageKind::from) {
        Some(MessageKind::User) => beginning(parts)
            .is_some_and(|start| !IGNORED.iter().any(|known| start.starts_with(known))),
        Some(MessageKind::Gemini) => {
            beginning(parts).is_some()
                || !wire.calls.is_empty()
                || wire.thoughts.is_some_and(Node::has_items)
        }
        _ => false,
    }
}

/// The start of a content's text, as raw JSON; `None` if there is none. Parts that are not text
/// count as the marker that Gemini CLI puts in their place.
fn beginning<'a>(parts: &[Part<'a>]) -> Option<&'a str> {
    parts.iter().find_map(|part| match part {
        Part::Text(node) => {
            let text = node.text();
            let text = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
            let text = without_leading_space(text);
            (!text.is_empty()).then_some(text)
        }
        Part::Unknown => None,
        _ => Some("["),
    })
}

fn without_leading_space(mut raw: &str) -> &str {
    loop {
        let trimmed = raw.trim_start();
        let escape = ["\\n", "\\r", "\\t"]
            .into_iter()
            .find_map(|escape| trimmed.strip_prefix(escape));
        match escape {
            Some(rest) => raw = rest,
            None => return trimmed,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Detail, read};

    fn resumable(message: &str) -> bool {
        let header = r#"{"sessionId":"s","projectHash":"h"}"#;
        read(format!("{header}\n{message}\n").as_bytes(), Detail::Counts).is_resumable()
    }

    #[test]
    fn words_answers_calls_and_thoughts_are_conversation() {
        for message in [
            r#"{"id":"1","type":"user","content":"hi"}"#,
            r#"{"id":"1","type":"user","content":[{"text":" \n"},{"text":"hi /"}]}"#,
            r#"{"id":"1","type":"user","content":[{"functionResponse":{"name":"x"}}]}"#,
            r#"{"id":"1","type":"gemini","content":"","thoughts":[{"subject":"s"}]}"#,
            r#"{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n"}]}"#,
            r#"{"id":"1","type":"gemini","content":"/"}"#,
        ] {
            assert!(resumable(message), "{message}");
        }
    }

    #[test]
    fn context_commands_and_notices_are_not() {
        for message in [
            r#"{"id":"1","type":"user","content":"\n\t /quit"}"#,
            r#"{"id":"1","type":"user","content":[{"text":"<session_context>\nThis"}]}"#,
            r#"{"id":"1","type":"user","content":" \n "}"#,
            r#"{"id":"1","type":"info","content":"hello"}"#,
            r#"{"id":"1","type":"gemini","content":"","thoughts":[]}"#,
            r#"{"$set":{"messages":[]}}"#,
        ] {
            assert!(!resumable(message), "{message}");
        }
    }

    #[test]
    fn what_was_taken_back_does_not_count() {
        let rewound = "{\"id\":\"1\",\"type\":\"user\",\"content\":\"hi\"}\n{\"$rewindTo\":\"1\"}";
        assert!(!resumable(rewound));
    }
}
