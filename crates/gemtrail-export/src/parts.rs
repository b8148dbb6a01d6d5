//! The parts of recorded content, whatever its shape: a string, one part, or a list.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::{Format, Message, Session};

/// One part as recorded; a bare string counts as a text part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a>(Node<'a>);

impl<'a> Part<'a> {
    /// The text of a text part.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        self.0.as_str().or_else(|| self.0.get("text")?.as_str())
    }

    /// Whether it is reasoning rather than part of the answer.
    pub(crate) fn is_thought(self) -> bool {
        self.0.get("thought").and_then(Node::as_bool) == Some(true)
    }

    /// The `functionCall` in it.
    pub(crate) fn call(self) -> Option<Node<'a>> {
        self.0.get("functionCall")
    }

    /// The `functionResponse` in it.
    pub(crate) fn response(self) -> Option<Node<'a>> {
        self.0.get("functionResponse")
    }

    /// The part as recorded.
    pub(crate) fn node(self) -> Node<'a> {
        self.0
    }

    /// The part as a JSON object.
    pub(crate) fn object(self) -> Raw {
        match self.0.as_str() {
            Some(text) => text_part(&text),
            None => self.0.into(),
        }
    }
}

/// The parts of the content, in order.
pub(crate) fn parts(content: &Raw) -> Vec<Part<'_>> {
    let node = content.node();
    match node.shape() {
        Shape::Array => node.items().map(Part).collect(),
        Shape::String | Shape::Object => vec![Part(node)],
        Shape::Number | Shape::Bool | Shape::Null => Vec::new(),
    }
}

/// Whether the message was one entry in a list of contents, as in checkpoints and shared
/// conversations. Its parts are then exactly what the model was sent, and nothing else is known.
pub(crate) fn is_from_history(session: &Session, message: &Message) -> bool {
    let journal = session.journals.get(message.journal.unwrap_or_default());
    journal.is_some_and(|journal| journal.format == Format::History)
}

/// A text part.
pub(crate) fn text_part(text: &str) -> Raw {
    #[derive(serde::Serialize)]
    struct TextPart<'a> {
        text: &'a str,
    }
    raw(&TextPart { text })
}

/// One of our own values as raw JSON.
pub(crate) fn raw(value: &impl serde::Serialize) -> Raw {
    serde_json::to_string(value)
        .ok()
        .and_then(|text| Raw::parse(&text))
        .unwrap_or_else(|| Raw::string(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::raw;

    fn texts(content: &str) -> Vec<Option<String>> {
        parts(&raw(content))
            .into_iter()
            .map(|part| part.text().map(Cow::into_owned))
            .collect()
    }

    #[test]
    fn c_9_takes_a_string_a_part_and_a_list() {
        let a = || Some("a".to_owned());
        assert_eq!(texts(r#""a""#), [a()]);
        assert_eq!(texts(r#"{"text":"a"}"#), [a()]);
        assert_eq!(
            texts(r#"["a",{"text":"a"},{"inlineData":{}}]"#),
            [a(), a(), None]
        );
        assert!(texts("null").is_empty());
    }

    #[test]
    fn a_bare_string_becomes_an_object() {
        let content = raw(r#"["a \"b\""]"#);
        assert_eq!(parts(&content)[0].object().text(), r#"{"text":"a \"b\""}"#);
    }
}
