//! `share-md` and `share-json`: what Gemini CLI's own `/chat share` writes.
//!
//! The command writes the model's history, not the journal, so the history is first rebuilt from
//! the current messages. No journal has, and so this lacks: thought signatures, the context of
//! versions before 0.44, and white space that the recorder trimmed from texts.

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use serde::Serialize;

use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::{Format, Message, MessageKind, Role, Session, ToolCall};

use crate::options::FormatOptions;
use crate::parts::{RecordedPart, answer, is_from_history, parts, raw, text_part};
use crate::{Result, Selection, selected};

/// Ranges of Gemini CLI versions by the output of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// Up to 0.20: the icon is before the heading.
    To20,
    /// 0.21 to 0.43: the icon is at the end of the heading.
    To43,
    /// Since 0.44: calls carry their ids. Consecutive turns of the user are merged, as since 0.53: files
    /// do not tell which of these releases wrote them.
    Since44,
}

impl Era {
    /// The era that the session's latest file shows. Files do not distinguish the first two.
    pub fn of(session: &Session) -> Self {
        match session.journals.last().map(|journal| journal.format) {
            // A list of contents keeps the turns and ids that it has.
            Some(Format::Json | Format::History) => Self::To43,
            Some(Format::Jsonl) if !session.messages.iter().any(is_opening) => Self::To43,
            _ => Self::Since44,
        }
    }
}

/// True if this is the context that opens the history; files have it since 0.44.
fn is_opening(message: &Message) -> bool {
    message.role == Role::Context && message.text.starts_with("<session_context>")
}

/// Writes `share-md`: headings with the parts below them, byte for byte as Gemini CLI does, without
/// a newline at the end.
pub fn write_markdown(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_markdown_as(session, options, Era::of(session), out)
}

fn write_markdown_as(
    session: &Session,
    options: &FormatOptions,
    era: Era,
    out: &mut impl Write,
) -> Result {
    for (index, entry) in history(session, options, era).iter().enumerate() {
        if index > 0 {
            out.write_all(b"\n\n---\n\n")?;
        }
        write_markdown_entry(entry, era, out)?;
    }
    Ok(())
}

fn write_markdown_entry(entry: &HistoryEntry, era: Era, out: &mut impl Write) -> io::Result<()> {
    let (role, icon) = match entry.role {
        HistoryRole::User => ("USER", "\u{1F9D1}\u{200D}\u{1F4BB}"),
        HistoryRole::Model => ("MODEL", "\u{2728}"),
    };
    match era {
        Era::To20 => write!(out, "{icon} ## {role}\n\n")?,
        Era::To43 | Era::Since44 => write!(out, "## {role} {icon}\n\n")?,
    }
    entry
        .parts
        .iter()
        .try_for_each(|part| write_part(part, out))
}

/// Parts follow each other without a separator, and some kinds leave no trace.
fn write_part(part: &Raw, out: &mut impl Write) -> io::Result<()> {
    let node = part.node();
    let text = node.get("text").and_then(Node::as_str);
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        out.write_all(text.as_bytes())
    } else if let Some(call) = node.get("functionCall") {
        write_tool("Tool Command", call, out)
    } else if let Some(response) = node.get("functionResponse") {
        write_tool("Tool Response", response, out)
    } else {
        Ok(())
    }
}

fn write_tool(title: &str, value: Node<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "**{title}**:\n```json\n")?;
    write_pretty(value, 0, out)?;
    out.write_all(b"\n```")
}

/// Writes `share-json`: an array of `{"role", "parts"}` as `JSON.stringify` lays it out, without a newline at
/// the end.
pub fn write_json(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_json_as(session, options, Era::of(session), out)
}

fn write_json_as(
    session: &Session,
    options: &FormatOptions,
    era: Era,
    out: &mut impl Write,
) -> Result {
    let history = history(session, options, era);
    write_block(("[", "]"), &history, 0, out, write_json_entry)?;
    Ok(())
}

fn write_json_entry<W: Write>(entry: &HistoryEntry, out: &mut W) -> io::Result<()> {
    let role = match entry.role {
        HistoryRole::User => "user",
        HistoryRole::Model => "model",
    };
    write!(out, "{{\n    \"role\": \"{role}\",\n    \"parts\": ")?;
    write_block(("[", "]"), &entry.parts, 2, out, |part, out| {
        write_pretty(part.node(), 3, out)
    })?;
    out.write_all(b"\n  }")
}

/// The side that an entry is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HistoryRole {
    User,
    Model,
}

/// One entry of the history.
#[derive(Debug, PartialEq)]
struct HistoryEntry {
    role: HistoryRole,
    parts: Vec<Raw>,
}

/// A `functionCall` with its members in Gemini CLI's order.
#[derive(Serialize)]
struct FunctionCall<'a> {
    name: &'a str,
    args: &'a Raw,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallPart<'a> {
    function_call: FunctionCall<'a>,
}

/// The history of the session.
fn history(session: &Session, options: &FormatOptions, era: Era) -> Vec<HistoryEntry> {
    let mut history = Vec::new();
    for message in selected(session, options.selection.unwrap_or(Selection::Current)) {
        // By type, not by role: injected words of either side were sent to the model, too.
        match message.kind {
            MessageKind::Gemini | MessageKind::Model => {
                let parts = if is_from_history(session, message) {
                    content_parts(message)
                } else {
                    model_parts(message, era)
                };
                add(&mut history, era, HistoryRole::Model, parts);
                let answers = message.tool_calls.iter().flat_map(answer);
                add(&mut history, era, HistoryRole::User, answers.collect());
            }
            MessageKind::User | MessageKind::Human => {
                add(&mut history, era, HistoryRole::User, content_parts(message));
            }
            // Notices of the user interface never reach the model.
            _ => {}
        }
    }
    history
}

fn add(history: &mut Vec<HistoryEntry>, era: Era, role: HistoryRole, parts: Vec<Raw>) {
    if parts.is_empty() {
        return;
    }
    match history.last_mut() {
        Some(last) if era == Era::Since44 && role == HistoryRole::User && last.role == role => {
            last.parts.extend(parts);
        }
        _ => history.push(HistoryEntry { role, parts }),
    }
}

/// The recorded content, or just the words if there is none.
fn content_parts(message: &Message) -> Vec<Raw> {
    match &message.content {
        Some(content) => parts(content).iter().map(|part| part.object()).collect(),
        None => vec![text_part(&message.text)],
    }
}

fn model_parts(message: &Message, era: Era) -> Vec<Raw> {
    let mut model_parts: Vec<_> = match &message.content {
        Some(content) => parts(content)
            .into_iter()
            // Calls come from the call records, which hold the arguments as they were sent.
            .filter(|part| !part.is_thought() && part.call().is_none())
            .filter(|part| part.text().is_none_or(|text| !text.is_empty()))
            .map(RecordedPart::object)
            .collect(),
        None if message.text.is_empty() => Vec::new(),
        None => vec![text_part(&message.text)],
    };
    model_parts.extend(message.tool_calls.iter().map(|call| call_part(call, era)));
    model_parts
}

fn call_part(call: &ToolCall, era: Era) -> Raw {
    let no_args = raw(&serde_json::Map::new());
    raw(&CallPart {
        function_call: FunctionCall {
            name: &call.name,
            args: call.args.as_ref().unwrap_or(&no_args),
            id: call_id(call, era),
        },
    })
}

/// The id of a call, if the history has it. Some releases before 0.44 had it there already: those that
/// begin it with the name of the tool and two underscores.
fn call_id(call: &ToolCall, era: Era) -> Option<&str> {
    let id = call.id.as_str();
    let after_name = id.strip_prefix(call.name.as_str());
    let is_sent = era == Era::Since44 || after_name.is_some_and(|it| it.starts_with("__"));
    (is_sent && !id.is_empty()).then_some(id)
}

/// Writes the value as `JSON.stringify(value, null, 2)` does, with its first line at the current position and the others indented by `depth`
/// levels. Scalars stay as written.
fn write_pretty(node: Node<'_>, depth: usize, out: &mut impl Write) -> io::Result<()> {
    match node.shape() {
        Shape::Object => {
            let members = node.members();
            write_block(("{", "}"), members, depth, out, |(name, value), out| {
                serde_json::to_writer(&mut *out, &name)?;
                out.write_all(b": ")?;
                write_pretty(value, depth + 1, out)
            })
        }
        Shape::Array => write_block(("[", "]"), node.items(), depth, out, |item, out| {
            write_pretty(item, depth + 1, out)
        }),
        Shape::String | Shape::Number | Shape::Bool | Shape::Null => {
            out.write_all(node.text().as_bytes())
        }
    }
}

/// Writes `items` between the brackets, one per line.
fn write_block<T, W: Write>(
    (open, close): (&str, &str),
    items: impl IntoIterator<Item = T>,
    depth: usize,
    out: &mut W,
    mut write_item: impl FnMut(T, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(open.as_bytes())?;
    let mut empty = true;
    for item in items {
        out.write_all(if empty { b"" } else { b"," })?;
        new_line(depth + 1, out)?;
        write_item(item, out)?;
        empty = false;
    }
    if !empty {
        new_line(depth, out)?;
    }
    out.write_all(close.as_bytes())
}

fn new_line(depth: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\n")?;
    (0..depth).try_for_each(|_| out.write_all(b"  "))
}
