//! The archive in a report: its content, and what it lacks.

use anstyle::Style;
use gemtrail_store::doctor::{ArchiveReport, Report};

use super::page::ReportPage;
use crate::error::CliError;
use crate::style::{DIM, WARN};
use crate::text::{plural, size};

/// The presence of an archive to report on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArchivePresence {
    /// It was asked not to be used.
    Unused,
    /// There is none yet.
    Missing,
    /// There is one.
    There,
}

pub(super) fn print(
    page: &mut ReportPage<'_>,
    report: &Report,
    state: ArchivePresence,
) -> Result<(), CliError> {
    if state == ArchivePresence::Unused {
        return Ok(());
    }
    page.heading("Archive")?;
    let Some(archive) = &report.archive else {
        let text = match state {
            ArchivePresence::Missing => {
                "There is none: what Gemini CLI deletes is gone. `gemtrail setup` makes one \
                 and keeps everything in it."
            }
            _ => "It could not be read; `gemtrail archive verify` says why.",
        };
        return page.words("  ", text, Style::new());
    };
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let path = page.path(&archive.path, page.columns().saturating_sub(14));
    page.line(&format!("  {path}, {}", size(archive.bytes)))?;
    let holds = format!(
        "{}, {}",
        plural(count(archive.sessions), "session"),
        plural(count(archive.subagents), "subagent")
    );
    let last = match &archive.last_sync {
        Some(time) => format!("last sync {}", page.ago(time)),
        None => "never synced".to_owned(),
    };
    let watched = if archive.watched {
        "a watcher keeps it up to date"
    } else {
        "no watcher is running"
    };
    page.words("  ", &format!("{holds}; {last}; {watched}"), Style::new())?;
    if archive.files_behind > 0 {
        let mark = page.styled(WARN, "!");
        let files = plural(count(archive.files_behind), "file");
        let bytes = size(archive.bytes_behind);
        let now = "gemtrail sync takes them in";
        let what = format!(
            "{files} on disk not in it yet ({bytes}): {now}{}",
            always(archive)
        );
        page.words(&format!("  {mark} "), &what, Style::new())
    } else {
        page.words("  ", "ok: it has everything that is on disk", DIM)
    }
}

/// Advice on keeping it up to date.
fn always(archive: &ArchiveReport) -> &'static str {
    if archive.watched {
        ""
    } else {
        "; after gemtrail setup that happens by itself"
    }
}
