//! The table of tools.

use super::{Action, USUAL_ARGUMENTS};

/// The facts about a tool.
#[derive(Debug)]
pub(super) struct ToolRow {
    /// The name as recorded.
    pub(super) name: &'static str,
    pub(super) canonical: &'static str,
    pub(super) category: &'static str,
    pub(super) action: Action,
    pub(super) verb: Option<&'static str>,
    pub(super) key_arguments: &'static [&'static str],
}

/// A tool with another canonical name.
const fn tool(
    name: &'static str,
    canonical: &'static str,
    category: &'static str,
    action: Action,
) -> ToolRow {
    ToolRow {
        name,
        canonical,
        category,
        action,
        verb: None,
        key_arguments: USUAL_ARGUMENTS,
    }
}

/// A tool that keeps its name.
const fn kept(name: &'static str, category: &'static str, action: Action) -> ToolRow {
    tool(name, name, category, action)
}

impl ToolRow {
    /// Sets the verb to show, and the arguments that say what the tool works on, most likely first.
    const fn says(self, verb: &'static str, key_arguments: &'static [&'static str]) -> Self {
        Self {
            verb: Some(verb),
            key_arguments,
            ..self
        }
    }
}

/// Every tool, each name once.
pub(super) const TABLE: &[ToolRow] = &[
    // Renamed by requirement: names that the tools of other agents share.
    tool("run_shell_command", "shell_exec", "execute", Action::Shell).says("shell", &["command"]),
    tool("write_file", "file_write", "edit", Action::Write).says("write", &["file_path"]),
    tool("replace", "file_edit", "edit", Action::Edit).says("edit", &["file_path"]),
    tool("read_file", "file_read", "read", Action::Read)
        .says("read", &["file_path", "absolute_path", "path"]),
    tool("list_directory", "file_read", "read", Action::List).says("list", &["dir_path", "path"]),
    tool("glob", "file_search", "search", Action::Find).says("find", &["pattern"]),
    tool(
        "search_file_content",
        "file_search",
        "search",
        Action::Search,
    )
    .says("search", &["pattern"]),
    tool("grep_search", "file_search", "search", Action::Search).says("search", &["pattern"]),
    tool(
        "codebase_investigator",
        "file_search",
        "search",
        Action::Agent,
    ),
    tool("web_fetch", "web_access", "fetch", Action::Fetch).says("fetch", &["url", "prompt"]),
    tool("google_web_search", "web_access", "fetch", Action::Fetch).says("google", &["query"]),
    tool("save_memory", "memory", "think", Action::Other).says("remember", &["fact"]),
    tool("write_todos", "planning", "plan", Action::Plan).says("plan", &[]),
    tool("activate_skill", "skill", "other", Action::Other).says("skill", &["name"]),
    // The name of `write_todos` in 0.8 and 0.9.
    tool("write_todos_list", "planning", "plan", Action::Plan).says("plan", &[]),
    // Spellings used in documents about Gemini CLI that no version ever wrote.
    tool("shell", "shell_exec", "execute", Action::Shell).says("shell", &["command"]),
    tool("edit_file", "file_edit", "edit", Action::Edit).says("edit", &["file_path"]),
    tool("search_files", "file_search", "search", Action::Search)
        .says("search", &["pattern", "query"]),
    tool("web_search", "web_access", "fetch", Action::Fetch).says("google", &["query"]),
    // Built-in tools that keep their name, with the category that Gemini CLI gives them.
    kept("read_many_files", "read", Action::Read).says("read", &["include", "paths"]),
    kept("read_background_output", "read", Action::Other),
    kept("list_background_processes", "read", Action::Other),
    kept("read_mcp_resource", "read", Action::Other),
    kept("list_mcp_resources", "search", Action::Other),
    kept("get_internal_docs", "think", Action::Other).says("docs", &["path"]),
    kept("update_topic", "think", Action::Other).says("topic", &["title"]),
    kept("ask_user", "communicate", Action::Other).says("ask", &["questions"]),
    kept("enter_plan_mode", "plan", Action::Other).says("plan mode", &["reason"]),
    kept("exit_plan_mode", "plan", Action::Other)
        .says("plan ready", &["plan_filename", "plan_path"]),
    kept("delegate_to_agent", "agent", Action::Agent),
    kept("invoke_agent", "agent", Action::Agent),
    kept("introspection_agent", "agent", Action::Agent),
    kept("cli_help", "agent", Action::Agent),
    kept("generalist", "agent", Action::Agent),
    kept("browser_agent", "agent", Action::Agent),
    kept("complete_task", "other", Action::Other).says("done", &[]),
    kept("analyze_screenshot", "other", Action::Other),
    kept("tracker_create_task", "edit", Action::Other),
    kept("tracker_update_task", "edit", Action::Other),
    kept("tracker_add_dependency", "edit", Action::Other),
    kept("tracker_get_task", "read", Action::Other),
    kept("tracker_visualize", "read", Action::Other),
    kept("tracker_list_tasks", "search", Action::Other),
];
