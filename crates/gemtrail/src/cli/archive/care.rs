//! `archive info` and `archive verify`.

use std::io::{ErrorKind, Write};
use std::path::Path;

use gemtrail_store::archive::{Archive, ArchiveError, ArchiveInfo};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::args::BackupArgs;
use super::super::context::Context;
use super::failure;
use crate::error::{CliError, Failure};
use crate::text::{Clean, plural, size};
use crate::ui::{Output, Ui};

pub(super) fn info(path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let (info, is_indexed) = Archive::open(path)
        .and_then(|archive| Ok((archive.info()?, archive.has_index())))
        .map_err(|error| failure(error, path))?;
    context
        .ui
        .answer(&info, |out| print_info(out, &info, is_indexed, context))
}

fn print_info(
    out: &mut Output,
    info: &ArchiveInfo,
    is_indexed: bool,
    context: &Context<'_>,
) -> std::io::Result<()> {
    let path = Clean::line(context.shown(&info.path));
    writeln!(out, "{path}  {}", size(info.bytes))?;
    let percent = info.stored_bytes * 100 / info.history_bytes.max(1);
    writeln!(
        out,
        "  files     {} ({} gone from disk), {}, {} as last seen",
        info.files,
        info.files_gone,
        plural(info.versions, "version"),
        size(info.source_bytes)
    )?;
    writeln!(
        out,
        "  stored    {} of everything ever seen in {} ({percent} %), the rest is the index",
        size(info.history_bytes),
        size(info.stored_bytes),
    )?;
    let messages = plural(info.messages, "message");
    let subagents = plural(info.subagents, "subagent");
    let sessions = info.sessions.saturating_sub(info.subagents);
    writeln!(out, "  sessions  {sessions}, {subagents}, {messages}")?;
    if !is_indexed {
        let what = "the index is not complete; gemtrail sync completes it";
        writeln!(out, "            {what}")?;
    }
    let synced = info
        .last_sync
        .and_then(|at| Timestamp::from_millisecond(at).ok());
    let synced = synced.map_or_else(
        || "never".to_owned(),
        |at| {
            at.to_zoned(context.ui.zone.clone())
                .strftime("%Y-%m-%d %H:%M")
                .to_string()
        },
    );
    let watched = if info.watched {
        "updated in the background"
    } else {
        "not updated in the background"
    };
    writeln!(out, "  last sync {synced}, {watched}")?;
    if info.pinned > 0 {
        writeln!(
            out,
            "  pinned    {}: neither archive.keep_days nor tidy removes them",
            plural(info.pinned, "session")
        )?;
    }
    if info.forgotten > 0 {
        writeln!(out, "  forgotten {}", plural(info.forgotten, "content"))?;
    }
    for home in &info.homes {
        let at = match (&home.user, &home.host) {
            (Some(user), Some(host)) => format!(" of {user} on {host}"),
            (None, Some(host)) => format!(" on {host}"),
            (Some(user), None) => format!(" of {user}"),
            (None, None) => String::new(),
        };
        let line = format!("{}{at}", context.shown(&home.path));
        let files = plural(home.files, "file");
        writeln!(out, "  home      {}, {files}", Clean::line(&line))?;
    }
    for month in &info.growth {
        let versions = plural(month.versions, "version");
        let (month, bytes) = (&month.month, size(month.bytes));
        writeln!(out, "  {month}   {bytes} in {versions}")?;
    }
    Ok(())
}

pub(super) fn verify(path: &Path, ui: &Ui) -> Result<(), CliError> {
    let check = Archive::open(path)
        .and_then(|archive| archive.verify(&mut |done, all| ui.progress(done, all, "chunks")))
        .map_err(|error| unverified(error, path))?;
    ui.progress_done();
    ui.answer(&check, |out| {
        let chunks = plural(check.chunks, "chunk");
        let contents = plural(check.contents, "content");
        let versions = plural(check.versions, "version");
        writeln!(out, "{chunks}, {contents}, {versions} checked")?;
        for problem in &check.problems {
            writeln!(out, "{}", Clean::line(problem))?;
        }
        let verdict = if check.ok { "archive OK" } else { DAMAGED };
        writeln!(out, "{verdict}")
    })?;
    if check.ok {
        Ok(())
    } else {
        Err(CliError::check_failed(DAMAGED))
    }
}

const DAMAGED: &str = "the archive is damaged";

/// An archive too damaged to be checked does not hold; what is none could not be checked.
fn unverified(error: ArchiveError, path: &Path) -> CliError {
    let is_damaged = matches!(error, ArchiveError::Damaged { .. } | ArchiveError::Empty);
    let mut error = failure(error, path);
    if is_damaged {
        error.failure = Failure::Nothing;
    }
    error
}

/// A copy of the archive: schema `gemtrail.backup/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupDocument {
    /// Always `gemtrail.backup/1`.
    schema: &'static str,
    /// Its path.
    path: String,
    /// Its size.
    bytes: u64,
}

pub(super) fn backup(args: &BackupArgs, path: &Path, ui: &Ui) -> Result<(), CliError> {
    let to = args.file.as_path();
    let archive = Archive::open(path).map_err(|error| failure(error, path))?;
    archive
        .backup(to)
        .map_err(|error| failed(error, to, path))?;
    let bytes = std::fs::metadata(to)?.len();
    if !ui.json {
        ui.note(&format!("wrote {} to {}", size(bytes), to.display()));
        return Ok(());
    }
    let absolute = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
    ui.print_json(&BackupDocument {
        schema: "gemtrail.backup/1",
        path: absolute.to_string_lossy().into_owned(),
        bytes,
    })
}

/// An error about the copy, or about the archive.
fn failed(error: ArchiveError, to: &Path, path: &Path) -> CliError {
    let shown = to.display();
    let cannot = |why: &dyn std::fmt::Display| {
        let what = format!("failed to write {shown}: {why}; nothing was written");
        CliError::cannot("cannot-write", what)
    };
    match error {
        ArchiveError::Exists { .. } => {
            let what = format!("{shown} exists; nothing was written");
            CliError::cannot("exists", what).hint("choose a file that does not exist yet")
        }
        ArchiveError::File { source, .. } if source.kind() == ErrorKind::NotFound => {
            cannot(&"there is no such directory").hint("create it, or mount the disk")
        }
        ArchiveError::File { source, .. } => cannot(&source),
        ArchiveError::DiskFull => {
            cannot(&"the disk is full").hint("free some space, or choose another disk")
        }
        ArchiveError::NotWritten(source) => cannot(&source),
        other => failure(other, path),
    }
}
