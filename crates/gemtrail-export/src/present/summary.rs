//! The one line that says what a tool call did: `read src/retry.rs 180 lines`.

use std::borrow::Cow;

use gemtrail_core::json::{Node, Raw, Shape};
use gemtrail_core::model::ToolCall;
use gemtrail_core::tools::{self, Action, Tool};

use crate::text::{Clean, plural};

/// The longest target that is shown; a command can be a script.
const TARGET_LIMIT: usize = 200;

/// The verb and its target.
pub(super) fn verb_and_target<'a>(
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

/// How much was read, listed or found.
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
