//! `archive backup`: a copy of the archive, while it is in use.

use std::io::ErrorKind;
use std::path::Path;

use gemtrail_store::archive::{Archive, ArchiveError};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::args::BackupArgs;
use super::failure;
use crate::error::CliError;
use crate::text::size;
use crate::ui::Ui;

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

pub(super) fn run(args: &BackupArgs, path: &Path, ui: &Ui) -> Result<(), CliError> {
    let to = args.file.as_path();
    let archive = Archive::open(path).map_err(|error| failure(error, path))?;
    archive
        .backup(to)
        .map_err(|error| failed(error, to, path))?;
    let bytes = std::fs::metadata(to)?.len();
    if !ui.json {
        ui.note(&format!("{} written to {}", size(bytes), to.display()));
        return Ok(());
    }
    let absolute = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
    let mut out = ui.out();
    let document = BackupDocument {
        schema: "gemtrail.backup/1",
        path: absolute.to_string_lossy().into_owned(),
        bytes,
    };
    Ui::json_line(&mut out, &document)?;
    out.finish()
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
            CliError::cannot("exists", what).hint("name a file that is not there yet")
        }
        ArchiveError::File { source, .. } if source.kind() == ErrorKind::NotFound => {
            cannot(&"there is no such directory")
                .hint("make the directory first, or mount the disk")
        }
        ArchiveError::File { source, .. } => cannot(&source),
        ArchiveError::DiskFull => {
            cannot(&"the disk is full").hint("make room, or name another disk")
        }
        ArchiveError::NotWritten(source) => cannot(&source),
        other => failure(other, path),
    }
}
