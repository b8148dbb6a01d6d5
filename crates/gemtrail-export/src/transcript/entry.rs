//! What a transcript keeps of a message.

use serde::Serialize;

use gemtrail_core::json::Fields;
use gemtrail_core::model::{Message, Role, Session, ToolCall};
use gemtrail_core::view::Outcome;

use super::TranscriptOptions;
use crate::selected;

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

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
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
pub struct Entry<'a> {
    /// Who speaks.
    pub role: Speaker,
    /// When.
    pub time: Option<&'a str>,
    /// The words; may be empty if only tools were used.
    pub text: &'a str,
    /// The tools that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolUse<'a>>,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolUse<'a> {
    /// The tool's name as recorded.
    pub name: &'a str,
    /// Those of the arguments that tell what it was used on.
    pub args: Fields,
    /// Whether it failed.
    pub error: bool,
    /// Whether the person refused or stopped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

/// The dialogue.
pub fn entries<'a>(
    session: &'a Session,
    options: &TranscriptOptions,
) -> impl Iterator<Item = Entry<'a>> {
    let keys = options.keys.clone();
    let is_key = move |name: &str| match &keys {
        Some(keys) => keys.iter().any(|key| key == name),
        None => KEY_ARGUMENTS.contains(&name),
    };
    selected(session, options.selection).filter_map(move |message| entry(message, &is_key))
}

fn entry<'a>(message: &'a Message, is_key: &impl Fn(&str) -> bool) -> Option<Entry<'a>> {
    let role = match message.role {
        Role::Human => Speaker::Human,
        Role::Shell => Speaker::Shell,
        Role::Agent => Speaker::Agent,
        Role::Assistant => Speaker::Assistant,
        Role::Error => Speaker::Error,
        Role::Tool
        | Role::Context
        | Role::Hook
        | Role::Summary
        | Role::Info
        | Role::Warning
        | Role::Unknown => return None,
    };
    let text = match role {
        Speaker::Shell => shell_command(&message.text),
        _ => message.text.as_str(),
    };
    let calls = message.tool_calls.iter();
    let tool_calls: Vec<_> = calls.map(|call| tool_use(call, is_key)).collect();
    (!text.is_empty() || !tool_calls.is_empty()).then_some(Entry {
        role,
        time: message.time.as_deref(),
        text,
        tool_calls,
    })
}

fn tool_use<'a>(call: &'a ToolCall, is_key: &impl Fn(&str) -> bool) -> ToolUse<'a> {
    let mut args = Fields::default();
    let members = call.args.iter().flat_map(|args| args.node().members());
    for (name, value) in members {
        if is_key(&name) && !value.is_null() {
            args.set(&name, value.into());
        }
    }
    let outcome = Outcome::of(call);
    ToolUse {
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
