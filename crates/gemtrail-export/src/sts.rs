//! `sts`: session traces as the Hugging Face Hub shows them, one session per file, in the Hub's own
//! form for agents that it does not know.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use gemtrail_core::model::{Message, Role, Session, ToolCall};
use gemtrail_core::time::Timestamp;

use crate::foreign::{HARNESS, arguments, iso, moment, reasoning, said, told};
use crate::ids::UniqueIds;
use crate::jsonl::write_line;
use crate::options::FormatOptions;
use crate::{Result, Selection, selected};

/// Writes a header line, then a line per message and per answer to a call.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_line(&StsHeader::of(session), out)?;
    let mut ids = UniqueIds::default();
    for message in selected(session, options.selection.unwrap_or(Selection::Current)) {
        let Some(role) = role(message.role) else {
            continue;
        };
        let calls = message.tool_calls.iter();
        let ids: Vec<String> = calls.clone().map(|call| ids.of_call(call)).collect();
        write_line(&line(role, message, &ids), out)?;
        for (call, id) in calls.zip(&ids) {
            write_line(&answer(call, id), out)?;
        }
    }
    Ok(())
}

/// The role of a speaker. What the user interface said is left out.
fn role(role: Role) -> Option<&'static str> {
    match role {
        Role::Human | Role::Agent | Role::Shell => Some("user"),
        Role::Assistant => Some("assistant"),
        Role::Context | Role::Hook | Role::Summary | Role::Tool => Some("system"),
        Role::Info | Role::Warning | Role::Error | Role::Unknown => None,
    }
}

#[derive(Serialize)]
struct StsHeader<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    harness: &'static str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
}

impl<'a> StsHeader<'a> {
    fn of(session: &'a Session) -> Self {
        Self {
            kind: "session",
            harness: HARNESS,
            id: session.id.as_str(),
            name: session.title.as_deref(),
            timestamp: iso(session.started.as_deref()),
        }
    }
}

#[derive(Serialize)]
struct StsLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    /// Not part of the format, but where the `datasets` library looks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    message: HubMessage<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HubMessage<'a> {
    role: &'static str,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<HubCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    /// In milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<i64>,
    /// Always on an answer and never on anything else: the `datasets` library takes a file for a
    /// trace only if its messages differ in their keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
}

#[derive(Serialize)]
struct HubCall<'a> {
    id: &'a str,
    function: StsFunction<'a>,
}

#[derive(Serialize)]
struct StsFunction<'a> {
    name: &'a str,
    arguments: String,
}

fn line<'a>(role: &'static str, message: &'a Message, ids: &'a [String]) -> StsLine<'a> {
    let time = message.time.as_deref();
    let is_answer = message.role == Role::Assistant;
    let calls = message.tool_calls.iter().zip(ids);
    StsLine {
        kind: "message",
        timestamp: iso(time),
        message: HubMessage {
            role,
            content: said(message),
            reasoning_content: reasoning(message),
            tool_calls: calls
                .map(|(call, id)| HubCall {
                    id,
                    function: StsFunction {
                        name: &call.name,
                        arguments: arguments(call).text().to_owned(),
                    },
                })
                .collect(),
            tool_call_id: None,
            timestamp: moment(time).map(Timestamp::as_millisecond),
            model: is_answer.then(|| message.model.as_deref().unwrap_or("unknown")),
        },
    }
}

fn answer<'a>(call: &'a ToolCall, id: &'a str) -> StsLine<'a> {
    let time = call.time.as_deref();
    StsLine {
        kind: "message",
        timestamp: iso(time),
        message: HubMessage {
            role: "tool",
            content: told(call),
            reasoning_content: None,
            tool_calls: Vec::new(),
            tool_call_id: Some(id),
            timestamp: moment(time).map(Timestamp::as_millisecond),
            model: None,
        },
    }
}
