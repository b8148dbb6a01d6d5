//! `archive repair`: saves what is left of a damaged archive.

use std::io::Write;
use std::path::Path;

use gemtrail_store::archive::{ArchiveError, RepairReport, repair};

use super::super::context::Context;
use super::super::sync;
use super::{count, failure};
use crate::error::CliError;
use crate::text::{Clean, plural};
use crate::ui::Ui;

/// At most this many lost files are named.
const MOST_NAMED: usize = 20;

pub(super) fn run(path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    if !path.exists() {
        let path = path.to_owned();
        return Err(failure(ArchiveError::Missing { path }, Path::new("")));
    }
    let report = save(path, context).map_err(|error| failure(error, path))?;
    let mut out = ui.out();
    if ui.json {
        Ui::json_line(&mut out, &report)?;
        return out.finish();
    }
    let sessions = plural(count(report.sessions), "session");
    writeln!(out, "{sessions} saved")?;
    let lost = report.diagnostics.iter().take(MOST_NAMED);
    for diagnostic in lost {
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
    writeln!(out, "the damaged file is kept as {}", Clean::line(kept))?;
    out.finish()
}

/// Saves what is left, with a line on the terminal while that takes long.
pub(in crate::cli) fn save(
    path: &Path,
    context: &Context<'_>,
) -> Result<RepairReport, ArchiveError> {
    let ui = context.ui;
    let options = sync::options(None, context);
    let saved = repair(path, &options, &mut |progress| sync::show(ui, progress));
    ui.progress_done();
    saved
}
