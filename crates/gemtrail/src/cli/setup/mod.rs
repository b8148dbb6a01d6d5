//! `setup`: installs into Gemini CLI and the system, and uninstalls.

mod target;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use gemtrail_doctor::Policy;
use gemtrail_setup::{
    Receipt, Removed, SetupError, SetupPart, SetupPlan, Step, StepAction, StepState, UndoneEdit,
    apply, plan, remove,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::SetupArgs;
use super::context::Context;
use super::{archive, sync};
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::{Ui, ask, can_ask};

/// The files that were removed: schema `gemtrail.setup-removed/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RemovedDocument {
    /// Always `gemtrail.setup-removed/1`.
    schema: &'static str,
    #[serde(flatten)]
    removed: gemtrail_setup::Removed,
}

/// The commands that start and stop the service.
pub(super) const START: &str = "systemctl --user enable --now gemtrail.service";
const SERVICE: &str = "gemtrail.service";
const STOP: &str = "systemctl --user disable --now gemtrail.service";

pub(super) fn run(args: &SetupArgs, context: &Context<'_>) -> Result<(), CliError> {
    let record = context.environment.data_dir.clone().ok_or_else(|| {
        CliError::cannot("no-data-dir", "this platform has no data directory")
            .hint("name one with GEMTRAIL_DATA_DIR")
    })?;
    if args.remove {
        return uninstall(args, &record, context);
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
        plan = confirmed(plan);
        if plan.changes().next().is_some() && !ask("Write these files?") {
            ui.note("Cancelled; nothing was changed.");
            return Ok(());
        }
    }
    let changes = plan.changes().count();
    apply(&plan, &record).map_err(failed)?;
    if archive::is_worth_making(context) {
        sync::quietly(context)?;
    }
    if ui.json {
        return ui.print_json(&plan);
    }
    if changes == 0 {
        return Ok(());
    }
    let is_started = !args.yes
        && cfg!(target_os = "linux")
        && plan.changes().any(|step| step.part == SetupPart::Service)
        && ask("Start the background service now?")
        && has_run(START, ui);
    print_outcome(&plan, is_started, context)
}

/// The plan without what somebody does not want: these parts change what Gemini CLI does.
fn confirmed(mut plan: SetupPlan) -> SetupPlan {
    let questions = [
        (
            SetupPart::Policy,
            "Let Gemini use the six read-only tools without confirmation?",
        ),
        (
            SetupPart::Retention,
            "Stop Gemini CLI from deleting sessions?",
        ),
    ];
    for (part, question) in questions {
        if plan.changes().any(|step| step.part == part) && !ask(question) {
            plan = plan.without(part);
        }
    }
    plan
}

/// Runs a command of the system; if it fails, the system has said why.
fn has_run(command: &str, ui: &Ui) -> bool {
    let mut words = command.split(' ');
    let program = words.next().unwrap_or_default();
    let has_run = Command::new(program).args(words).status();
    let has_run = has_run.is_ok_and(|status| status.success());
    if !has_run {
        ui.note(&format!("warning: this failed: {command}"));
    }
    has_run
}

/// Says what is true from now on, what is left to do, and how to undo it.
fn print_outcome(
    plan: &SetupPlan,
    is_started: bool,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let is_there = |step: &&Step| step.standing != StepState::Foreign;
    let has = |part: SetupPart| {
        let mut steps = plan.steps.iter().filter(is_there);
        steps.any(|step| step.part == part)
    };
    let truths = [
        (
            has(SetupPart::Extension),
            "From now on, Gemini CLI archives each session when it ends.",
        ),
        (is_started, "The background service is running."),
        (
            has(SetupPart::Retention),
            "Gemini CLI no longer deletes sessions.",
        ),
    ];
    let truths = truths.iter().filter(|(is_true, _)| *is_true);
    let truths: Vec<&str> = ["Done."]
        .into_iter()
        .chain(truths.map(|(_, truth)| *truth))
        .collect();
    let mut out = context.ui.out();
    writeln!(out, "\n{}", truths.join(" "))?;
    let is_left = |step: &&Step| !(is_started && step.part == SetupPart::Service);
    let is_advice = |step: &&Step| matches!(step.part, SetupPart::Service | SetupPart::Completions);
    for step in plan.changes().filter(is_left).filter(is_advice) {
        if let Some(note) = &step.note {
            writeln!(out, "  {}: {note}", step.part)?;
        }
    }
    writeln!(out, "To undo it, run: gemtrail setup --remove")?;
    out.finish()
}

fn uninstall(args: &SetupArgs, record: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let planned = remove(record, &args.only, false).map_err(failed)?;
    if !ui.json {
        print_removal(&planned, context)?;
    }
    let is_wanted = !args.dry_run && !planned.files.is_empty();
    let may_ask = !args.yes && can_ask() && !ui.json;
    let is_started = is_started(&planned);
    if is_wanted && is_started && !ui.json && !may_ask {
        ui.note(&format!(
            "The background service may still run. To stop it first: {STOP}"
        ));
    }
    if is_wanted && may_ask {
        if !ask("Remove all this?") {
            ui.note("Cancelled; nothing was changed.");
            return Ok(());
        }
        if is_started {
            has_run(STOP, ui);
        }
    }
    let removed = remove(record, &args.only, !args.dry_run).map_err(failed)?;
    let schema = "gemtrail.setup-removed/1";
    if ui.json {
        return ui.print_json(&RemovedDocument { schema, removed });
    }
    if !is_wanted {
        return Ok(());
    }
    let mut out = ui.out();
    let has_settings = removed
        .files
        .iter()
        .any(|path| path.ends_with("settings.json"));
    let restored = if has_settings {
        " Gemini CLI deletes sessions as it did before."
    } else {
        ""
    };
    writeln!(out, "\nDone.{restored}")?;
    let archive = context.settings.archive.path.as_deref();
    if let Some(archive) = archive.filter(|path| path.exists()) {
        let archive = Clean::line(context.shown(archive));
        writeln!(out, "The archive stays: {archive}")?;
    }
    out.finish()
}

/// True if the service that would be removed is started whenever somebody logs in.
fn is_started(removed: &Removed) -> bool {
    let links = removed.files.iter().filter_map(|path| {
        let name = path.file_name().filter(|name| *name == SERVICE)?;
        Some(path.parent()?.join("default.target.wants").join(name))
    });
    links.into_iter().any(|link| link.is_symlink())
}

fn failed(error: SetupError) -> CliError {
    CliError::cannot("setup", error)
}

/// Shows every file that would be written, by part; of those that come in numbers, the number.
fn print_plan(plan: &SetupPlan, policy: &Policy, context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    for part in SetupPart::ALL {
        let steps: Vec<&Step> = plan.steps.iter().filter(|step| step.part == part).collect();
        if steps.is_empty() {
            continue;
        }
        writeln!(out, "{part}: {}", part.about())?;
        if part == SetupPart::Retention {
            writeln!(out, "  current setting: {}", in_force(policy, context))?;
        }
        let is_many = matches!(part, SetupPart::Completions | SetupPart::Man);
        if is_many && !context.ui.is_verbose() {
            for word in ["new", "update", "in place", "left"] {
                let number = steps.iter().filter(|step| self::word(step) == word).count();
                if number > 0 {
                    let files = plural(number, "file");
                    writeln!(out, "  {word:8} {files} (-v lists them)")?;
                }
            }
            continue;
        }
        for step in steps {
            writeln!(out, "  {}", step_line(step, context))?;
        }
    }
    if archive::is_worth_making(context)
        && let Some(archive) = &context.settings.archive.path
    {
        let path = Clean::line(context.shown(archive));
        writeln!(out, "archive: created by a first sync\n  new      {path}")?;
    }
    match plan.changes().count() {
        0 => writeln!(
            out,
            "Everything is in place. To undo it, run: gemtrail setup --remove"
        )?,
        changes => writeln!(out, "{} to write.", plural(changes, "file"))?,
    }
    out.finish()
}
/// The change of a file, in a word.
fn word(step: &Step) -> &'static str {
    match (step.standing, &step.action) {
        (StepState::Done, _) => "in place",
        (StepState::Foreign, _) => "left",
        (StepState::Update, _) => "update",
        (StepState::New, StepAction::Edit { .. }) => "edit",
        (StepState::New, StepAction::Write { .. }) => "new",
    }
}

fn step_line(step: &Step, context: &Context<'_>) -> String {
    let word = word(step);
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
    format!("{word:8} {path}{change}{note}")
}

fn in_force(policy: &Policy, context: &Context<'_>) -> String {
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
    let source = policy
        .source_file
        .as_deref()
        .map(|path| context.shown(path));
    let source = source.unwrap_or_else(|| "the default".to_owned());
    let (rules, source) = (rules.join(" or "), Clean::line(source));
    format!("sessions {rules} are deleted ({source})")
}

/// Shows what would be removed.
fn print_removal(removed: &Removed, context: &Context<'_>) -> Result<(), CliError> {
    let mut out = context.ui.out();
    let shown = |path: &Path| Clean::line(context.shown(path)).to_string();
    for edit in &removed.edits {
        writeln!(out, "  edit      {}  {}", shown(&edit.path), change(edit))?;
    }
    let is_edit = |path: &Path| removed.edits.iter().any(|edit| edit.path == path);
    let mut files: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for path in removed.files.iter().filter(|path| !is_edit(path)) {
        let directory = path.parent().unwrap_or(path);
        files.entry(directory).or_default().push(path);
    }
    for (directory, files) in files {
        if files.len() > MANY && !context.ui.is_verbose() {
            let (number, directory) = (files.len(), shown(directory));
            writeln!(
                out,
                "  remove    {number} files in {directory} (-v lists them)"
            )?;
            continue;
        }
        for path in files {
            writeln!(out, "  remove    {}", shown(path))?;
        }
    }
    for kept in &removed.kept {
        writeln!(out, "  leave     {}  ({})", shown(&kept.path), kept.why)?;
    }
    if removed.files.is_empty() {
        writeln!(out, "There is nothing to remove.")?;
    }
    out.finish()
}

/// More files than this in one directory are counted, not named.
const MANY: usize = 4;

/// The way back from what setup wrote into a file.
fn change(edit: &UndoneEdit) -> String {
    let new = Clean::line(edit.new.trim().trim_end_matches(','));
    match edit.old.trim() {
        "" => format!("− {new}"),
        old => format!("{new} → {} (your setting)", Clean::line(old)),
    }
}
