//! The tools of Gemini CLI: one name for the same tool in all versions, its category, and a verb to
//! show to people.
//!
//! Session files store none of this: tools were renamed over time, other documents use their own
//! spellings, and only the running CLI knows the category. Everything is derived from the name, by
//! one table, so that every view agrees.

mod table;

use std::borrow::Cow;

use table::{TABLE, ToolRow};

use crate::json::Node;
use crate::model::ToolCall;

/// Texts that precede the path of a file with the full output.
pub const BEFORE_OUTPUT_FILE: [&str; 3] = [
    "For full output see: ",
    "The full output has been saved to: ",
    "Full output available at: ",
];

/// A part of every one of [`BEFORE_OUTPUT_FILE`]: where this is not, none of them is.
pub const IN_ALL_BEFORE_OUTPUT_FILE: &str = "ull output ";

/// The beginnings of texts that hold only the ends of an output, or say that it was dropped.
const CUT_OFF: [&str; 3] = [
    "Output too large. Showing ",
    "Tool output was too large and has been truncated.",
    "[Snapshot superseded — a newer snapshot exists later in this conversation.",
];

/// True if a text stands for an output that Gemini CLI masked or cut off.
pub fn is_placeholder(text: &str) -> bool {
    let is_masked = || {
        text.starts_with("<tool_output_masked>")
            && text.trim_end().ends_with("</tool_output_masked>")
    };
    CUT_OFF.iter().any(|start| text.starts_with(start)) || is_masked()
}

/// Arguments that name a single file, in all versions.
pub const PATH_ARGUMENTS: [&str; 4] = ["file_path", "absolute_path", "path", "filePath"];

/// The action of a tool, as far as its presentation depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reads files.
    Read,
    /// Lists a directory.
    List,
    /// Looks for files by name.
    Find,
    /// Looks for text in files.
    Search,
    /// Writes a whole file.
    Write,
    /// Changes a file.
    Edit,
    /// Runs a command.
    Shell,
    /// Fetches something from the web.
    Fetch,
    /// Keeps a to-do list.
    Plan,
    /// Hands work to another agent.
    Agent,
    /// Anything else.
    Other,
}

impl Action {
    /// The action of a call. Agents were tools of their own for many versions.
    pub fn of(call: &ToolCall) -> Self {
        if call.agent.is_some() {
            return Self::Agent;
        }
        canonical(&call.name).action
    }
}

/// A tool, independent of the version that wrote its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool<'a> {
    /// One name for all versions, for example `file_read`; for a tool not in the table, its name in
    /// lower case.
    pub canonical: Cow<'a, str>,
    /// Its category: `read`, `edit`, `search`, `execute`, `fetch`, `think`, `plan`, `agent`,
    /// `communicate` or `other`.
    pub category: &'static str,
    /// Its action, more precise than the category.
    pub action: Action,
    /// A verb to show to people; `None` for tools that go by their own name.
    pub verb: Option<&'static str>,
    /// The arguments that may say what it works on, most likely first.
    pub key_arguments: &'static [&'static str],
}

/// The usual names of such arguments in tools that are not built in.
const USUAL_ARGUMENTS: &[&str] = &[
    "file_path",
    "path",
    "dir_path",
    "command",
    "pattern",
    "query",
    "url",
    "uri",
    "name",
    "title",
    "id",
    "prompt",
    "objective",
    "text",
];

/// The category of every tool that is not built in: discovered, MCP or unknown.
const OTHER: &str = "other";

/// Looks a tool up by its recorded name.
pub fn canonical(name: &str) -> Tool<'_> {
    let name = lower(name);
    match row(&name) {
        Some(row) => Tool {
            canonical: Cow::Borrowed(row.canonical),
            category: row.category,
            action: row.action,
            verb: row.verb,
            key_arguments: row.key_arguments,
        },
        None => Tool {
            canonical: name,
            category: OTHER,
            action: Action::Other,
            verb: None,
            key_arguments: USUAL_ARGUMENTS,
        },
    }
}

/// True if the tool is one of Gemini CLI's own.
pub fn is_built_in(name: &str) -> bool {
    row(name).is_some()
}

/// The file that a built-in tool was told to write or edit, and the argument that names it.
pub(crate) fn changed_file<'a>(name: &str, args: Node<'a>) -> Option<(&'static str, Cow<'a, str>)> {
    let row = row(name)?;
    if !matches!(row.action, Action::Write | Action::Edit) {
        return None;
    }
    let mut arguments = PATH_ARGUMENTS.into_iter().zip(args.get_all(PATH_ARGUMENTS));
    arguments.find_map(|(argument, path)| Some((argument, path?.as_str()?)))
}

/// The file that a call was to change: as a built-in tool names it, or as any other shows it.
pub(crate) fn file_changed_by(call: &ToolCall) -> Option<Cow<'_, str>> {
    let args = call.args.as_ref();
    if let Some((_, path)) = args.and_then(|args| changed_file(&call.name, args.node())) {
        return Some(path);
    }
    let is_change = matches!(call.canonical.as_str(), "file_write" | "file_edit");
    let shown = call.display.as_ref().filter(|_| is_change)?.node();
    shown.get("filePath")?.as_str()
}

/// True if a built-in tool starts an agent; `None` if the tool is not built in.
fn is_own_agent(name: &str) -> Option<bool> {
    row(name).map(|row| row.action == Action::Agent)
}

fn row(name: &str) -> Option<&'static ToolRow> {
    TABLE.iter().find(|row| row.name == name)
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_uppercase) {
        Cow::Owned(name.to_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// The MCP server behind a call.
///
/// The display name (`echo (probe MCP Server)`) states it exactly, and is the only evidence for the
/// bare names that versions before 0.34 wrote. Without it the name has to be split, which is a
/// guess for servers with an underscore: `mcp_<server>_<tool>` ends the server at the first one.
pub fn server<'a>(name: &'a str, display_name: Option<&'a str>) -> Option<&'a str> {
    display_name
        .and_then(server_of_display_name)
        .or_else(|| split(name, None).map(|(server, _)| server))
}

/// The name that the MCP server itself gives the tool, if the server is known.
///
/// Names of more than 63 characters were cut in the middle; then what is left of the tool's name is
/// returned.
pub fn mcp_tool<'a>(name: &'a str, server: &str) -> &'a str {
    split(name, Some(server)).map_or(name, |(_, tool)| tool)
}

fn server_of_display_name(display_name: &str) -> Option<&str> {
    let (_, server) = display_name
        .strip_suffix(" MCP Server)")?
        .rsplit_once(" (")?;
    (!server.is_empty()).then_some(server)
}

/// Splits `mcp_<server>_<tool>` (since 0.34) or `<server>__<tool>` (before, on a name clash).
fn split<'a>(name: &'a str, server: Option<&str>) -> Option<(&'a str, &'a str)> {
    if is_built_in(name) || name.starts_with("discovered_tool_") {
        return None;
    }
    let parts = match name.strip_prefix("mcp_") {
        Some(rest) => match server.and_then(|server| after_server(rest, server)) {
            Some(tool) => Some((&rest[..rest.len() - tool.len() - 1], tool)),
            None => rest.split_once('_'),
        },
        // `___` marks where a long name was cut, so it says nothing about the server.
        None if name.contains("___") => None,
        None => name.split_once("__"),
    };
    parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The text after `<server>_`, with the server's name written as in tool names.
fn after_server<'a>(rest: &'a str, server: &str) -> Option<&'a str> {
    let mut chars = rest.chars();
    for expected in server.chars() {
        let allowed = expected.is_ascii_alphanumeric() || "_.:-".contains(expected);
        if chars.next()? != if allowed { expected } else { '_' } {
            return None;
        }
    }
    chars.as_str().strip_prefix('_')
}

/// The arguments in which a parent agent says what it wants.
const REQUESTS: [&str; 6] = [
    "objective",
    "prompt",
    "query",
    "task",
    "question",
    "request",
];

/// True if a call of that name may start an agent: a known agent, or (0.27 to 0.38) any tool that
/// is not built in, since each user-defined agent had a tool with its name.
pub(crate) fn may_be_agent(name: &str) -> bool {
    is_own_agent(name).unwrap_or(true)
}

/// The name of the agent that a call starts: an argument of the general tools, else the tool's
/// name.
pub(crate) fn agent_name(call: &ToolCall) -> Cow<'_, str> {
    let args = call.args.as_ref().filter(|_| may_be_agent(&call.name));
    let name = args.and_then(|args| args.node().get("agent_name")?.as_str());
    name.unwrap_or(Cow::Borrowed(&call.name))
}

/// The requests to an agent in the arguments of a call.
pub(crate) fn agent_requests(call: &ToolCall) -> Vec<String> {
    let Some(args) = call.args.as_ref().filter(|_| may_be_agent(&call.name)) else {
        return Vec::new();
    };
    let request = |name: &&str| args.node().get(name).and_then(Node::as_str);
    REQUESTS
        .iter()
        .filter_map(request)
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str) -> (String, &'static str) {
        let tool = canonical(name);
        (tool.canonical.into_owned(), tool.category)
    }

    #[test]
    fn s003_12_maps_the_fourteen_names() {
        let rows = [
            ("run_shell_command", "shell_exec", "execute"),
            ("write_file", "file_write", "edit"),
            ("replace", "file_edit", "edit"),
            ("read_file", "file_read", "read"),
            ("list_directory", "file_read", "read"),
            ("glob", "file_search", "search"),
            ("search_file_content", "file_search", "search"),
            ("grep_search", "file_search", "search"),
            ("codebase_investigator", "file_search", "search"),
            ("web_fetch", "web_access", "fetch"),
            ("google_web_search", "web_access", "fetch"),
            ("save_memory", "memory", "think"),
            ("write_todos", "planning", "plan"),
            ("activate_skill", "skill", "other"),
        ];
        for (name, canonical, category) in rows {
            assert_eq!(pair(name), (canonical.to_owned(), category), "{name}");
        }
    }

    #[test]
    fn s003_13_passes_other_names_on_in_lower_case() {
        assert_eq!(pair("My_Tool"), ("my_tool".to_owned(), "other"));
        assert_eq!(
            pair("discovered_tool_Lint"),
            ("discovered_tool_lint".to_owned(), "other")
        );
        assert_eq!(
            pair("mcp_probe_echo"),
            ("mcp_probe_echo".to_owned(), "other")
        );
        assert_eq!(pair("ask_user"), ("ask_user".to_owned(), "communicate"));
        assert_eq!(
            pair("read_many_files"),
            ("read_many_files".to_owned(), "read")
        );
    }

    #[test]
    fn c_14_takes_the_spellings_of_the_documents() {
        for (alias, real) in [
            ("edit_file", "replace"),
            ("search_files", "grep_search"),
            ("web_search", "google_web_search"),
            ("shell", "run_shell_command"),
        ] {
            assert_eq!(pair(alias), pair(real));
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_tool_that_is_not_built_in_goes_by_its_own_name() {
        let tool = canonical("frobnicate");
        assert_eq!((tool.verb, tool.action), (None, Action::Other));
        assert_eq!(canonical("read_file").verb, Some("read"));
    }

    #[test]
    fn a_call_of_an_agent_is_one_whatever_the_tool_is_called() {
        let mut call = ToolCall {
            name: "my-reviewer".to_owned(),
            ..ToolCall::default()
        };
        assert_eq!(Action::of(&call), Action::Other);
        call.agent = Some("a1".to_owned());
        assert_eq!(Action::of(&call), Action::Agent);
        for name in ["invoke_agent", "codebase_investigator", "generalist"] {
            call = ToolCall {
                name: name.to_owned(),
                ..ToolCall::default()
            };
            assert_eq!(Action::of(&call), Action::Agent, "{name}");
        }
    }
}

#[cfg(test)]
mod mcp_tests {
    use super::*;

    #[test]
    fn finds_the_server_of_mcp_tools() {
        assert_eq!(server("mcp_probe_echo", None), Some("probe"));
        assert_eq!(server("github__search", None), Some("github"));
        assert_eq!(
            server("echo", Some("echo (my_probe MCP Server)")),
            Some("my_probe")
        );
        assert_eq!(
            server("mcp_my_probe_echo", Some("echo (my_probe MCP Server)")),
            Some("my_probe")
        );
        for name in ["read_mcp_resource", "discovered_tool_a__b", "mcp_", "a___b"] {
            assert_eq!(server(name, Some("ReadFile")), None, "{name}");
        }
    }

    #[test]
    fn finds_the_tool_behind_the_server() {
        assert_eq!(mcp_tool("mcp_my_probe_echo_all", "my_probe"), "echo_all");
        assert_eq!(mcp_tool("mcp_my_probe_echo", "my probe"), "echo");
        assert_eq!(mcp_tool("github__search_code", "github"), "search_code");
        assert_eq!(mcp_tool("echo", "probe"), "echo");
    }
}
