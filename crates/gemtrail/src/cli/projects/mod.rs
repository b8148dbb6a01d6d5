//! `projects`: what was worked on, where it lies, and how that was found out.

mod add;
mod show;
mod table;

pub(super) use add::AddedPath;

use super::args::{ProjectsArgs, ProjectsCommand};
use super::context::Context;
use crate::error::CliError;

pub(super) fn run(args: &ProjectsArgs, context: &Context<'_>) -> Result<(), CliError> {
    match &args.command {
        None => show::run(args, context),
        Some(ProjectsCommand::Add(add)) => add::run(add, context),
    }
}
