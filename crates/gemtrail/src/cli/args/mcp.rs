//! Arguments of the MCP server.

use clap::Args as ClapArgs;

/// Serve earlier sessions as tools for a model, over MCP
///
/// The server speaks on standard input and output.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Tools: search, list_sessions, read_session, get_item, stats; all of them only read.

Examples:
  gemini mcp add --trust gemtrail gemtrail mcp
  gemtrail setup --only extension,policy      the same with commands and a hook
  npx @modelcontextprotocol/inspector --cli gemtrail mcp --method tools/list"
)]
pub(crate) struct McpArgs {
    /// Tell the model secrets as they are
    #[arg(long)]
    pub(crate) no_redact: bool,
}
