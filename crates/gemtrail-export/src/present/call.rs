//! A tool call as a person reads it: the line that says what it did (`read src/retry.rs 180 lines`),
//! and its details.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::{CallStatus, Session, ToolCall};
use gemtrail_core::tools::{self, Action, Tool};
use gemtrail_core::view::{Outcome, ShellReport};
use jiff::tz::TimeZone;

use super::attachment::{Attachment, answered};
use super::body;
use super::body::Body;
use super::time::Moment;
use crate::text::{Clean, amount, plural};

/// One argument of a call.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Its name.
    pub name: Clean<'a>,
    /// A string as is, anything else as JSON.
    pub value: Clean<'a>,
    /// True if the value is a string.
    pub is_text: bool,
}

/// A file that holds an output too large for the session.
#[derive(Clone, Debug)]
pub struct SpilledOutput<'a> {
    /// Its path on the recording machine.
    pub path: Clean<'a>,
    /// Its size, if it still exists.
    pub bytes: Option<u64>,
}

/// The work of a subagent.
#[derive(Clone, Debug)]
pub struct SubagentWork<'a> {
    /// The agent's name.
    pub name: Clean<'a>,
    /// Its session.
    pub session: &'a Session,
}

/// A tool call, ready to be shown.
#[derive(Clone, Debug)]
pub struct CallBlock<'a> {
    /// The tool's name as recorded.
    pub name: Clean<'a>,
    /// The MCP server, for MCP tools.
    pub server: Option<Clean<'a>>,
    /// The outcome.
    pub outcome: Outcome,
    /// The status as recorded, unless the answer says otherwise.
    pub status: Option<Clean<'a>>,
    /// The verb: `read`.
    pub verb: Clean<'a>,
    /// On what: `src/retry.rs`. May be empty.
    pub target: Clean<'a>,
    /// The extent: `180 lines`. May be empty.
    pub measure: String,
    /// The arguments that the body does not already show.
    pub arguments: Vec<Argument<'a>>,
    /// The result.
    pub body: Body<'a>,
    /// The error.
    pub error: Option<Clean<'a>>,
    /// The file with the whole output, if that was too large.
    pub spilled: Option<SpilledOutput<'a>>,
    /// The subagent that did the work.
    pub subagent: Option<SubagentWork<'a>>,
    /// Pictures and other binary answers.
    pub attachments: Vec<Attachment<'a>>,
    /// The time of its end.
    pub moment: Option<Moment<'a>>,
}

/// The properties of a session that presenting its calls needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallScope<'a, 'o> {
    pub(super) root: Option<&'a str>,
    pub(super) subagents: &'a [Session],
    pub(super) zone: &'o TimeZone,
}

impl<'a> CallBlock<'a> {
    /// How it ended: the recorded status, unless the command failed although its call succeeded.
    pub fn ended(&self) -> &str {
        match self.status.as_deref() {
            Some("success") if self.outcome == Outcome::Failed && !self.measure.is_empty() => {
                &self.measure
            }
            Some(status) => status,
            None => "no answer recorded",
        }
    }

    pub(super) fn new(call: &'a ToolCall, scope: CallScope<'a, '_>) -> Self {
        let action = Action::of(call);
        let (verb, target) = verb_and_target(call, scope.root);
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
            status: status(call).map(Clean::line),
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

impl CallBlock<'_> {
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

/// Gemini CLI records success for every command that ran.
fn status(call: &ToolCall) -> Option<Cow<'_, str>> {
    let status = call.status.as_ref()?;
    let is_failed = *status == CallStatus::Success && Outcome::of(call).is_failed();
    Some(match call.exit_code {
        Some(code) if is_failed && code != 0 => format!("exit {code}").into(),
        _ if is_failed => "failed".into(),
        _ => status.as_str().into(),
    })
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
            body::completed(todos),
            todos.len()
        )),
        _ => match (subagent, call.exit_code) {
            (Some(work), _) => Some(work.measure()),
            (None, Some(code)) if code != 0 => Some(format!("exit {code}")),
            _ => found(action, call),
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
            name: agent_name(call),
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

/// The longest target that is shown; a command can be a script.
const TARGET_LIMIT: usize = 200;

/// The verb and its target.
pub(crate) fn verb_and_target<'a>(
    call: &'a ToolCall,
    root: Option<&str>,
) -> (Clean<'a>, Clean<'a>) {
    let action = Action::of(call);
    if action == Action::Agent {
        return (Clean::line("agent"), agent_name(call));
    }
    let tool = tools::canonical(&call.name);
    let verb = tool.verb.map_or_else(|| own_name(call), Clean::line);
    let args = call.args.as_ref().map(|args| args.node());
    let target = args.map_or(Clean::default(), |args| target(args, &tool, root));
    let target = match (action, args) {
        (Action::Search, Some(args)) => search_target(&target, args, root),
        _ => target,
    };
    (verb, shortened(target))
}

/// The name of the agent that a call started.
pub(super) fn agent_name(call: &ToolCall) -> Clean<'_> {
    let named = |raw: Option<&'_ Raw>, member: &str| {
        let name = raw?.node().get(member)?.as_str()?.into_owned();
        (!name.is_empty()).then_some(name)
    };
    named(call.args.as_ref(), "agent_name")
        .or_else(|| named(call.display.as_ref(), "agentName"))
        .map_or_else(|| Clean::line(call.name.as_str()), Clean::line)
}

/// The extent of what was read, listed or found.
pub(super) fn found(action: Action, call: &ToolCall) -> Option<String> {
    let output = call.output.as_deref().unwrap_or_default();
    match action {
        Action::Read if output.is_empty() => None,
        Action::Read => Some(plural(line_count(output), "line")),
        Action::List => counted(call, output).map(|n| plural(n, "item")),
        Action::Find => counted(call, output).map(|n| plural(n, "file")),
        Action::Search => counted(call, output).map(|n| plural(n, "match")),
        _ => None,
    }
}

/// Counts lines like [`str::lines`], only faster.
fn line_count(text: &str) -> usize {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    ends + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The number in the tool's own summary: `Found 6 matches`, `Listed 3 item(s).`
fn counted(call: &ToolCall, output: &str) -> Option<u64> {
    let shown = call.display.as_ref().and_then(|display| {
        let node = display.node();
        node.get("summary").unwrap_or(node).as_str()
    });
    let line = match &shown {
        Some(shown) if !shown.is_empty() => shown.as_ref(),
        _ => output.lines().next()?,
    };
    if line.starts_with("No ") {
        return Some(0);
    }
    let mut words = line.split_whitespace();
    words.find(|word| matches!(*word, "Found" | "Listed"))?;
    words.next()?.parse().ok()
}

/// The name of a tool that is not built in.
fn own_name(call: &ToolCall) -> Clean<'_> {
    Clean::line(match &call.server {
        Some(server) => tools::mcp_tool(&call.name, server),
        None => call.name.as_str(),
    })
}

/// The most likely argument that is present; otherwise the first string among all of them.
fn target<'a>(args: Node<'a>, tool: &Tool<'_>, root: Option<&str>) -> Clean<'a> {
    tool.key_arguments
        .iter()
        .find_map(|name| args.get(name).and_then(words))
        .or_else(|| args.members().find_map(|(_, value)| words(value)))
        .map_or_else(Clean::default, |words| within(words, root))
}

/// An argument in words: a string, or the strings of a list.
fn words(node: Node<'_>) -> Option<Cow<'_, str>> {
    match node.shape() {
        Shape::String => node.as_str().filter(|text| !text.trim().is_empty()),
        Shape::Array => {
            let list: Vec<_> = node.items().filter_map(item_words).collect();
            (!list.is_empty()).then(|| Cow::Owned(list.join(", ")))
        }
        _ => None,
    }
}

/// An entry of a list: a string, or a question put to the person.
fn item_words(node: Node<'_>) -> Option<Cow<'_, str>> {
    node.as_str().or_else(|| node.get("question")?.as_str())
}

fn search_target<'a>(pattern: &Clean<'a>, args: Node<'_>, root: Option<&str>) -> Clean<'a> {
    let place = ["dir_path", "path", "include_pattern", "include"]
        .iter()
        .find_map(|name| args.get(name).and_then(words))
        .map(|place| within(place, root));
    match place {
        Some(place) => Clean::line(format!("\"{pattern}\" in {place}")),
        None => Clean::line(format!("\"{pattern}\"")),
    }
}

/// Shortens a path inside the project to a relative one.
pub(super) fn within<'a>(path: Cow<'a, str>, root: Option<&str>) -> Clean<'a> {
    let inside = root.and_then(|root| {
        let rest = path.strip_prefix(root.trim_end_matches(['/', '\\']))?;
        let inside = rest.strip_prefix(['/', '\\']);
        match inside {
            None if !rest.is_empty() => None,
            None | Some("") => Some(".".to_owned()),
            Some(inside) => Some(inside.to_owned()),
        }
    });
    match inside {
        Some(inside) => Clean::line(inside),
        None => Clean::line(path),
    }
}

/// Cuts a long target at a character boundary.
fn shortened(target: Clean<'_>) -> Clean<'_> {
    match target.char_indices().nth(TARGET_LIMIT) {
        Some((end, _)) => Clean::line(format!("{}…", &target[..end])),
        None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, args: &str, output: &str) -> ToolCall {
        let tool = tools::canonical(name);
        ToolCall {
            name: name.to_owned(),
            canonical: tool.canonical.into_owned(),
            category: tool.category.to_owned(),
            args: Raw::parse(args),
            output: Some(output.to_owned()),
            ..ToolCall::default()
        }
    }

    fn line(name: &str, args: &str, output: &str) -> String {
        let call = call(name, args, output);
        let (verb, target) = verb_and_target(&call, Some("/src/app/"));
        let found = found(Action::of(&call), &call).unwrap_or_default();
        format!("{verb} {target} {found}").trim_end().to_owned()
    }

    #[test]
    fn says_what_a_call_did() {
        let lines = [
            line(
                "read_file",
                r#"{"file_path":"/src/app/a.rs"}"#,
                "one\ntwo\n",
            ),
            line("read_file", r#"{"absolute_path":"/src/apple/a.rs"}"#, ""),
            line(
                "list_directory",
                r#"{"path":"/src/app"}"#,
                "Directory listing for /src/app:\n",
            ),
            line(
                "glob",
                r#"{"pattern":"**/*.js"}"#,
                "Found 2 file(s) matching",
            ),
            line(
                "grep_search",
                r#"{"pattern":"TODO","dir_path":"/src/app/lib"}"#,
                "Found 1 match for",
            ),
            line(
                "search_file_content",
                r#"{"pattern":"x"}"#,
                "No matches found for",
            ),
            line(
                "run_shell_command",
                r#"{"description":"d","command":"make\n  all"}"#,
                "",
            ),
            line(
                "invoke_agent",
                r#"{"agent_name":"helper","prompt":"go"}"#,
                "",
            ),
            line(
                "ask_user",
                r#"{"questions":[{"question":"Which?"},{"question":"Why?"}]}"#,
                "",
            ),
            line("frobnicate", r#"{"depth":3,"thing":"a widget"}"#, ""),
            line("frobnicate", "[1]", ""),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        read a.rs 2 lines
        read /src/apple/a.rs
        list .
        find **/*.js 2 files
        search "TODO" in lib 1 match
        search "x" 0 matches
        shell make all
        agent helper
        ask Which?, Why?
        frobnicate a widget
        frobnicate
        "#);
    }

    #[test]
    fn a_tool_of_a_server_goes_by_its_own_name() {
        let mut call = call("mcp_github_search_code", r#"{"q":"retry"}"#, "");
        call.server = Some("github".to_owned());
        let (verb, target) = verb_and_target(&call, None);
        assert_eq!((verb.as_str(), target.as_str()), ("search_code", "retry"));
    }

    #[test]
    fn a_long_command_is_cut() {
        let args = format!(r#"{{"command":"{}"}}"#, "语".repeat(5000));
        let call = call("run_shell_command", &args, "");
        let (_, target) = verb_and_target(&call, None);
        assert_eq!(target.chars().count(), TARGET_LIMIT + 1);
    }
}
