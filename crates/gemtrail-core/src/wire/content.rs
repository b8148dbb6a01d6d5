//! What a `content` says: text, thoughts, calls, answers, attachments.
//!
//! A content is a string, one part, or a list of strings and parts.

use std::borrow::Cow;

use crate::json::{Node, Shape};

/// One piece of a content.
#[derive(Clone, Debug)]
pub(crate) enum Part<'a> {
    Text(Node<'a>),
    Thought(Node<'a>),
    Call {
        id: Option<Cow<'a, str>>,
        name: Cow<'a, str>,
        args: Option<Node<'a>>,
    },
    Response {
        id: Option<Cow<'a, str>>,
        name: Cow<'a, str>,
        response: Option<Node<'a>>,
        part: Node<'a>,
    },
    /// `inlineData` or `fileData`.
    Data {
        mime: Option<Cow<'a, str>>,
        uri: Option<Cow<'a, str>>,
    },
    ExecutableCode,
    CodeResult,
    Unknown,
}

impl<'a> Part<'a> {
    /// The characters of a text part.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(node) => node.as_str(),
            _ => None,
        }
    }

    fn of(node: Node<'a>) -> Self {
        match node.shape() {
            Shape::String => return Self::Text(node),
            Shape::Object => {}
            _ => return Self::Unknown,
        }
        let (mut text, mut thought) = (None, false);
        for (key, value) in node.members() {
            let string = |name: &str| value.get(name).and_then(Node::as_str);
            match key.as_ref() {
                "text" if value.shape() == Shape::String => text = Some(value),
                "thought" => thought = value.as_bool() == Some(true),
                "functionCall" if value.shape() == Shape::Object => {
                    return Self::Call {
                        id: string("id"),
                        name: string("name").unwrap_or_default(),
                        args: value.get("args").filter(|args| !args.is_null()),
                    };
                }
                "functionResponse" if value.shape() == Shape::Object => {
                    return Self::Response {
                        id: string("id"),
                        name: string("name").unwrap_or_default(),
                        response: value.get("response"),
                        part: node,
                    };
                }
                "inlineData" | "fileData" if value.shape() == Shape::Object => {
                    return Self::Data {
                        mime: string("mimeType"),
                        uri: string("fileUri"),
                    };
                }
                "executableCode" => return Self::ExecutableCode,
                "codeExecutionResult" => return Self::CodeResult,
                _ => {}
            }
        }
        match text {
            Some(node) if thought => Self::Thought(node),
            Some(node) => Self::Text(node),
            None => Self::Unknown,
        }
    }
}

/// The parts of a content, in order.
pub(crate) fn parts(content: Node<'_>) -> Vec<Part<'_>> {
    match content.shape() {
        Shape::Array => content.items().map(Part::of).collect(),
        Shape::Null => Vec::new(),
        _ => vec![Part::of(content)],
    }
}

/// All text parts joined without separator, trimmed.
pub(crate) fn joined_text(parts: &[Part<'_>]) -> String {
    let mut texts = parts.iter().filter_map(Part::text);
    let Some(first) = texts.next() else {
        return String::new();
    };
    let mut joined = first.into_owned();
    texts.for_each(|text| joined.push_str(&text));
    joined.trim().to_owned()
}

/// The text of a tool's answer: `output`, else `content`, else `error`, else the JSON itself.
pub(crate) fn response_text(response: Node<'_>) -> String {
    if let Some(text) = response.as_str() {
        return text.into_owned();
    }
    let chosen = ["output", "content", "error"]
        .into_iter()
        .find_map(|key| response.get(key).filter(|node| !node.is_null()))
        .unwrap_or(response);
    match chosen.shape() {
        Shape::String => chosen.as_str().unwrap_or_default().into_owned(),
        Shape::Object => match chosen.get("error").and_then(Node::as_str) {
            Some(error) => error.into_owned(),
            None => chosen.text().to_owned(),
        },
        _ => chosen.text().to_owned(),
    }
}

/// The error of a tool's answer, in the CLI's form or the older `content.error` one.
pub(crate) fn response_error(response: Node<'_>) -> Option<String> {
    let error = response
        .get("error")
        .or_else(|| {
            response
                .get("content")
                .and_then(|content| content.get("error"))
        })
        .filter(|node| !node.is_null())?;
    Some(
        error
            .as_str()
            .map_or_else(|| error.text().to_owned(), Cow::into_owned),
    )
}
