//! `native`: a JSONL journal that Gemini CLI lists and resumes.
//!
//! It holds the messages, not the way in which some version recorded them: no updates, no
//! checkpoints, and no tool answers in the user's name. The calls already contain those answers, so
//! Gemini CLI would send each of them to the model twice on resume.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    CallStatus, Message, MessageKind, Role, Session, Thought, Tokens, ToolCall,
};

use crate::ids::derived_uuid;
use crate::jsonl::write_line;
use crate::options::FormatOptions;
use crate::parts::{answer, parts, raw, text_part};
use crate::{Result, Selection, selected};

/// The value for an unknown hash. Gemini CLI accepts any that is not empty.
const UNKNOWN_HASH: &str = "unknown";

/// Writes a header line, a line of further facts if there are any, and a line per message.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_line(&header(session, options), out)?;
    let metadata = JournalMetadata::of(session);
    if !metadata.is_empty() {
        write_line(&Update { set: metadata }, out)?;
    }
    for message in selected(session, options.selection.unwrap_or(Selection::Current)) {
        write_line(&MessageRecord::of(message), out)?;
    }
    Ok(())
}

fn header<'a>(session: &'a Session, options: &'a FormatOptions) -> JournalHeader<'a> {
    let first_time = session.messages.iter().find_map(|m| m.time.as_deref());
    let start_time = session.started.as_deref().or(first_time);
    let updated = session.updated.as_deref().or(start_time);
    JournalHeader {
        session_id: session_id(session),
        project_hash: session.project.hash.as_deref().unwrap_or(UNKNOWN_HASH),
        start_time,
        last_updated: options.last_updated.as_deref().or(updated),
        // A subagent's journal would be deleted rather than listed.
        kind: "main",
    }
}

/// The session's id; checkpoints and shared conversations have none and get a derived one.
fn session_id(session: &Session) -> Cow<'_, str> {
    if !session.id.as_str().is_empty() {
        return Cow::Borrowed(session.id.as_str());
    }
    let mut purpose = vec!["native"];
    purpose.extend(session.stems.iter().map(String::as_str));
    purpose.extend(session.messages.iter().map(|message| message.text.as_str()));
    Cow::Owned(derived_uuid(&purpose))
}

/// The first line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JournalHeader<'a> {
    session_id: Cow<'a, str>,
    project_hash: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_updated: Option<&'a str>,
    kind: &'static str,
}

/// An update of the facts about the session.
#[derive(Debug, Serialize)]
struct Update<'a> {
    #[serde(rename = "$set")]
    set: JournalMetadata<'a>,
}

/// Optional facts about the session.
#[derive(Debug, Serialize)]
struct JournalMetadata<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    directories: Option<&'a [String]>,
    #[serde(flatten)]
    extra: &'a Fields,
}

impl<'a> JournalMetadata<'a> {
    fn of(session: &'a Session) -> Self {
        Self {
            summary: session.summary.as_deref(),
            directories: Some(&*session.directories).filter(|list| !list.is_empty()),
            extra: &session.extra,
        }
    }

    fn is_empty(&self) -> bool {
        self.summary.is_none() && self.directories.is_none() && self.extra.is_empty()
    }
}

/// One message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageRecord<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'a str,
    content: Cow<'a, Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_content: Option<&'a Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thoughts: Option<Vec<ThoughtRecord<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallRecord<'a>>,
    #[serde(flatten)]
    extra: &'a Fields,
}

impl<'a> MessageRecord<'a> {
    fn of(message: &'a Message) -> Self {
        let is_model = message.kind.is_model();
        Self {
            id: message.id.as_str(),
            timestamp: message.time.as_deref(),
            kind: kind(&message.kind).as_str(),
            content: content(message),
            display_content: message.display_content.as_ref(),
            thoughts: is_model.then(|| message.thoughts.iter().map(ThoughtRecord::of).collect()),
            tokens: message.tokens,
            model: message.model.as_deref(),
            tool_calls: message.tool_calls.iter().map(CallRecord::of).collect(),
            extra: &message.extra,
        }
    }
}

/// The type as Gemini CLI knows it.
fn kind(kind: &MessageKind) -> &MessageKind {
    match kind {
        MessageKind::Human => &MessageKind::User,
        MessageKind::Model => &MessageKind::Gemini,
        kind => kind,
    }
}

/// The recorded content; without one, the words in the form that Gemini CLI gives them.
fn content(message: &Message) -> Cow<'_, Raw> {
    match &message.content {
        Some(content) => match without_context(message, content) {
            Some(prompt) => Cow::Owned(prompt),
            None => Cow::Borrowed(content),
        },
        None if message.kind.is_user() => Cow::Owned(raw(&[text_part(&message.text)])),
        None => Cow::Owned(Raw::string(&message.text)),
    }
}

/// A prompt without the session context in front of it, if there is one: checkpoints and shared
/// conversations have both in one content. On resume Gemini CLI makes a new context and drops every
/// message that begins with an old one, prompt included.
fn without_context(message: &Message, content: &Raw) -> Option<Raw> {
    const START: &str = "<session_context>";
    const END: &str = "</session_context>";
    if message.role != Role::Human {
        return None;
    }
    let parts = parts(content);
    let (first, others) = parts.split_first()?;
    let text = first.text()?;
    if !text.trim_start().starts_with(START) {
        return None;
    }
    let behind = text.rfind(END).map(|at| &text[at + END.len()..]);
    let words = behind.map(str::trim_start).filter(|rest| !rest.is_empty());
    let prompt = words.map(text_part);
    let prompt = prompt
        .into_iter()
        .chain(others.iter().map(|part| part.object()));
    Some(raw(&prompt.collect::<Vec<_>>()))
}

#[derive(Debug, Serialize)]
struct ThoughtRecord<'a> {
    subject: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(flatten)]
    extra: &'a Fields,
}

impl<'a> ThoughtRecord<'a> {
    fn of(thought: &'a Thought) -> Self {
        Self {
            subject: &thought.subject,
            description: &thought.text,
            timestamp: thought.time.as_deref(),
            extra: &thought.extra,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CallRecord<'a> {
    id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<&'a Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Cow<'a, Raw>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_display: Option<&'a Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    render_output_as_markdown: Option<bool>,
    #[serde(flatten)]
    extra: &'a Fields,
}

impl<'a> CallRecord<'a> {
    fn of(call: &'a ToolCall) -> Self {
        Self {
            id: call.id.as_str(),
            name: &call.name,
            args: call.args.as_ref(),
            result: result(call),
            status: call.status.as_ref().map(CallStatus::as_str),
            timestamp: call.time.as_deref(),
            agent_id: call.agent.as_deref(),
            result_display: call.display.as_ref(),
            description: call.description.as_deref(),
            display_name: call.display_name.as_deref(),
            render_output_as_markdown: call.markdown,
            extra: &call.extra,
        }
    }
}

/// The answer as recorded, without answers to other calls of the same turn.
fn result(call: &ToolCall) -> Option<Cow<'_, Raw>> {
    let own = answer(call);
    match &call.result {
        // Anything but a list is the answer to this call and keeps its shape.
        Some(recorded) if recorded.node().items().count().max(1) == own.len() => {
            Some(Cow::Borrowed(recorded))
        }
        None if own.is_empty() => None,
        _ => Some(Cow::Owned(raw(&own))),
    }
}
