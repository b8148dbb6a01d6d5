//! One name for the same tool in all versions, and what kind of thing it does.
//!
//! Session files store neither: tools were renamed over time, other documents use spellings of
//! their own, and the kind is known to the running CLI only. Both are derived from the name here,
//! so that every view agrees.

use std::borrow::Cow;

/// Texts before the path of a file that holds a whole output.
pub const BEFORE_OUTPUT_FILE: [&str; 3] = [
    "For full output see: ",
    "The full output has been saved to: ",
    "Full output available at: ",
];

/// A tool's name and kind, independent of the version that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool<'a> {
    /// One name for all versions, for example `file_read`; the lower-cased name of a tool that is
    /// not in the table.
    pub canonical: Cow<'a, str>,
    /// What it does: `read`, `edit`, `search`, `execute`, `fetch`, `think`, `plan`, `agent`,
    /// `communicate` or `other`.
    pub category: &'static str,
}

/// Canonical names: recorded name, canonical name, category.
const CANONICAL: &[(&str, &str, &str)] = &[
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
    // The name of `write_todos` in 0.8 and 0.9.
    ("write_todos_list", "planning", "plan"),
    // Spellings that documents about Gemini CLI use and no version ever wrote.
    ("shell", "shell_exec", "execute"),
    ("edit_file", "file_edit", "edit"),
    ("search_files", "file_search", "search"),
    ("web_search", "web_access", "fetch"),
];

/// Built-in tools that keep their name, with the kind that Gemini CLI gives them.
const KINDS: &[(&str, &str)] = &[
    ("read_many_files", "read"),
    ("read_background_output", "read"),
    ("list_background_processes", "read"),
    ("read_mcp_resource", "read"),
    ("list_mcp_resources", "search"),
    ("get_internal_docs", "think"),
    ("update_topic", "think"),
    ("ask_user", "communicate"),
    ("enter_plan_mode", "plan"),
    ("exit_plan_mode", "plan"),
    ("delegate_to_agent", "agent"),
    ("invoke_agent", "agent"),
    ("introspection_agent", "agent"),
    ("cli_help", "agent"),
    ("generalist", "agent"),
    ("browser_agent", "agent"),
    ("complete_task", "other"),
    ("analyze_screenshot", "other"),
    ("tracker_create_task", "edit"),
    ("tracker_update_task", "edit"),
    ("tracker_add_dependency", "edit"),
    ("tracker_get_task", "read"),
    ("tracker_visualize", "read"),
    ("tracker_list_tasks", "search"),
];

/// The kind of every tool that is not built in: discovered ones, MCP, and those yet to come.
const OTHER: &str = "other";

/// Looks a tool up by its recorded name.
pub fn canonical(name: &str) -> Tool<'_> {
    let canonical = lower(name);
    if let Some(&(_, canonical, category)) =
        CANONICAL.iter().find(|(known, ..)| *known == canonical)
    {
        return Tool {
            canonical: Cow::Borrowed(canonical),
            category,
        };
    }
    let category = KINDS
        .iter()
        .find(|(known, _)| *known == canonical)
        .map_or(OTHER, |&(_, category)| category);
    Tool {
        canonical,
        category,
    }
}

/// Whether the tool is one of Gemini CLI's own.
pub fn is_built_in(name: &str) -> bool {
    built_in_category(name).is_some()
}

/// What a tool of Gemini CLI's own does.
pub(crate) fn built_in_category(name: &str) -> Option<&'static str> {
    let named = CANONICAL.iter().find(|(known, ..)| *known == name);
    let kind = || KINDS.iter().find(|(known, _)| *known == name);
    named
        .map(|&(_, _, category)| category)
        .or_else(|| kind().map(|&(_, category)| category))
}

/// The MCP server behind a call.
///
/// The display name (`echo (probe MCP Server)`) says it exactly, and is the only witness for the
/// bare names that versions before 0.34 wrote. Without it the name has to be split, which is a
/// guess for servers with an underscore: `mcp_<server>_<tool>` ends the server at the first one.
pub fn server<'a>(name: &'a str, display_name: Option<&'a str>) -> Option<&'a str> {
    display_name
        .and_then(server_of_display_name)
        .or_else(|| split(name, None).map(|(server, _)| server))
}

/// The name that the MCP server itself gives the tool, once the server is known.
///
/// Names of more than 63 characters were cut in the middle; what is left of the tool's name is
/// returned then.
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
        // `___` stands where a long name was cut, so it says nothing about the server.
        None if name.contains("___") => None,
        None => name.split_once("__"),
    };
    parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// What follows `<server>_`, with the server's name written as in tool names.
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

fn lower(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_uppercase) {
        Cow::Owned(name.to_lowercase())
    } else {
        Cow::Borrowed(name)
    }
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
        let mut names: Vec<_> = CANONICAL
            .iter()
            .map(|row| row.0)
            .chain(KINDS.iter().map(|row| row.0))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

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
