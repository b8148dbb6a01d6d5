//! What a tool call shows below its line.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Shape};
use gemtrail_core::model::ToolCall;
use gemtrail_core::tools::{Action, PATH_ARGUMENTS};

use super::diff::Diff;
use super::language::language_of;
use super::summary;
use super::terminal::Terminal;
use super::todo::{self, Todo};
use crate::text::Clean;

/// The result of a call.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// Nothing worth showing.
    Nothing,
    /// Text to show as is.
    Text {
        /// The text.
        text: Clean<'a>,
        /// Its language, for highlighting.
        language: Option<&'static str>,
    },
    /// Text that was written as Markdown.
    Prose(Clean<'a>),
    /// An edit.
    Diff(Diff<'a>),
    /// A plan.
    Todos(Vec<Todo<'a>>),
    /// A terminal screen.
    Terminal(Terminal<'a>),
}

impl<'a> Body<'a> {
    /// What to show: what the user interface showed, what the arguments say, or the output as is.
    pub(super) fn of(
        call: &'a ToolCall,
        action: Action,
        shell_output: &'a str,
        root: Option<&str>,
    ) -> Self {
        if let Some(body) = displayed(call, root) {
            return match body {
                // A screen holds what was visible; the report may hold more.
                Body::Terminal(terminal) if terminal.lines.len() < shell_output.lines().count() => {
                    text(shell_output, None)
                }
                body => body,
            };
        }
        let args = call.args.as_ref().map(|args| args.node());
        if let Some(body) = args.and_then(|args| proposed(action, args, root)) {
            return body;
        }
        let output = match action {
            Action::Shell => shell_output,
            _ => call.output.as_deref().unwrap_or_default(),
        };
        if call.error.as_deref() == Some(output) {
            return Body::Nothing;
        }
        match action {
            Action::Read => {
                let path = args.and_then(|args| path_of(args));
                text(output, path.and_then(|path| language_of(&path)))
            }
            Action::Agent => agent_report(output),
            Action::Fetch => prose(output),
            _ => text(output, None),
        }
    }
}

/// An agent reports in Markdown, or in the JSON of its output schema.
fn agent_report(output: &str) -> Body<'_> {
    let report = match output.split_once("\nResult:\n") {
        Some((preamble, report)) if preamble.starts_with("Subagent '") => report.trim(),
        _ => output.trim(),
    };
    if report.starts_with('{') {
        text(report, Some("json"))
    } else {
        prose(report)
    }
}

fn prose(output: &str) -> Body<'_> {
    match output.trim() {
        "" => Body::Nothing,
        words => Body::Prose(Clean::text(words)),
    }
}

fn text<'a>(output: &'a str, language: Option<&'static str>) -> Body<'a> {
    let output = output.trim_end();
    if output.is_empty() {
        return Body::Nothing;
    }
    Body::Text {
        text: Clean::text(output),
        language,
    }
}

/// What the user interface showed, where that is more than text.
fn displayed<'a>(call: &'a ToolCall, root: Option<&str>) -> Option<Body<'a>> {
    let node = call.display.as_ref()?.node();
    match node.shape() {
        Shape::Array => Terminal::read(node).map(Body::Terminal),
        Shape::Object => todo::todos(node)
            .map(Body::Todos)
            .or_else(|| file_diff(node, root)),
        _ => None,
    }
}

fn file_diff<'a>(node: Node<'a>, root: Option<&str>) -> Option<Body<'a>> {
    let text = node.get("fileDiff")?.as_str()?;
    let path = ["filePath", "fileName"]
        .iter()
        .find_map(|name| node.get(name)?.as_str())
        .unwrap_or_default();
    let diff = Diff::unified(summary::within(path, root), Clean::text(text));
    (!diff.is_empty()).then_some(Body::Diff(diff))
}

/// What the arguments say, for versions that did not record what was shown.
fn proposed<'a>(action: Action, args: Node<'a>, root: Option<&str>) -> Option<Body<'a>> {
    let text = |name: &str| args.get(name)?.as_str();
    let file = || summary::within(path_of(args).unwrap_or_default(), root);
    let diff = match action {
        Action::Plan => return todo::todos(args).map(Body::Todos),
        Action::Write => Diff::new_file(file(), &text("content")?),
        Action::Edit => Diff::replacement(file(), &text("old_string")?, &text("new_string")?),
        _ => return None,
    };
    (!diff.is_empty()).then_some(Body::Diff(diff))
}

fn path_of(args: Node<'_>) -> Option<Cow<'_, str>> {
    PATH_ARGUMENTS
        .iter()
        .find_map(|name| args.get(name)?.as_str())
}
