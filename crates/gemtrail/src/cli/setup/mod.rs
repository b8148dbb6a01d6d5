//! `setup`: installs into Gemini CLI and the system, and takes it back.

mod target;

use std::io::Write;

use gemtrail_doctor::Policy;
use gemtrail_setup::{
    Receipt, Removed, SetupError, SetupPart, SetupPlan, Step, StepAction, StepState, apply, plan,
    remove,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::SetupArgs;
use super::context::Context;
use super::{archive, sync};
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::{ask, can_ask};

/// The files that were taken back: schema `gemtrail.setup-removed/1`.
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
    let parts: Vec<SetupPart> = match args.only.as_slice() {
        [] => SetupPart::ALL.to_vec(),
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
        print_plan(&plan, &policy, context)?;
    }
    if args.dry_run {
        return Ok(());
    }
    if !args.yes {
        if ui.json || !can_ask() {
            let what = "cannot ask for confirmation without a terminal; nothing was changed";
            return Err(CliError::usage(what).hint("--yes does it, --dry-run only shows it"));
        }
        // Something of Gemini CLI itself is changed, so this is a question of its own.
        let changes_settings = plan.changes().any(|step| step.part == SetupPart::Retention);
        if changes_settings && !ask("turn the deletion of sessions off?") {
            plan = plan.without(SetupPart::Retention);
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
        ui.print_json(&plan)
    } else {
        Ok(())
    }
}

fn take_back(
    args: &SetupArgs,
    record: &std::path::Path,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let ui = context.ui;
    let planned = remove(record, &args.only, false).map_err(failed)?;
    if !ui.json {
        print_removal(&planned, context)?;
    }
    let is_wanted = !args.dry_run && !planned.files.is_empty();
    if is_wanted && !args.yes && can_ask() && !ui.json && !ask("remove these?") {
        ui.note("nothing was done");
        return Ok(());
    }
    let removed = remove(record, &args.only, !args.dry_run).map_err(failed)?;
    let schema = "gemtrail.setup-removed/1";
    if ui.json {
        ui.print_json(&RemovedDocument { schema, removed })
    } else {
        Ok(())
    }
}

fn failed(error: SetupError) -> CliError {
    CliError::cannot("setup", error)
}

/// Shows every file that would be written, by part.
fn print_plan(plan: &SetupPlan, policy: &Policy, context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    for part in SetupPart::ALL {
        let steps: Vec<&Step> = plan.steps.iter().filter(|step| step.part == part).collect();
        if steps.is_empty() {
            continue;
        }
        writeln!(out, "{part}: {}", part.about())?;
        if part == SetupPart::Retention {
            writeln!(out, "  in force now: {}", in_force(policy))?;
        }
        for step in steps {
            writeln!(out, "  {}", step_line(step, context))?;
        }
    }
    if archive::is_worth_making(context)
        && let Some(archive) = &context.settings.archive.path
    {
        let path = Clean::line(context.shown(archive));
        writeln!(out, "archive: made by a first sync\n  new      {path}")?;
    }
    match plan.changes().count() {
        0 => writeln!(out, "Everything is in place.")?,
        changes => writeln!(out, "{} to write.", plural(changes, "file"))?,
    }
    out.finish()
}

fn step_line(step: &Step, context: &Context<'_>) -> String {
    let word = match (step.standing, &step.action) {
        (StepState::Done, _) => "in place",
        (StepState::Foreign, _) => "left    ",
        (StepState::Update, _) => "update  ",
        (StepState::New, StepAction::Edit { .. }) => "edit    ",
        (StepState::New, StepAction::Write { .. }) => "new     ",
    };
    let path = Clean::line(context.shown(&step.path));
    let change = match (step.standing, &step.action) {
        (StepState::New, StepAction::Edit { old, new, .. }) => {
            let new = Clean::line(new.trim().trim_end_matches(',').to_owned());
            if old.is_empty() {
                format!("  + {new}")
            } else {
                format!("  {} → {new}", Clean::line(old.as_str()))
            }
        }
        (StepState::Foreign, _) => "  (not written by gemtrail, or changed since)".to_owned(),
        _ => String::new(),
    };
    let note = step.note.as_ref().map(|note| format!("  ({note})"));
    let note = note.unwrap_or_default();
    format!("{word} {path}{change}{note}")
}

fn in_force(policy: &Policy) -> String {
    if !policy.enabled {
        return "nothing is deleted".to_owned();
    }
    let age = policy
        .max_age
        .as_deref()
        .map(|age| format!("older than {age}"));
    let count = policy
        .max_count
        .map(|count| format!("beyond {count} per project"));
    let rules: Vec<String> = age.into_iter().chain(count).collect();
    let source = policy.source_file.as_deref().unwrap_or("built-in default");
    let (rules, source) = (rules.join(" or "), Clean::line(source));
    format!("sessions {rules} are deleted ({source})")
}

/// Shows what would be removed.
fn print_removal(removed: &Removed, context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    let shown = |path: &std::path::Path| Clean::line(context.shown(path)).to_string();
    for path in &removed.files {
        writeln!(out, "  remove    {}", shown(path))?;
    }
    for kept in &removed.kept {
        writeln!(out, "  leave     {}  ({})", shown(&kept.path), kept.why)?;
    }
    if removed.files.is_empty() {
        writeln!(out, "There is nothing to remove.")?;
    }
    out.finish()
}
