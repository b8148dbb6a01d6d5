//! `archive forget`: removes a session for good.

use std::path::Path;

use gemtrail_core::time;
use gemtrail_store::archive::{ArchiveWriter, Forgotten};

use super::super::args::ForgetArgs;
use super::super::context::Context;
use super::super::session;
use super::failure;
use crate::error::CliError;
use crate::text::{Clean, plural, size};
use crate::ui::{Ui, ask, can_ask};

const WOULD: &str = "would be permanently removed from the archive";

pub(super) fn run(args: &ForgetArgs, path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let failed = |error| failure(error, path);
    let trail = context.open_archive()?;
    let session = session::read(&trail.view(), &args.session)?;
    let mut writer = ArchiveWriter::open(path).map_err(failed)?;
    let options = trail.sync_options();
    let plan = writer.plan_to_forget(&session, &options).map_err(failed)?;
    if plan.sessions == 0 {
        let what = format!("the archive has nothing of session {}", session.id);
        return Err(CliError::nothing("not-archived", what));
    }
    let ui = context.ui;
    if args.dry_run {
        return print(ui, &plan, || lines(ui, &plan, WOULD));
    }
    if !args.yes {
        confirm(ui, &plan)?;
    }
    let report = writer.forget(&session, &options).map_err(failed)?;
    print(ui, &report, || {
        let session = Clean::line(&report.session);
        let files = match report.files.len() {
            0 => "the logged prompts".to_owned(),
            files => plural(files, "file"),
        };
        let mut told = vec![format!(
            "Removed {files} of session {session} from the archive."
        )];
        // With a question, what stays was shown before it.
        if args.yes {
            told.extend(left(&report));
        }
        told
    })
}

/// Shows what will go and asks. Where nobody can answer, nothing is taken out: it cannot be undone.
fn confirm(ui: &Ui, plan: &Forgotten) -> Result<(), CliError> {
    if ui.json || !can_ask() {
        let would = lines(ui, plan, WOULD).join("\n");
        let what = format!("nothing was removed: --yes is missing\n{would}");
        return Err(CliError::cannot("not-confirmed", what)
            .hint("add --yes to remove it, or --dry-run to see what would be removed"));
    }
    print(ui, plan, || {
        lines(ui, plan, "will be permanently removed from the archive")
    })?;
    if ask("Remove it?") {
        Ok(())
    } else {
        Err(CliError::cannot(
            "not-confirmed",
            "cancelled; nothing was removed",
        ))
    }
}

/// The report as data, or these lines.
fn print(ui: &Ui, report: &Forgotten, lines: impl FnOnce() -> Vec<String>) -> Result<(), CliError> {
    if ui.json {
        return ui.print_json(report);
    }
    ui.print_lines(&lines())
}

/// Tells what goes, and what stays on disk.
fn lines(ui: &Ui, plan: &Forgotten, what: &str) -> Vec<String> {
    let mut lines = vec![format!("session {} {what}", Clean::line(&plan.session))];
    let title = plan.title.as_deref().map(Clean::line);
    let updated = plan.updated.as_deref().and_then(time::parse);
    let updated = updated.map(|at| {
        let at = at.to_zoned(ui.zone.clone());
        at.strftime("%a %-d %b %Y, %H:%M").to_string()
    });
    let title = title.map(|it| format!("\u{201c}{it}\u{201d}"));
    let named: Vec<String> = title.into_iter().chain(updated).collect();
    if !named.is_empty() {
        lines.push(format!("  {}", named.join("  ")));
    }
    let files = plan.files.iter();
    lines.extend(files.map(|file| format!("  {}", Clean::line(file))));
    let versions = plural(plan.versions, "version");
    lines.push(format!("  {}, {versions}", size(plan.bytes)));
    lines.extend(left(plan));
    lines
}

fn left(report: &Forgotten) -> impl Iterator<Item = String> {
    let files = report.on_disk.iter();
    files.map(|file| format!("still on disk: {}", Clean::line(file)))
}
