//! The only file that knows the protocol: rmcp on one side, [`Tools`] on the other.

use std::sync::Arc;

use jiff::Timestamp;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;

use crate::{Definition, McpAnswer, TOOLS, Tools};

/// The time for which a client may remember the list of tools, which depends on the version alone.
const LIST_IS_VALID_MS: u64 = 3_600_000;

/// An error that ended the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// It could not be started.
    #[error("the MCP server cannot be started: {0}")]
    Start(#[from] std::io::Error),
    /// The client does not speak the protocol.
    #[error("the client does not speak MCP: {0}")]
    Protocol(String),
}

/// Serves the tools on standard input and output until the client hangs up.
pub fn serve(tools: Tools, version: &str, clock: fn() -> Timestamp) -> Result<(), ServeError> {
    let server = McpServer {
        tools: Arc::new(tools),
        version: version.to_owned(),
        clock,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(async {
        let running = match server.serve(rmcp::transport::stdio()).await {
            Ok(running) => running,
            // A client that only checks whether the program starts hangs up without a word.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Protocol(error.to_string())),
        };
        let ended = running.waiting().await;
        ended
            .map(|_| ())
            .map_err(|error| ServeError::Protocol(error.to_string()))
    });
    // Reading standard input cannot be interrupted.
    runtime.shutdown_background();
    outcome
}

struct McpServer {
    tools: Arc<Tools>,
    version: String,
    clock: fn() -> Timestamp,
}

impl ServerHandler for McpServer {
    /// No instructions: Gemini CLI would write them into every session.
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("gemtrail", self.version.as_str()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(tool).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_IS_VALID_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !Tools::has(&request.name) {
            let what = format!("unknown tool {:?}", request.name);
            return Err(ErrorData::invalid_params(what, None));
        }
        let client = context.client_info().map(|client| client.name);
        let sees_data = client.is_none_or(|name| !name.contains("gemini"));
        let (tools, now) = (Arc::clone(&self.tools), (self.clock)());
        // Reading sessions would keep other requests waiting.
        let answered = tokio::task::spawn_blocking(move || {
            let arguments = request.arguments.unwrap_or_default();
            tools.call(&request.name, &arguments, now)
        });
        let answered = answered
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(match answered {
            Ok(answer) => result(answer, sees_data),
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.to_string())]),
        }
        .into())
    }
}

fn tool(definition: &Definition) -> Tool {
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(
        definition.name,
        definition.description,
        Arc::new(definition.schema()),
    )
    .with_annotations(annotations)
}

/// The answer, in one place only: the model of Gemini CLI is not shown structured content.
fn result(answer: McpAnswer, sees_data: bool) -> CallToolResult {
    let text = |text: String| CallToolResult::success(vec![ContentBlock::text(text)]);
    match answer {
        McpAnswer::Text(words) => text(words),
        McpAnswer::Data { caption, value } if sees_data => with_data(text(caption), value),
        McpAnswer::Data { value, .. } => text(value.to_string()),
    }
}

fn with_data(mut result: CallToolResult, value: Value) -> CallToolResult {
    result.structured_content = Some(value);
    result
}
