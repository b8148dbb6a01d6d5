//! `mcp`: earlier sessions as tools for a model.

use gemtrail_mcp::{ToolSettings, Tools};

use super::args::McpArgs;
use super::context::Context;
use crate::environment;
use crate::error::CliError;

pub(super) fn run(args: &McpArgs, context: &Context<'_>) -> Result<(), CliError> {
    let redactor = (!args.no_redact).then(|| context.redactor()).transpose()?;
    let trail = context.open()?;
    let environment = context.environment;
    let surroundings = ToolSettings {
        zone: context.ui.zone.clone(),
        current_dir: environment.current_dir.clone(),
        user_home: environment.user_home.clone(),
    };
    let tools = Tools::new(trail, surroundings, redactor);
    gemtrail_mcp::serve(tools, env!("CARGO_PKG_VERSION"), environment::now)
        .map_err(|error| CliError::cannot("mcp", error))
}
