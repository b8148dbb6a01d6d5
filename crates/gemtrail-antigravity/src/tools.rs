//! The tools of Antigravity: the names and kinds that the same tools have in Gemini CLI.

use gemtrail_core::model::ToolCall;
use gemtrail_core::tools;

/// Name, canonical name, category.
const TABLE: &[(&str, &str, &str)] = &[
    ("run_command", "shell_exec", "execute"),
    ("command_status", "read_background_output", "read"),
    ("view_file", "file_read", "read"),
    ("list_dir", "file_read", "read"),
    ("find_by_name", "file_search", "search"),
    ("write_to_file", "file_write", "edit"),
    ("replace_file_content", "file_edit", "edit"),
    ("multi_replace_file_content", "file_edit", "edit"),
    ("read_url_content", "web_access", "fetch"),
    ("search_web", "web_access", "fetch"),
    ("ask_question", "ask_user", "communicate"),
    ("invoke_subagent", "invoke_agent", "agent"),
];

/// Sets what follows from the name of a call.
pub(crate) fn name(call: &mut ToolCall, name: &str) {
    name.clone_into(&mut call.name);
    let known = TABLE.iter().find(|row| row.0 == name);
    let (canonical, category) = if let Some((_, canonical, category)) = known {
        ((*canonical).to_owned(), *category)
    } else {
        let tool = tools::canonical(name);
        (tool.canonical.into_owned(), tool.category)
    };
    call.canonical = canonical;
    category.clone_into(&mut call.category);
    if name == "call_mcp_tool" {
        let server = call
            .args
            .as_ref()
            .and_then(|args| args.node().get("ServerName"));
        call.server = server.and_then(|it| Some(it.as_str()?.into_owned()));
    }
}
