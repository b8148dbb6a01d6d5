//! What a `content` contains: text, thoughts, calls, answers, attachments.
//!
//! A content is a string, one part, or a list of strings and parts.

use std::borrow::Cow;

use crate::json::{Node, Shape};

/// One piece of a content. Small, because a content may hold millions of them.
#[derive(Clone, Debug)]
pub(crate) enum Part<'a> {
    Text(Node<'a>),
    Thought(Node<'a>),
    Call(Box<Call<'a>>),
    Response(Box<Response<'a>>),
    Data(Box<Data<'a>>),
    ExecutableCode,
    CodeResult,
    Unknown,
}

/// A `functionCall`.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) args: Option<Node<'a>>,
}

/// A `functionResponse`.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "named as in the API")]
pub(crate) struct Response<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) response: Option<Node<'a>>,
    /// The whole part.
    pub(crate) part: Node<'a>,
}

/// An `inlineData` or `fileData`.
#[derive(Clone, Debug)]
pub(crate) struct Data<'a> {
    pub(crate) mime: Option<Cow<'a, str>>,
    pub(crate) uri: Option<Cow<'a, str>>,
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
            let string = |node: Option<Node<'a>>| node.and_then(Node::as_str);
            match key.as_ref() {
                "text" if value.shape() == Shape::String => text = Some(value),
                "thought" => thought = value.as_bool() == Some(true),
                "functionCall" if value.shape() == Shape::Object => {
                    let [id, name, args] = value.get_all(["id", "name", "args"]);
                    return Self::Call(Box::new(Call {
                        id: string(id),
                        name: string(name).unwrap_or_default(),
                        args: args.filter(|args| !args.is_null()),
                    }));
                }
                "functionResponse" if value.shape() == Shape::Object => {
                    let [id, name, response] = value.get_all(["id", "name", "response"]);
                    return Self::Response(Box::new(Response {
                        id: string(id),
                        name: string(name).unwrap_or_default(),
                        response,
                        part: node,
                    }));
                }
                "inlineData" | "fileData" if value.shape() == Shape::Object => {
                    let [mime, uri] = value.get_all(["mimeType", "fileUri"]);
                    return Self::Data(Box::new(Data {
                        mime: string(mime),
                        uri: string(uri),
                    }));
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

/// The parts of a content, in order. One part represents all elements that are not parts: a hostile
/// file may hold millions, and a part takes more memory than a digit.
pub(crate) fn parts(content: Node<'_>) -> Vec<Part<'_>> {
    match content.shape() {
        Shape::Array => {
            let mut is_first = true;
            let wanted =
                |part: &Part<'_>| !matches!(part, Part::Unknown) || std::mem::take(&mut is_first);
            content.items().map(Part::of).filter(wanted).collect()
        }
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
    trimmed(joined)
}

/// The text without leading and trailing white space, trimmed in place: texts may be very long.
pub(crate) fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    let start = text.len() - text.trim_start().len();
    text.drain(..start);
    text
}

/// The `response` of a tool's answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome<'a> {
    response: Node<'a>,
    output: Option<Node<'a>>,
    content: Option<Node<'a>>,
    error: Option<Node<'a>>,
}

impl<'a> Outcome<'a> {
    pub(crate) fn of(response: Node<'a>) -> Self {
        let [output, content, error] = response.get_all(["output", "content", "error"]);
        Self {
            response,
            output,
            content,
            error,
        }
    }

    /// The value that says what came of it: `output`, else `content`, else `error`, else all.
    pub(crate) fn value(self) -> Node<'a> {
        [self.output, self.content, self.error]
            .into_iter()
            .flatten()
            .find(|node| !node.is_null())
            .unwrap_or(self.response)
    }

    /// That value as text.
    pub(crate) fn text(self) -> String {
        let chosen = self.value();
        match chosen.shape() {
            Shape::String => chosen.as_str().unwrap_or_default().into_owned(),
            Shape::Object => match chosen.get("error").and_then(Node::as_str) {
                Some(error) => error.into_owned(),
                None => chosen.text().to_owned(),
            },
            _ => chosen.text().to_owned(),
        }
    }

    /// The error, in the CLI's form or the older `content.error` one.
    pub(crate) fn error(self) -> Option<Node<'a>> {
        self.error
            .or_else(|| self.content?.get("error"))
            .filter(|node| !node.is_null())
    }

    /// The error in words.
    pub(crate) fn error_text(self) -> Option<String> {
        let error = self.error()?;
        let words = error.as_str();
        Some(words.map_or_else(|| error.text().to_owned(), Cow::into_owned))
    }
}
