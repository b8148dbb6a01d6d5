//! `setup`: installs into Gemini CLI and the system, and takes it back.

mod target;
mod words;

use gemtrail_setup::{Part, Receipt, SetupError, apply, plan, remove};
use gemtrail_store::doctor::Policy;
use schemars::JsonSchema;
use serde::Serialize;

use super::args::SetupArgs;
use super::context::Context;
use super::{archive, sync};
use crate::error::CliError;
use crate::ui::{ask, can_ask};

/// What was taken back: schema `gemtrail.setup-removed/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RemovedDocument {
    /// Always `gemtrail.setup-removed/1`.
    schema: &'static str,
    #[serde(flatten)]
    removed: gemtrail_setup::Removed,
}

pub(super) fn run(args: &SetupArgs, context: &Context<'_>) -> Result<(), CliError> {
    let record = context.environment.data_dir.clone().ok_or_else(|| {
        CliError::cannot("no-data-dir", "this platform has no place for data")
            .hint("name one with GEMTRAIL_DATA_DIR")
    })?;
    if args.remove {
        return take_back(args, &record, context);
    }
    let ui = context.ui;
    let parts: Vec<Part> = match args.only.as_slice() {
        [] => Part::ALL.to_vec(),
        only => only.to_vec(),
    };
    let target = target::of(context)?;
    let receipt = Receipt::read(&record).map_err(failed)?;
    let mut plan = plan(&target, &parts, &receipt).map_err(failed)?;
    let policy = Policy::in_force(&target.gemini, &context.environment.system_settings);
    if ui.json && args.dry_run {
        return ui.print_json(&plan);
    }
    if !ui.json {
        words::plan(&plan, &policy, context)?;
    }
    if args.dry_run {
        return Ok(());
    }
    if !args.yes {
        if ui.json || !can_ask() {
            return Err(CliError::usage(
                "cannot ask for confirmation without a terminal; nothing was changed",
            )
            .hint("--yes does it, --dry-run only shows it"));
        }
        // Something of Gemini CLI itself is changed, so this is a question of its own.
        let changes_settings = plan.changes().any(|step| step.part == Part::Retention);
        if changes_settings && !ask("turn the deletion of sessions off?") {
            plan = plan.without(Part::Retention);
        }
        if plan.changes().next().is_some() && !ask("write these files?") {
            ui.note("nothing was done");
            return Ok(());
        }
    }
    apply(&plan, &record).map_err(failed)?;
    if archive::is_worth_making(context) {
        sync::quietly(context)?;
    }
    if ui.json {
        return ui.print_json(&plan);
    }
    Ok(())
}

fn take_back(
    args: &SetupArgs,
    record: &std::path::Path,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let ui = context.ui;
    let planned = remove(record, &args.only, false).map_err(failed)?;
    if !ui.json {
        words::removal(&planned, context)?;
    }
    let is_wanted = !args.dry_run && !planned.files.is_empty();
    if is_wanted && !args.yes && can_ask() && !ui.json && !ask("remove these?") {
        ui.note("nothing was done");
        return Ok(());
    }
    let removed = remove(record, &args.only, !args.dry_run).map_err(failed)?;
    if ui.json {
        return ui.print_json(&RemovedDocument {
            schema: "gemtrail.setup-removed/1",
            removed,
        });
    }
    Ok(())
}

fn failed(error: SetupError) -> CliError {
    CliError::cannot("setup", error)
}
