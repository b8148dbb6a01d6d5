//! One line of a journal, in borrowed types. Parsed in one pass: tool results and other large
//! values are skipped and kept as slices.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::json::{Cursor, Fault, Node, ScanResult, Shape, decode};

/// A message as it was written. Nulls count as absent, as they do in Gemini CLI.
#[derive(Debug, Default)]
pub(crate) struct WireMessage<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) time: Option<Cow<'a, str>>,
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) model: Option<Cow<'a, str>>,
    pub(crate) content: Option<Node<'a>>,
    pub(crate) display_content: Option<Node<'a>>,
    pub(crate) thoughts: Option<Node<'a>>,
    /// True if an element of `thoughts` is not a thought.
    pub(crate) has_odd_thought: bool,
    pub(crate) tokens: Option<Node<'a>>,
    pub(crate) calls: Vec<WireCall<'a>>,
    /// Elements of `toolCalls` that are not objects.
    pub(crate) stray_calls: Vec<Node<'a>>,
    pub(crate) extra: Vec<(Cow<'a, str>, Node<'a>)>,
    pub(crate) oddities: Oddities<'a>,
    /// Its position in the text it was read from.
    pub(crate) place: Range<usize>,
}

/// A tool call as it was written.
#[derive(Debug, Default)]
pub(crate) struct WireCall<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) status: Option<Cow<'a, str>>,
    pub(crate) time: Option<Cow<'a, str>>,
    /// The time it began. Only headless output tells.
    pub(crate) started: Option<Cow<'a, str>>,
    pub(crate) agent: Option<Cow<'a, str>>,
    pub(crate) display_name: Option<Cow<'a, str>>,
    pub(crate) description: Option<Cow<'a, str>>,
    pub(crate) markdown: Option<bool>,
    pub(crate) args: Option<Node<'a>>,
    pub(crate) result: Option<Node<'a>>,
    /// True if the result may hold an error; most do not, and need not be read.
    pub(crate) may_hold_error: bool,
    pub(crate) display: Option<Node<'a>>,
    pub(crate) extra: Vec<(Cow<'a, str>, Node<'a>)>,
}

/// Oddities of an object, to be reported with the line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Oddities<'a> {
    pub(crate) duplicate_key: bool,
    /// The first field whose value has an unexpected type.
    pub(crate) unexpected_type: Option<&'a str>,
}

/// A metadata update.
#[derive(Debug, Default)]
pub(crate) struct WirePatch<'a> {
    pub(crate) fields: Vec<(Cow<'a, str>, Node<'a>)>,
    pub(crate) messages: Option<Vec<WireMessage<'a>>>,
    /// Elements of `messages` that are not objects.
    pub(crate) stray_messages: Vec<Node<'a>>,
}

/// One line, classified in the order that Gemini CLI uses. (It wants a `projectHash` next to the
/// `sessionId`; without one it takes the file for a single object with a `sessionId`, so the id
/// alone is enough, unless a `type` shows that another program wrote the line.)
#[derive(Debug)]
pub(crate) enum WireRecord<'a> {
    Rewind(Cow<'a, str>),
    Message(Box<WireMessage<'a>>),
    Set(WirePatch<'a>),
    Metadata(WirePatch<'a>),
    Unknown,
}

/// Reads the object under the cursor as a record.
pub(crate) fn record<'a>(cursor: &mut Cursor<'a>) -> ScanResult<WireRecord<'a>> {
    if cursor.peek()? != Shape::Object {
        cursor.skip_value()?;
        return Ok(WireRecord::Unknown);
    }
    let start = cursor.pos();
    let mut message = WireMessage::default();
    let mut set = None;
    let mut metadata = WirePatch::default();
    cursor.each_member(|cursor, key| {
        match key {
            "\"$set\"" if cursor.peek()? == Shape::Object => set = Some(patch(cursor)?),
            "\"messages\"" if cursor.peek()? == Shape::Array => {
                message_list(cursor, &mut metadata)?;
            }
            _ => message_field(cursor, key, &mut message)?,
        }
        Ok::<(), Fault>(())
    })?;
    message.oddities.duplicate_key |= names_twice(&message.extra);
    message.place = start..cursor.pos();
    let text = |name: &str| {
        let found = message.extra.iter().rev().find(|(key, _)| key == name);
        found.and_then(|(_, node)| node.as_str())
    };
    Ok(if let Some(target) = text("$rewindTo") {
        WireRecord::Rewind(target)
    } else if message.id.is_some() {
        WireRecord::Message(Box::new(message))
    } else if let Some(set) = set {
        WireRecord::Set(set)
    } else if text("sessionId").is_some()
        && (text("projectHash").is_some() || message.kind.is_none())
    {
        metadata.fields = message.extra;
        WireRecord::Metadata(metadata)
    } else {
        WireRecord::Unknown
    })
}

/// Reads the object under the cursor as a metadata update.
fn patch<'a>(cursor: &mut Cursor<'a>) -> ScanResult<WirePatch<'a>> {
    let mut patch = WirePatch::default();
    cursor.each_member(|cursor, key| {
        if key == "\"messages\"" && cursor.peek()? == Shape::Array {
            return message_list(cursor, &mut patch);
        }
        patch.fields.push((decode(key), Node::new(cursor.raw()?)));
        Ok(())
    })?;
    Ok(patch)
}

fn message_list<'a>(cursor: &mut Cursor<'a>, patch: &mut WirePatch<'a>) -> ScanResult<()> {
    let (mut list, mut strays) = (Vec::new(), Vec::new());
    cursor.each_item(|cursor| {
        match message(cursor)? {
            Ok(message) => list.push(message),
            Err(stray) => strays.push(stray),
        }
        Ok::<(), Fault>(())
    })?;
    (patch.messages, patch.stray_messages) = (Some(list), strays);
    Ok(())
}

/// Reads the value under the cursor as a message; anything but an object is returned unchanged.
pub(crate) fn message<'a>(
    cursor: &mut Cursor<'a>,
) -> ScanResult<Result<WireMessage<'a>, Node<'a>>> {
    if cursor.peek()? != Shape::Object {
        return Ok(Err(Node::new(cursor.raw()?)));
    }
    let start = cursor.pos();
    let mut message = WireMessage::default();
    cursor.each_member(|cursor, key| message_field(cursor, key, &mut message))?;
    message.oddities.duplicate_key |= names_twice(&message.extra);
    message.place = start..cursor.pos();
    Ok(Ok(message))
}

fn message_field<'a>(
    cursor: &mut Cursor<'a>,
    key: &'a str,
    message: &mut WireMessage<'a>,
) -> ScanResult<()> {
    let shape = cursor.peek()?;
    let oddities = &mut message.oddities;
    if key == "\"toolCalls\"" && shape == Shape::Array {
        oddities.duplicate_key |= !message.calls.is_empty();
        (message.calls, message.stray_calls) = calls(cursor, oddities)?;
        return Ok(());
    }
    let node = if key == "\"thoughts\"" && shape == Shape::Array {
        let (list, has_odd) = thoughts(cursor)?;
        message.has_odd_thought = has_odd;
        list
    } else {
        cursor.node_of(shape)?
    };
    if shape == Shape::Null {
        return Ok(());
    }
    let slot = match key {
        "\"id\"" => Slot::Text(&mut message.id),
        "\"timestamp\"" => Slot::Text(&mut message.time),
        "\"type\"" => Slot::Text(&mut message.kind),
        "\"model\"" => Slot::Text(&mut message.model),
        "\"content\"" => Slot::Any(&mut message.content),
        "\"displayContent\"" => Slot::Any(&mut message.display_content),
        "\"thoughts\"" => Slot::Shaped(Shape::Array, &mut message.thoughts),
        "\"tokens\"" => Slot::Shaped(Shape::Object, &mut message.tokens),
        // Only reached if it is not an array.
        "\"toolCalls\"" => Slot::Never,
        _ => Slot::Unknown,
    };
    if !slot.fill(key, node, shape, oddities) {
        message.extra.push((decode(key), node));
    }
    Ok(())
}

/// The list of thoughts under the cursor, and whether anything in it is not a thought.
fn thoughts<'a>(cursor: &mut Cursor<'a>) -> ScanResult<(Node<'a>, bool)> {
    let start = cursor.pos();
    let mut has_odd = false;
    cursor.each_item(|cursor| {
        has_odd |= !matches!(cursor.peek()?, Shape::Object | Shape::String | Shape::Null);
        cursor.skip_value()
    })?;
    Ok((Node::new(cursor.since(start)), has_odd))
}

/// The destination of the value of a known key.
enum Slot<'s, 'a> {
    Text(&'s mut Option<Cow<'a, str>>),
    Any(&'s mut Option<Node<'a>>),
    Shaped(Shape, &'s mut Option<Node<'a>>),
    Flag(&'s mut Option<bool>),
    Never,
    Unknown,
}

impl<'a> Slot<'_, 'a> {
    /// Stores the value; `false` if the slot does not accept its type.
    fn fill(self, key: &'a str, node: Node<'a>, shape: Shape, oddities: &mut Oddities<'a>) -> bool {
        let again = match self {
            Self::Text(slot) if shape == Shape::String => {
                slot.replace(decode(node.text())).is_some()
            }
            Self::Any(slot) => slot.replace(node).is_some(),
            Self::Shaped(wanted, slot) if shape == wanted => slot.replace(node).is_some(),
            Self::Flag(slot) if shape == Shape::Bool => {
                std::mem::replace(slot, node.as_bool()).is_some()
            }
            Self::Unknown => return false,
            _ => {
                oddities
                    .unexpected_type
                    .get_or_insert(key.trim_matches('"'));
                return false;
            }
        };
        oddities.duplicate_key |= again;
        true
    }
}

/// True if a name occurs twice among the members.
fn names_twice(members: &[(Cow<'_, str>, Node<'_>)]) -> bool {
    let mut seen = HashSet::new();
    members.len() > 1 && !members.iter().all(|(name, _)| seen.insert(name))
}

type Calls<'a> = (Vec<WireCall<'a>>, Vec<Node<'a>>);

fn calls<'a>(cursor: &mut Cursor<'a>, oddities: &mut Oddities<'a>) -> ScanResult<Calls<'a>> {
    let (mut list, mut strays) = (Vec::new(), Vec::new());
    cursor.each_item(|cursor| {
        if cursor.peek()? == Shape::Object {
            list.push(call(cursor, oddities)?);
        } else {
            oddities.unexpected_type.get_or_insert("toolCalls");
            strays.push(Node::new(cursor.raw()?));
        }
        Ok::<(), Fault>(())
    })?;
    Ok((list, strays))
}

fn call<'a>(cursor: &mut Cursor<'a>, oddities: &mut Oddities<'a>) -> ScanResult<WireCall<'a>> {
    let mut call = WireCall::default();
    cursor.each_member(|cursor, key| {
        let shape = cursor.peek()?;
        cursor.take_error_hint();
        let node = cursor.node_of(shape)?;
        if shape == Shape::Null {
            return Ok(());
        }
        if key == "\"result\"" {
            call.may_hold_error = cursor.take_error_hint();
        }
        let slot = match key {
            "\"id\"" => Slot::Text(&mut call.id),
            "\"name\"" => Slot::Text(&mut call.name),
            "\"status\"" => Slot::Text(&mut call.status),
            "\"timestamp\"" => Slot::Text(&mut call.time),
            "\"agentId\"" => Slot::Text(&mut call.agent),
            "\"displayName\"" => Slot::Text(&mut call.display_name),
            "\"description\"" => Slot::Text(&mut call.description),
            "\"args\"" => Slot::Any(&mut call.args),
            "\"result\"" => Slot::Any(&mut call.result),
            "\"resultDisplay\"" => Slot::Any(&mut call.display),
            "\"renderOutputAsMarkdown\"" => Slot::Flag(&mut call.markdown),
            _ => Slot::Unknown,
        };
        if !slot.fill(key, node, shape, oddities) {
            call.extra.push((decode(key), node));
        }
        Ok::<(), Fault>(())
    })?;
    Ok(call)
}
