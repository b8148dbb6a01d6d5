//! Which MCP server a tool belongs to.

use super::is_built_in;

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

#[cfg(test)]
mod tests {
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
