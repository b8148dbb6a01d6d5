//! What tools do, as far as their presentation depends on it.

use gemtrail_core::model::ToolCall;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Read,
    List,
    Find,
    Search,
    Write,
    Edit,
    Shell,
    Fetch,
    Plan,
    Agent,
    Other,
}

/// A tool's name, what it does, the verb for it, and the arguments that say on what.
type Row = (&'static str, Action, &'static str, &'static str);

const TOOLS: &[Row] = &[
    (
        "read_file",
        Action::Read,
        "read",
        "file_path absolute_path path",
    ),
    ("read_many_files", Action::Read, "read", "include paths"),
    ("list_directory", Action::List, "list", "dir_path path"),
    ("glob", Action::Find, "find", "pattern"),
    ("grep_search", Action::Search, "search", "pattern"),
    ("search_file_content", Action::Search, "search", "pattern"),
    ("search_files", Action::Search, "search", "pattern query"),
    ("write_file", Action::Write, "write", "file_path"),
    ("replace", Action::Edit, "edit", "file_path"),
    ("edit_file", Action::Edit, "edit", "file_path"),
    ("run_shell_command", Action::Shell, "shell", "command"),
    ("shell", Action::Shell, "shell", "command"),
    ("web_fetch", Action::Fetch, "fetch", "url prompt"),
    ("google_web_search", Action::Fetch, "google", "query"),
    ("web_search", Action::Fetch, "google", "query"),
    ("save_memory", Action::Other, "remember", "fact"),
    ("write_todos", Action::Plan, "plan", ""),
    ("write_todos_list", Action::Plan, "plan", ""),
    ("activate_skill", Action::Other, "skill", "name"),
    ("ask_user", Action::Other, "ask", "questions"),
    ("enter_plan_mode", Action::Other, "plan mode", "reason"),
    (
        "exit_plan_mode",
        Action::Other,
        "plan ready",
        "plan_filename plan_path",
    ),
    ("update_topic", Action::Other, "topic", "title"),
    ("get_internal_docs", Action::Other, "docs", "path"),
    ("complete_task", Action::Other, "done", ""),
];

/// Where other tools usually say what they work on.
const USUAL_TARGETS: &str =
    "file_path path dir_path command pattern query url uri name title id prompt objective text";

impl Action {
    /// What the call does. Agents were tools of their own for many versions.
    pub(super) fn of(call: &ToolCall) -> Self {
        if call.agent.is_some() || call.category == "agent" || call.name == "codebase_investigator"
        {
            return Self::Agent;
        }
        row(&call.name).map_or(Self::Other, |(_, action, ..)| *action)
    }
}

/// The verb for the tool, if it is a known one.
pub(super) fn verb(name: &str) -> Option<&'static str> {
    row(name).map(|(_, _, verb, _)| *verb)
}

/// The arguments that may say what the tool works on, the likeliest first.
pub(super) fn targets(name: &str) -> impl Iterator<Item = &'static str> {
    row(name)
        .map_or(USUAL_TARGETS, |(.., targets)| *targets)
        .split(' ')
}

fn row(name: &str) -> Option<&'static Row> {
    TOOLS.iter().find(|row| row.0 == name)
}
