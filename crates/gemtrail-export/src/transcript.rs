//! `transcript` and `transcript-json`: the dialogue without the machinery.
//!
//! For writing about a session: what the person said, what the agent said, which tools it used on
//! what, and what went wrong. Thoughts, tokens, notices, injected context, complete arguments and
//! result bodies are left out.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{Message, Project, Role, Session, SessionId, ToolCall};
use gemtrail_core::view::Outcome;

use crate::jsonl::write_line;
use crate::markdown::{code_span, inert};
use crate::options::FormatOptions;
use crate::parts::{RecordedPart, parts};
use crate::text::Clean;
use crate::{Result, selected};

/// The arguments that show what a tool was used on.
pub const KEY_ARGUMENTS: [&str; 11] = [
    "file_path",
    "command",
    "path",
    "pattern",
    "query",
    "absolute_path",
    "dir_path",
    "paths",
    "url",
    "prompt",
    "objective",
];

/// Those of them that the first tools had.
pub const FIRST_KEY_ARGUMENTS: [&str; 5] = ["file_path", "command", "path", "pattern", "query"];

/// The speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Speaker"))]
#[serde(rename_all = "lowercase")]
pub enum TranscriptRole {
    /// The person.
    Human,
    /// The person, with a `!command` instead of words.
    Shell,
    /// An agent that asked another one.
    Agent,
    /// The model.
    Assistant,
    /// The user interface, about something that failed.
    Error,
}

/// One turn of the dialogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Entry"))]
pub struct TranscriptEntry<'a> {
    /// The speaker.
    pub role: TranscriptRole,
    /// The time.
    pub time: Option<&'a str>,
    /// The words; may be empty if only tools were used.
    pub text: &'a str,
    /// The tools that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<TranscriptCall<'a>>,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ToolUse"))]
pub struct TranscriptCall<'a> {
    /// The tool's name as recorded.
    pub name: &'a str,
    /// Those of the arguments that tell what it was used on.
    pub args: Fields,
    /// True if it failed.
    pub error: bool,
    /// True if the person refused or stopped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

/// The dialogue.
pub fn entries<'a>(
    session: &'a Session,
    options: &FormatOptions,
) -> impl Iterator<Item = TranscriptEntry<'a>> {
    let keys = options.keys.clone();
    let is_key = move |name: &str| match &keys {
        Some(keys) => keys.iter().any(|key| key == name),
        None => KEY_ARGUMENTS.contains(&name),
    };
    selected(session, options.selection.unwrap_or_default())
        .filter_map(move |message| entry(message, &is_key))
}

fn entry<'a>(message: &'a Message, is_key: &impl Fn(&str) -> bool) -> Option<TranscriptEntry<'a>> {
    let role = match message.role {
        Role::Human => TranscriptRole::Human,
        Role::Shell => TranscriptRole::Shell,
        Role::Agent => TranscriptRole::Agent,
        Role::Assistant => TranscriptRole::Assistant,
        Role::Error => TranscriptRole::Error,
        Role::Tool
        | Role::Context
        | Role::Hook
        | Role::Summary
        | Role::Info
        | Role::Warning
        | Role::Unknown => return None,
    };
    let text = match role {
        TranscriptRole::Shell => shell_command(&message.text),
        // A picture, say, without a word.
        TranscriptRole::Human if message.text.is_empty() && has_attachment(message) => {
            "[attachment]"
        }
        _ => message.text.as_str(),
    };
    let calls = message.tool_calls.iter();
    let tool_calls: Vec<_> = calls.map(|call| tool_use(call, is_key)).collect();
    (!text.is_empty() || !tool_calls.is_empty()).then_some(TranscriptEntry {
        role,
        time: message.time.as_deref(),
        text,
        tool_calls,
    })
}

/// True if something other than text was sent.
fn has_attachment(message: &Message) -> bool {
    let parts = message.content.as_ref().map(parts).unwrap_or_default();
    let is_data = |part: &RecordedPart<'_>| {
        let node = part.node();
        node.get("inlineData").is_some() || node.get("fileData").is_some()
    };
    !message.references.is_empty() || parts.iter().any(is_data)
}

fn tool_use<'a>(call: &'a ToolCall, is_key: &impl Fn(&str) -> bool) -> TranscriptCall<'a> {
    let mut args = Fields::default();
    let members = call.args.iter().flat_map(|args| args.node().members());
    for (name, value) in members {
        if is_key(&name) && !value.is_null() {
            args.set(&name, value.into());
        }
    }
    let outcome = Outcome::of(call);
    TranscriptCall {
        name: &call.name,
        args,
        error: outcome == Outcome::Failed,
        cancelled: outcome == Outcome::Cancelled,
    }
}

/// The command in the text that Gemini CLI records for `!command`; its output is a result body.
fn shell_command(text: &str) -> &str {
    text.split_once("```sh\n")
        .and_then(|(_, rest)| {
            rest.split_once("\n```\n\nThis produced the following result:")
                .or_else(|| rest.split_once("\n```"))
        })
        .map_or(text, |(command, _)| command)
}

/// The schema name of the document.
pub const TRANSCRIPT_SCHEMA: &str = "gemtrail.transcript/1";

/// The document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Transcript"))]
pub struct TranscriptDocument<'a> {
    /// Always `gemtrail.transcript/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = TRANSCRIPT_SCHEMA)))]
    pub schema: &'static str,
    /// The session id on disk.
    pub session: &'a SessionId,
    /// The project.
    pub project: &'a Project,
    /// The summary, else the first human words.
    pub title: Option<&'a str>,
    /// The start of the session.
    pub started: Option<&'a str>,
    /// The time of the last write.
    pub updated: Option<&'a str>,
    /// The dialogue.
    pub entries: Vec<TranscriptEntry<'a>>,
}

/// Writes `transcript-json`: one document and a newline.
pub fn write_json(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    let transcript = TranscriptDocument {
        schema: TRANSCRIPT_SCHEMA,
        session: &session.id,
        project: &session.project,
        title: session.title.as_deref(),
        started: session.started.as_deref(),
        updated: session.updated.as_deref(),
        entries: entries(session, options).collect(),
    };
    write_line(&transcript, out)
}

/// The level of the headings above turns.
const TURN_LEVEL: u8 = 2;

/// Writes `transcript`: a head with title and facts, then one section per turn.
pub fn write_markdown(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_head(session, out)?;
    for entry in entries(session, options) {
        write_entry(&entry, out)?;
    }
    Ok(())
}

fn write_head(session: &Session, out: &mut impl Write) -> io::Result<()> {
    let title = Clean::line(session.title.as_deref().unwrap_or("Session"));
    writeln!(out, "# {title}\n")?;
    let project = session
        .project
        .path
        .clone()
        .unwrap_or_else(|| session.project.name());
    let facts = [
        ("Session", Some(session.id.as_str())),
        ("Project", Some(project.as_str())),
        ("Started", session.started.as_deref()),
        ("Updated", session.updated.as_deref()),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            writeln!(out, "- {name}: {}", code(value))?;
        }
    }
    Ok(())
}

fn write_entry(entry: &TranscriptEntry<'_>, out: &mut impl Write) -> io::Result<()> {
    let speaker = match entry.role {
        TranscriptRole::Human | TranscriptRole::Shell => "Human",
        TranscriptRole::Agent => "Agent",
        TranscriptRole::Assistant => "Assistant",
        TranscriptRole::Error => "Error",
    };
    write!(out, "\n## {speaker}")?;
    if let Some(time) = entry.time {
        write!(out, " · {}", Clean::line(time))?;
    }
    writeln!(out)?;
    if entry.role == TranscriptRole::Shell {
        return writeln!(out, "\n- shell: {}", code(entry.text));
    }
    if !entry.text.is_empty() {
        // Headings in the words must not look like the next turn.
        let text = Clean::text(entry.text);
        writeln!(out, "\n{}", inert(&text, TURN_LEVEL))?;
    }
    if !entry.tool_calls.is_empty() {
        writeln!(out)?;
    }
    for call in &entry.tool_calls {
        write_tool_use(call, out)?;
    }
    Ok(())
}

fn write_tool_use(call: &TranscriptCall<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "- {}", code(call.name))?;
    for (index, (name, value)) in call.args.iter().enumerate() {
        let separator = if index == 0 { ": " } else { ", " };
        write!(out, "{separator}{name} {}", code(&plain(value)))?;
    }
    if call.error {
        write!(out, " (error)")?;
    }
    if call.cancelled {
        write!(out, " (cancelled)")?;
    }
    writeln!(out)
}

/// The characters of a string, or the JSON text of anything else.
fn plain(value: &Raw) -> Cow<'_, str> {
    value.node().as_str().unwrap_or(Cow::Borrowed(value.text()))
}

/// A code span, even of nothing.
fn code(text: &str) -> String {
    match code_span(text) {
        span if span.is_empty() => "`  `".to_owned(),
        span => span,
    }
}
