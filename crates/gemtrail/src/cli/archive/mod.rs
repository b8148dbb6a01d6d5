//! `archive`: care of the archive.

mod care;
mod forget;
mod import;

use std::io::Write;
use std::path::Path;

use gemtrail_store::archive::{ArchiveError, RepairReport, repair};

use super::args::{ArchiveArgs, ArchiveCommand};
use super::context::Context;
use super::sync;
use crate::error::CliError;
use crate::text::{Clean, plural};

pub(super) use crate::error::archive_failure as failure;
pub(super) use care::BackupDocument;

pub(super) fn run(args: &ArchiveArgs, context: &Context<'_>) -> Result<(), CliError> {
    let path = path(context)?;
    match &args.command {
        ArchiveCommand::Info => care::info(path, context),
        ArchiveCommand::Verify => care::verify(path, context.ui),
        ArchiveCommand::Repair => repair_archive(path, context),
        ArchiveCommand::Forget(args) => forget::run(args, path, context),
        ArchiveCommand::Import(args) => import::run(args, path, context),
        ArchiveCommand::Backup(args) => care::backup(args, path, context.ui),
    }
}

/// True if there could be an archive, and there is none.
pub(super) fn is_worth_making(context: &Context<'_>) -> bool {
    let settings = context.settings;
    let path = settings.archive.path.as_deref();
    settings.uses_archive && path.is_some_and(|path| !path.exists())
}

/// The archive that commands about it work on.
pub(super) fn path<'a>(context: &'a Context<'_>) -> Result<&'a Path, CliError> {
    if context.settings.is_archive_off {
        let what = "this command needs the archive, which --no-archive turns off";
        return Err(CliError::usage(what)
            .hint("leave out --no-archive; --archive FILE names another archive"));
    }
    let path = context.settings.archive.path.as_deref();
    path.ok_or_else(|| {
        CliError::cannot(
            "no-archive",
            "this platform has no data directory for an archive",
        )
        .hint("name a file with --archive")
    })
}

/// At most this many lost files are named.
const MOST_NAMED: usize = 20;

fn repair_archive(path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    if !path.exists() {
        let path = path.to_owned();
        return Err(failure(ArchiveError::Missing { path }, Path::new("")));
    }
    let report = save(path, context).map_err(|error| match error {
        ArchiveError::Damaged { .. } => failure(error, path)
            .hint("put a backup in its place, or move it away: gemtrail sync then makes a new one"),
        other => failure(other, path),
    })?;
    ui.answer(&report, |out| {
        writeln!(out, "{} saved", plural(report.sessions, "session"))?;
        for diagnostic in report.diagnostics.iter().take(MOST_NAMED) {
            let file = diagnostic.journal.as_deref().map(|it| context.shown(it));
            let what = match file {
                Some(file) => format!("{file}: {}", diagnostic.message),
                None => diagnostic.message.clone(),
            };
            writeln!(out, "  lost: {}", Clean::line(what))?;
        }
        if let Some(more) = report.diagnostics.len().checked_sub(MOST_NAMED + 1) {
            writeln!(out, "  and {} more (--json lists all)", more + 1)?;
        }
        let kept = context.shown(&report.kept);
        writeln!(out, "The damaged file is kept as {}", Clean::line(kept))
    })
}

/// Saves what is left, with a line on the terminal while that takes long.
pub(super) fn save(path: &Path, context: &Context<'_>) -> Result<RepairReport, ArchiveError> {
    let ui = context.ui;
    let options = sync::options(None, context);
    let saved = repair(path, &options, &mut |progress| sync::show(ui, progress));
    ui.progress_done();
    saved
}

/// The archive for a command that makes no sense without one.
pub(super) fn needed<'a>(context: &'a Context<'_>, why: &str) -> Result<&'a Path, CliError> {
    let path = path(context)?;
    if path.exists() {
        return Ok(path);
    }
    let what = format!("there is no archive at {}, and {why}", path.display());
    Err(CliError::cannot("no-archive", what).hint("gemtrail sync creates it"))
}
