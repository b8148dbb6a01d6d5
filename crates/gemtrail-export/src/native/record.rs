//! The records of a journal as Gemini CLI writes them.

use std::borrow::Cow;

use serde::Serialize;

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    CallStatus, Message, MessageKind, Role, Session, Thought, Tokens, ToolCall,
};

use crate::answer::answer;
use crate::parts::{parts, raw, text_part};

/// The first line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header<'a> {
    pub(super) session_id: Cow<'a, str>,
    pub(super) project_hash: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_updated: Option<&'a str>,
    pub(super) kind: &'static str,
}

/// An update of the facts about the session.
#[derive(Debug, Serialize)]
pub(super) struct Update<'a> {
    #[serde(rename = "$set")]
    pub(super) set: Metadata<'a>,
}

/// Optional facts about the session.
#[derive(Debug, Serialize)]
pub(super) struct Metadata<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    directories: Option<&'a [String]>,
    #[serde(flatten)]
    extra: &'a Fields,
}

impl<'a> Metadata<'a> {
    pub(super) fn of(session: &'a Session) -> Self {
        Self {
            summary: session.summary.as_deref(),
            directories: Some(&*session.directories).filter(|list| !list.is_empty()),
            extra: &session.extra,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.summary.is_none() && self.directories.is_none() && self.extra.is_empty()
    }
}

/// One message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessageRecord<'a> {
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
    pub(super) fn of(message: &'a Message) -> Self {
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
