//! A tool call as a person reads it: one line, and its details.

use std::borrow::Cow;

use gemtrail_core::json::Shape;
use gemtrail_core::model::{CallStatus, Session, ToolCall};
use gemtrail_core::tools::Action;
use gemtrail_core::view::{Outcome, ShellReport};
use jiff::tz::TimeZone;

use super::attachment::{Attachment, answered};
use super::body::Body;
use super::summary;
use super::time::Moment;
use super::todo;
use crate::text::{Clean, amount, plural};

/// One argument of a call.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Its name.
    pub name: Clean<'a>,
    /// A string as is, anything else as JSON.
    pub value: Clean<'a>,
    /// Whether the value is a string.
    pub is_text: bool,
}

/// A file that holds an output too large for the session.
#[derive(Clone, Debug)]
pub struct SpilledOutput<'a> {
    /// Where it was written, on the recording machine.
    pub path: Clean<'a>,
    /// Its size, if it still exists.
    pub bytes: Option<u64>,
}

/// What a subagent did.
#[derive(Clone, Debug)]
pub struct SubagentWork<'a> {
    /// The agent's name.
    pub name: Clean<'a>,
    /// Its session.
    pub session: &'a Session,
}

/// A tool call, ready to be shown.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The tool's name as recorded.
    pub name: Clean<'a>,
    /// The MCP server, for MCP tools.
    pub server: Option<Clean<'a>>,
    /// How it ended.
    pub outcome: Outcome,
    /// The status as recorded.
    pub status: Option<Clean<'a>>,
    /// What was done, in a word: `read`.
    pub verb: Clean<'a>,
    /// On what: `src/retry.rs`. May be empty.
    pub target: Clean<'a>,
    /// How much of it: `180 lines`. May be empty.
    pub measure: String,
    /// The arguments that the body does not already show.
    pub arguments: Vec<Argument<'a>>,
    /// The result.
    pub body: Body<'a>,
    /// What went wrong.
    pub error: Option<Clean<'a>>,
    /// Where the whole output was written when it was too large.
    pub spilled: Option<SpilledOutput<'a>>,
    /// The subagent that did the work.
    pub subagent: Option<SubagentWork<'a>>,
    /// Pictures and other binary answers.
    pub attachments: Vec<Attachment<'a>>,
    /// When it ended.
    pub moment: Option<Moment<'a>>,
}

/// What presenting a call needs to know about its session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a, 'o> {
    pub(super) root: Option<&'a str>,
    pub(super) subagents: &'a [Session],
    pub(super) zone: &'o TimeZone,
}

impl<'a> Call<'a> {
    pub(super) fn new(call: &'a ToolCall, scope: Scope<'a, '_>) -> Self {
        let action = Action::of(call);
        let (verb, target) = summary::verb_and_target(call, scope.root);
        let report = ShellReport::read(match action {
            Action::Shell => call.output.as_deref().unwrap_or_default(),
            _ => "",
        });
        let subagent = SubagentWork::of(call, scope.subagents);
        let body = Body::of(call, action, report.output, scope.root);
        let measure = measure(call, action, &body, subagent.as_ref());
        Self {
            name: Clean::line(call.name.as_str()),
            server: call.server.as_deref().map(Clean::line),
            outcome: Outcome::of(call),
            status: call
                .status
                .as_ref()
                .map(|status| Clean::line(status.as_str())),
            verb,
            target,
            measure: measure.unwrap_or_default(),
            arguments: arguments(call, &body),
            body,
            error: said(call.error.as_deref()).map(Clean::text),
            spilled: call.output_file.as_ref().map(|file| SpilledOutput {
                path: Clean::line(file.path.as_str()),
                bytes: file.bytes,
            }),
            subagent,
            attachments: answered(call),
            moment: call
                .time
                .as_deref()
                .map(|time| Moment::new(time, scope.zone)),
        }
    }
}

impl Argument<'_> {
    /// The value as JSON.
    fn json(&self) -> Cow<'_, str> {
        if self.is_text {
            // Serialising a `str` cannot fail.
            serde_json::to_string(self.value.as_str())
                .unwrap_or_default()
                .into()
        } else {
            Cow::Borrowed(&self.value)
        }
    }
}

impl Call<'_> {
    /// The arguments as a JSON object: on one line if it is short, otherwise one member per line;
    /// empty if there are none.
    pub fn arguments_json(&self) -> String {
        const SHORT: usize = 100;
        if let [only] = self.arguments.as_slice()
            && only.name.is_empty()
        {
            return only.json().into_owned();
        }
        let members: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| {
                let name = serde_json::Value::from(argument.name.as_str());
                format!("{name}: {}", argument.json())
            })
            .collect();
        if members.is_empty() {
            return String::new();
        }
        let line = format!("{{{}}}", members.join(", "));
        if line.len() <= SHORT {
            return line;
        }
        format!("{{\n  {}\n}}", members.join(",\n  "))
    }
}

fn measure(
    call: &ToolCall,
    action: Action,
    body: &Body<'_>,
    subagent: Option<&SubagentWork<'_>>,
) -> Option<String> {
    match (&call.status, body) {
        (Some(CallStatus::Error), _) => None,
        (Some(CallStatus::Cancelled), _) => Some("cancelled".to_owned()),
        (_, Body::Diff(diff)) => Some(format!("+{} −{}", diff.added, diff.removed)),
        (_, Body::Todos(todos)) => Some(format!(
            "{} of {} done",
            todo::completed(todos),
            todos.len()
        )),
        _ => match (subagent, call.exit_code) {
            (Some(work), _) => Some(work.measure()),
            (None, Some(code)) if code != 0 => Some(format!("exit {code}")),
            _ => summary::found(action, call),
        },
    }
}

impl<'a> SubagentWork<'a> {
    /// Finds the session of the subagent that did the work of a call.
    pub(super) fn of(call: &'a ToolCall, subagents: &'a [Session]) -> Option<Self> {
        let agent = call.agent.as_deref()?;
        let session = subagents.iter().find(|session| {
            session.id.as_str() == agent || session.stems.iter().any(|stem| stem == agent)
        })?;
        Some(Self {
            name: summary::agent_name(call),
            session,
        })
    }

    /// `8 calls, 212k tokens`.
    pub fn measure(&self) -> String {
        let calls = plural(self.session.counts.tool_calls, "call");
        format!("{calls}, {} tokens", amount(self.session.tokens.total))
    }
}

/// The arguments, except those that the body shows better.
fn arguments<'a>(call: &'a ToolCall, body: &Body<'_>) -> Vec<Argument<'a>> {
    let shown_by_body: &[&str] = match body {
        Body::Diff(_) => &["content", "old_string", "new_string", "ai_proposed_content"],
        Body::Todos(_) => &["todos"],
        _ => &[],
    };
    let Some(args) = &call.args else {
        return Vec::new();
    };
    let node = args.node();
    if node.shape() != Shape::Object {
        return vec![Argument {
            name: Clean::default(),
            value: Clean::text(node.text()),
            is_text: false,
        }];
    }
    node.members()
        .filter(|(name, _)| !shown_by_body.contains(&name.as_ref()))
        .map(|(name, value)| Argument {
            name: Clean::line(name),
            is_text: value.shape() == Shape::String,
            value: match value.as_str() {
                Some(text) => Clean::text(text),
                None => Clean::text(value.text()),
            },
        })
        .collect()
}

/// Text, unless it says nothing.
fn said(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}
