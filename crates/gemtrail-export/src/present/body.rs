//! The body of a tool call below its line: text, an edit, a plan, a terminal screen.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Shape};
use gemtrail_core::model::ToolCall;
use gemtrail_core::tools::{Action, PATH_ARGUMENTS};

use super::call;
use super::diff::Diff;
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
    /// The best body there is: what the user interface showed, what the arguments say, or the output.
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

/// The body that the user interface showed, where that is more than text.
fn displayed<'a>(call: &'a ToolCall, root: Option<&str>) -> Option<Body<'a>> {
    let node = call.display.as_ref()?.node();
    match node.shape() {
        Shape::Array => Terminal::read(node).map(Body::Terminal),
        Shape::Object => todos(node)
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
    let diff = Diff::unified(call::within(path, root), Clean::text(text));
    (!diff.is_empty()).then_some(Body::Diff(diff))
}

/// The body by the arguments, for versions that did not record what was shown.
fn proposed<'a>(action: Action, args: Node<'a>, root: Option<&str>) -> Option<Body<'a>> {
    let text = |name: &str| args.get(name)?.as_str();
    let file = || call::within(path_of(args).unwrap_or_default(), root);
    let diff = match action {
        Action::Plan => return todos(args).map(Body::Todos),
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

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoStatus {
    /// Not started.
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
    /// Waiting for something else.
    Blocked,
}

impl TodoStatus {
    fn parse(text: &str) -> Self {
        match text {
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "cancelled" => Self::Cancelled,
            "blocked" => Self::Blocked,
            _ => Self::Pending,
        }
    }

    /// The status in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo<'a> {
    /// The step.
    pub text: Clean<'a>,
    /// Its progress.
    pub status: TodoStatus,
}

/// The steps that an object lists under `todos`.
pub(super) fn todos(node: Node<'_>) -> Option<Vec<Todo<'_>>> {
    let list = node.get("todos")?;
    let todos: Vec<_> = list.items().filter_map(read_todo).collect();
    (!todos.is_empty()).then_some(todos)
}

fn read_todo(node: Node<'_>) -> Option<Todo<'_>> {
    let text = node.get("description")?.as_str()?;
    let status = node.get("status").and_then(Node::as_str);
    Some(Todo {
        text: Clean::line(text),
        status: TodoStatus::parse(status.as_deref().unwrap_or_default()),
    })
}

/// The number of completed steps.
pub(super) fn completed(todos: &[Todo<'_>]) -> usize {
    todos
        .iter()
        .filter(|todo| todo.status == TodoStatus::Completed)
        .count()
}

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Parses `#rrggbb`. Anything else is `None`, including the empty string, which means the
    /// terminal's own colour.
    fn parse(text: &str) -> Option<Self> {
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let channel = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        Some(Self(channel(0)?, channel(2)?, channel(4)?))
    }
}

/// The style of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpanStyle {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Faint.
    pub dim: bool,
    /// Foreground and background swapped.
    pub inverse: bool,
    /// The foreground, unless it is the terminal's own.
    pub foreground: Option<Rgb>,
    /// The background, unless it is the terminal's own.
    pub background: Option<Rgb>,
}

/// A run of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalSpan<'a> {
    /// The text, on one line.
    pub text: Clean<'a>,
    /// Its style.
    pub style: SpanStyle,
}

/// The lines of a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terminal<'a> {
    /// Each line as its spans.
    pub lines: Vec<Vec<TerminalSpan<'a>>>,
}

impl<'a> Terminal<'a> {
    /// Parses the array of arrays that Gemini CLI records.
    pub(super) fn read(node: Node<'a>) -> Option<Self> {
        if node.shape() != Shape::Array {
            return None;
        }
        let mut lines: Vec<Vec<_>> = node
            .items()
            .map(|line| line.items().filter_map(read_span).collect())
            .collect();
        lines.iter_mut().for_each(cut_padding);
        let used = lines
            .iter()
            .rposition(|line| !line.is_empty())
            .map_or(0, |at| at + 1);
        lines.truncate(used);
        (!lines.is_empty()).then_some(Self { lines })
    }

    /// The text without colours.
    pub fn plain(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            for span in line {
                out.push_str(&span.text);
            }
            out.push('\n');
        }
        out
    }

    /// Every colour in it.
    pub fn colours(&self) -> impl Iterator<Item = Rgb> {
        self.lines
            .iter()
            .flatten()
            .flat_map(|span| [span.style.foreground, span.style.background])
            .flatten()
    }
}

fn read_span(node: Node<'_>) -> Option<TerminalSpan<'_>> {
    let mut style = SpanStyle::default();
    let mut text = None;
    for (name, value) in node.members() {
        let colour = || value.as_str().and_then(|colour| Rgb::parse(&colour));
        let set = value.as_bool() == Some(true);
        match name.as_ref() {
            "text" => text = value.as_str(),
            "bold" => style.bold = set,
            "italic" => style.italic = set,
            "underline" => style.underline = set,
            "dim" => style.dim = set,
            "inverse" => style.inverse = set,
            "fg" => style.foreground = colour(),
            "bg" => style.background = colour(),
            _ => {}
        }
    }
    let text = Clean::text(text?);
    // A span is on one line; a line feed inside would shift everything after it.
    let text = if text.contains('\n') {
        Clean::line(text.to_string())
    } else {
        text
    };
    (!text.is_empty()).then_some(TerminalSpan { text, style })
}

/// Removes the blanks that pad lines to the width of the terminal.
fn cut_padding(line: &mut Vec<TerminalSpan<'_>>) {
    while let Some(last) = line.last_mut() {
        if last.style.background.is_some() || last.style.inverse {
            return;
        }
        let kept = last.text.trim_end().len();
        if kept == last.text.len() {
            return;
        }
        if kept > 0 {
            last.text = Clean::text(last.text[..kept].to_owned());
            return;
        }
        line.pop();
    }
}

/// Languages by the names that highlighters use, with their file extensions.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bash", &["sh", "bash", "zsh"]),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hh", "hpp"]),
    ("csharp", &["cs"]),
    ("css", &["css", "scss", "less"]),
    ("diff", &["diff", "patch"]),
    ("dockerfile", &["dockerfile"]),
    ("go", &["go"]),
    ("html", &["html", "htm", "vue", "svelte"]),
    ("java", &["java"]),
    ("javascript", &["js", "jsx", "mjs", "cjs"]),
    ("json", &["json", "jsonl", "json5"]),
    ("kotlin", &["kt", "kts"]),
    ("lua", &["lua"]),
    ("makefile", &["makefile", "mk"]),
    ("markdown", &["md", "markdown"]),
    ("php", &["php"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("sql", &["sql"]),
    ("swift", &["swift"]),
    ("toml", &["toml"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("xml", &["xml", "svg"]),
    ("yaml", &["yaml", "yml"]),
];

/// The language of the file, if its name shows it.
pub fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next()?;
    // `Makefile` and `Dockerfile` count as their own extension.
    let ending = name.rsplit('.').next()?.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|(_, endings)| endings.contains(&ending.as_str()))
        .map(|(language, _)| *language)
}

#[cfg(test)]
mod tests {
    use super::{language_of, *};

    #[test]
    fn reads_spans_and_cuts_padding() {
        let node = Node::parse(
            r##"[[{"text":"ok","bold":true,"fg":"#00FF7f","bg":""},{"text":"   ","fg":""}],
                [{"text":"a\u001b[2Jb","fg":"red;background:url(x)","inverse":true}],
                [{"text":"    "}],[]]"##,
        )
        .unwrap();
        let terminal = Terminal::read(node).unwrap();
        assert_eq!(terminal.plain(), "ok\nab\n");
        let style = terminal.lines[0][0].style;
        assert!(style.bold && !style.inverse);
        assert_eq!(style.foreground, Some(Rgb(0, 255, 127)));
        assert_eq!(terminal.colours().count(), 1);
        assert_eq!(terminal.lines[1][0].style.foreground, None);
    }

    #[test]
    fn other_shapes_are_no_terminal() {
        for text in ["{}", "\"x\"", "[]", "[[]]", "[1,[2]]"] {
            assert_eq!(Terminal::read(Node::parse(text).unwrap()), None, "{text}");
        }
    }

    #[test]
    fn tells_the_language_by_the_name() {
        assert_eq!(language_of("/src/main.rs"), Some("rust"));
        assert_eq!(language_of(r"C:\a\Main.TSX"), Some("typescript"));
        assert_eq!(language_of("deploy/Dockerfile"), Some("dockerfile"));
        assert_eq!(language_of("notes.txt"), None);
        assert_eq!(language_of(""), None);
    }
}
