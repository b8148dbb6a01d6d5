//! `archive import`: another archive merged into this one.

use std::io::Write;
use std::path::Path;

use gemtrail_store::archive::{ArchiveError, ArchiveWriter, ImportReport, ImportSource};

use super::super::args::ImportArgs;
use super::super::context::Context;
use super::super::sync;
use super::failure;
use crate::error::{CliError, Failure};
use crate::text::{Clean, plural, size};

pub(super) fn run(args: &ImportArgs, path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let from = args.file.as_path();
    // First: a wrong name must not make an empty archive.
    let source = ImportSource::open(from, path).map_err(|error| unreadable(error, from))?;
    let ui = context.ui;
    let failed = |error| failure(error, path);
    let mut writer = match ArchiveWriter::try_open(path) {
        Err(ArchiveError::Busy) => {
            ui.note("another gemtrail is writing the archive; waiting for it");
            ArchiveWriter::open(path).map_err(failed)?
        }
        opened => opened.map_err(failed)?,
    };
    let options = sync::options(None, context);
    let outcome = writer.import(&source, &options, &mut |progress| sync::show(ui, progress));
    ui.progress_done();
    let report = outcome.map_err(failed)?;
    ui.answer(&report, |out| print(out, &report, path, context))?;
    if report.ok {
        Ok(())
    } else {
        Err(CliError::check_failed("part of it could not be imported"))
    }
}

fn print(
    out: &mut impl Write,
    report: &ImportReport,
    into: &Path,
    context: &Context<'_>,
) -> std::io::Result<()> {
    let shown = |path: &str| Clean::line(context.shown(path)).to_string();
    if report.versions_added == 0 {
        let all = plural(report.files_seen, "file");
        writeln!(
            out,
            "Nothing new: all of its {all} are in this archive already."
        )?;
    } else {
        let more = match report.sessions_changed {
            0 => String::new(),
            changed => format!(
                "; updated {} that were here already",
                plural(changed, "session")
            ),
        };
        let sessions = plural(report.sessions_added, "new session");
        let (from, bytes) = (shown(&report.path), size(report.bytes_added));
        writeln!(out, "imported {sessions} from {from}, {bytes}{more}")?;
        let known = match report.versions_known {
            0 => String::new(),
            known => format!("; {known} were here already"),
        };
        let versions = plural(report.versions_added, "version");
        let files = plural(report.files_seen, "file");
        writeln!(out, "{versions} of {files}, every byte verified{known}")?;
    }
    if report.versions_forgotten > 0 {
        let versions = plural(report.versions_forgotten, "version");
        writeln!(out, "{versions} stay removed")?;
    }
    let into = shown(&into.to_string_lossy());
    writeln!(out, "archive: {into}, {}", size(report.archive_bytes))?;
    for finding in &report.diagnostics {
        let line = match &finding.journal {
            Some(file) => format!("damaged, not imported: {file}: {}", finding.message),
            None => format!("damaged: {}", finding.message),
        };
        writeln!(out, "{}", Clean::line(line))?;
    }
    Ok(())
}

/// The other archive cannot be used at all.
fn unreadable(error: ArchiveError, from: &Path) -> CliError {
    let shown = from.display();
    let (code, hint) = match &error {
        ArchiveError::Missing { .. } => ("no-archive", "name the file of another archive"),
        ArchiveError::Itself => ("same-archive", "name the file of another archive"),
        ArchiveError::NotAnArchive => (
            "not-an-archive",
            "to archive a directory of another machine, use `gemtrail sync --home DIR --origin host=NAME`",
        ),
        ArchiveError::Newer { .. } => ("newer-archive", "update gemtrail on this machine"),
        ArchiveError::Damaged { .. } => (
            "damaged-archive",
            "nothing in it can be read; import a backup of it instead",
        ),
        ArchiveError::Empty => ("empty-archive", "`gemtrail sync` on its machine fills it"),
        _ => return failure(error, from),
    };
    let what = match error {
        ArchiveError::Missing { .. } => anyhow::anyhow!("{shown} does not exist"),
        error => anyhow::Error::from(error).context(format!("cannot import {shown}")),
    };
    CliError::new(Failure::CannotDo, code, what).hint(hint)
}
