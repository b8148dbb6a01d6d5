//! Which tool calls delegate work to another agent, and what they ask for.

use std::borrow::Cow;

use crate::json::Node;
use crate::model::ToolCall;
use crate::tools;

/// Arguments in which a parent agent says what it wants.
const REQUESTS: [&str; 6] = [
    "objective",
    "prompt",
    "query",
    "task",
    "question",
    "request",
];

/// Whether a call of that name may start an agent: a known agent, or (0.27 to 0.38) any tool that
/// is not built in, since each user-defined agent had a tool with its name.
pub(crate) fn may_be_agent(name: &str) -> bool {
    tools::is_own_agent(name).unwrap_or(true)
}

/// The name of the agent that a call starts: an argument of the general tools, else the tool's name.
pub(crate) fn name(call: &ToolCall) -> Cow<'_, str> {
    let args = call.args.as_ref().filter(|_| may_be_agent(&call.name));
    let name = args.and_then(|args| args.node().get("agent_name")?.as_str());
    name.unwrap_or(Cow::Borrowed(&call.name))
}

/// What the call asks of an agent, if anything.
pub(crate) fn requests(call: &ToolCall) -> Vec<String> {
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
