//! `events`: a session as a normalised event stream, JSON Lines of schema `gemtrail.event/1`.
//!
//! The stream has the shape that tools for several agents agree on: prompts, tool uses and tool
//! results between one start and one end, with canonical tool names. The model's own words are
//! events only on request.

mod clock;
mod stream;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use jiff::Timestamp;
use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::Session;

pub use stream::events;

use crate::Result;
use crate::TimedLine;
use crate::jsonl::write_line;
use crate::options::FormatOptions;
use crate::text::EscapeControls;

/// Writes one line per event.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    for event in events(session, options) {
        write_line(&event, out)?;
    }
    Ok(())
}

/// The lines of the session with their times.
pub(crate) fn timed_lines(session: &Session, options: &FormatOptions) -> Result<Vec<TimedLine>> {
    let timed = |event: SessionEvent<'_>| {
        let mut line = Vec::new();
        write_line(&event, &mut EscapeControls(&mut line))?;
        Ok((time_of(&event), line))
    };
    events(session, options).into_iter().map(timed).collect()
}

/// The time of an event, which is a time as a session has it or one of our own making.
fn time_of(event: &SessionEvent<'_>) -> Timestamp {
    event.timestamp.parse().unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The schema name of an event.
pub const EVENT_SCHEMA: &str = "gemtrail.event/1";

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The session began.
    SessionStart,
    /// The person asked something.
    UserPrompt,
    /// The model said something; only with `--assistant-text`.
    AssistantMessage,
    /// The model called a tool.
    ToolUse,
    /// The person refused or stopped a call.
    PermissionResult,
    /// A tool answered.
    ToolResult,
    /// The context was compressed.
    Compaction,
    /// The session ended.
    SessionEnd,
}

impl EventKind {
    /// The kind as written in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::UserPrompt => "user_prompt",
            Self::AssistantMessage => "assistant_message",
            Self::ToolUse => "tool_use",
            Self::PermissionResult => "permission_result",
            Self::ToolResult => "tool_result",
            Self::Compaction => "compaction",
            Self::SessionEnd => "session_end",
        }
    }
}

/// The outcome of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolOutcome<'a> {
    /// True if the call succeeded.
    pub success: bool,
    /// The answer; JSON text if it was not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Cow<'a, str>>,
    /// The error; JSON text if it was not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, str>>,
}

/// The origin of the event in the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Metadata"))]
pub struct EventMetadata<'a> {
    /// The entry of the conversation, counted from 0; the answers to a message's tool calls are an
    /// entry of their own.
    pub content_index: usize,
    /// The tool's name as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_tool_name: Option<Cow<'a, str>>,
    /// The message's id.
    pub message_id: &'a str,
    /// The tool call's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Cow<'a, str>>,
    /// The MCP server, for MCP tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<&'a str>,
    /// The server's own name for the tool, for MCP tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<&'a str>,
    /// The subagent that did the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'a str>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Event"))]
pub struct SessionEvent<'a> {
    /// Always `gemtrail.event/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = EVENT_SCHEMA)))]
    pub schema: &'static str,
    /// A UUID that is the same in every export of the session.
    pub id: String,
    /// The time, in UTC.
    pub timestamp: Cow<'a, str>,
    /// Always `gemini_cli`.
    pub harness: &'static str,
    /// The kind.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// The stem of the session's first file.
    pub session_id: &'a str,
    /// The tool's canonical name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<Cow<'a, str>>,
    /// The category of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<&'a str>,
    /// The tool's arguments, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<&'a Raw>,
    /// The outcome of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<ToolOutcome<'a>>,
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'a, str>>,
    /// True if the person let the tool run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_granted: Option<bool>,
    /// The project's root path, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<&'a str>,
    /// The origin in the session; not for start and end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<EventMetadata<'a>>,
}
