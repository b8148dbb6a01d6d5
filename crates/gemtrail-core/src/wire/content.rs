//! The parts of a `content`: text, thoughts, calls, answers, attachments.
//!
//! A content is a string, one part, or a list of strings and parts.

use std::borrow::Cow;

use crate::json::{Cursor, Fault, Node, Raw, Shape, decode};
use crate::tools;

/// One piece of a content. Small, because a content may hold millions of them.
#[derive(Clone, Debug)]
pub(crate) enum WirePart<'a> {
    Text(Node<'a>),
    Thought(Node<'a>),
    Call(Box<WireFunctionCall<'a>>),
    Response(Box<WireResponse<'a>>),
    Data(Box<Data<'a>>),
    ExecutableCode,
    CodeResult,
    Unknown,
}

/// A `functionCall`.
#[derive(Clone, Debug)]
pub(crate) struct WireFunctionCall<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) args: Option<Node<'a>>,
}

/// A `functionResponse`.
#[derive(Clone, Debug)]
pub(crate) struct WireResponse<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) response: Option<Node<'a>>,
    /// True if the response may hold an error; most do not, and need not be read.
    pub(crate) may_hold_error: bool,
    /// The whole part.
    pub(crate) part: Node<'a>,
}

/// An `inlineData` or `fileData`.
#[derive(Clone, Debug)]
pub(crate) struct Data<'a> {
    pub(crate) mime: Option<Cow<'a, str>>,
    pub(crate) uri: Option<Cow<'a, str>>,
}

impl<'a> WirePart<'a> {
    /// The characters of a text part.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(node) => node.as_str(),
            _ => None,
        }
    }

    /// Reads the part under the cursor.
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Fault> {
        match cursor.peek()? {
            Shape::String => return Ok(Self::Text(Node::new(cursor.raw()?))),
            Shape::Object => {}
            _ => {
                cursor.skip_value()?;
                return Ok(Self::Unknown);
            }
        }
        let start = cursor.pos();
        let (mut text, mut thought, mut kind) = (None, false, None);
        cursor.each_member(|cursor, key| {
            let shape = cursor.peek()?;
            match decode(key).as_ref() {
                // The first telling member says what a part is.
                _ if kind.is_some() => cursor.skip_value()?,
                "text" if shape == Shape::String => text = Some(Node::new(cursor.raw()?)),
                "thought" => thought = Node::new(cursor.raw()?).as_bool() == Some(true),
                key => kind = Self::of_member(key, shape, cursor)?,
            }
            Ok::<(), Fault>(())
        })?;
        Ok(match (kind, text) {
            (Some(Self::Response(mut response)), _) => {
                response.part = Node::new(cursor.since(start));
                Self::Response(response)
            }
            (Some(kind), _) => kind,
            (None, Some(node)) if thought => Self::Thought(node),
            (None, Some(node)) => Self::Text(node),
            (None, None) => Self::Unknown,
        })
    }

    /// The part that a member of that name makes of its object, if it does.
    fn of_member(key: &str, shape: Shape, cursor: &mut Cursor<'a>) -> Result<Option<Self>, Fault> {
        let string = |node: Option<Node<'a>>| node.and_then(Node::as_str);
        let is_object = shape == Shape::Object;
        Ok(match key {
            "functionCall" if is_object => {
                let [id, name, args] = cursor.members(["id", "name", "args"])?;
                Some(Self::Call(Box::new(WireFunctionCall {
                    id: string(id),
                    name: string(name).unwrap_or_default(),
                    args: args.filter(|args| !args.is_null()),
                })))
            }
            "functionResponse" if is_object => {
                let start = cursor.pos();
                cursor.take_error_hint();
                let [id, name, response] = cursor.members(["id", "name", "response"])?;
                Some(Self::Response(Box::new(WireResponse {
                    id: string(id),
                    name: string(name).unwrap_or_default(),
                    response,
                    may_hold_error: cursor.take_error_hint(),
                    part: Node::new(cursor.since(start)),
                })))
            }
            "inlineData" | "fileData" if is_object => {
                let [mime, uri] = cursor.members(["mimeType", "fileUri"])?;
                Some(Self::Data(Box::new(Data {
                    mime: string(mime),
                    uri: string(uri),
                })))
            }
            _ => {
                cursor.skip_value()?;
                match key {
                    "executableCode" => Some(Self::ExecutableCode),
                    "codeExecutionResult" => Some(Self::CodeResult),
                    _ => None,
                }
            }
        })
    }
}

/// The parts of a content, in order. One part represents all elements that are not parts: a hostile
/// file may hold millions, and a part takes more memory than a digit.
pub(crate) fn parts(content: Node<'_>) -> Vec<WirePart<'_>> {
    let mut parts = Vec::new();
    // A content that a cursor has accepted has no faults.
    let _ = read_parts(&mut Cursor::deep(content.text()), &mut parts);
    parts
}

fn read_parts<'a>(cursor: &mut Cursor<'a>, parts: &mut Vec<WirePart<'a>>) -> Result<(), Fault> {
    match cursor.peek()? {
        Shape::Array => {
            let mut has_unknown = false;
            cursor.each_item(|cursor| {
                let part = WirePart::read(cursor)?;
                let is_unknown = matches!(part, WirePart::Unknown);
                if !is_unknown || !std::mem::replace(&mut has_unknown, true) {
                    parts.push(part);
                }
                Ok(())
            })
        }
        Shape::Null => Ok(()),
        _ => {
            parts.push(WirePart::read(cursor)?);
            Ok(())
        }
    }
}

/// All text parts joined without separator, trimmed.
pub(crate) fn joined_text(parts: &[WirePart<'_>]) -> String {
    let mut texts = parts.iter().filter_map(WirePart::text);
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
pub(crate) struct ResponseOutcome<'a> {
    response: Node<'a>,
    output: Option<Node<'a>>,
    content: Option<Node<'a>>,
    error: Option<Node<'a>>,
}

impl<'a> ResponseOutcome<'a> {
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

/// The answer to a call in a recorded result.
pub(crate) enum Answered<'a> {
    Words(Node<'a>),
    With(ResponseOutcome<'a>),
    Nothing,
}

impl<'a> Answered<'a> {
    /// The answer to the call with that id, which may be among those of the whole turn.
    pub(crate) fn of(result: &'a Raw, id: &str) -> Self {
        let node = result.node();
        if node.shape() == Shape::String {
            return Self::Words(node);
        }
        response_of(node, id).map_or(Self::Nothing, |response| {
            Self::With(ResponseOutcome::of(response))
        })
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Words(node) => node.as_str().unwrap_or_default().into_owned(),
            Self::With(outcome) => outcome.text(),
            Self::Nothing => String::new(),
        }
    }

    pub(crate) fn outcome(&self) -> Option<ResponseOutcome<'a>> {
        match self {
            Self::With(outcome) => Some(*outcome),
            Self::Words(_) | Self::Nothing => None,
        }
    }
}

fn response_of<'a>(result: Node<'a>, id: &str) -> Option<Node<'a>> {
    let mut first = None;
    for part in parts(result) {
        if let WirePart::Response(answer) = part {
            if answer.id.as_deref() == Some(id) && answer.response.is_some() {
                return answer.response;
            }
            first = first.or(answer.response);
        }
    }
    first
}

/// The share of an output that a text has. A placeholder for an output that was masked or cut off
/// never counts as fuller than the output, however long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fullness {
    is_whole: bool,
    length: usize,
}

impl Fullness {
    pub(crate) fn of(text: &str) -> Self {
        Self {
            is_whole: !text.is_empty() && !tools::is_placeholder(text),
            length: text.len(),
        }
    }
}
