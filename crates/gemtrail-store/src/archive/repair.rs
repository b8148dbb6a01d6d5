//! Saves what is left of a damaged archive.

use std::path::{Path, PathBuf};

use gemtrail_core::model::Diagnostic;
use gemtrail_home::paths::text_of;
use serde::Serialize;

use super::import::{ImportReport, ImportSource, take_marks, with_first_page};
use super::open::{ArchiveWriter, try_lock};
use crate::db::ArchiveError;
use crate::db::error::damaged;
use crate::db::index_file;
use crate::db::private::{LOCK, beside};
use crate::raw::options::Progress;
use crate::raw::options::SyncOptions;

/// The schema name of [`RepairReport`].
pub const REPAIR_SCHEMA: &str = "gemtrail.repair/1";

/// What was saved of a damaged archive: `archive repair`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepairReport {
    /// Always `gemtrail.repair/1`.
    pub schema: String,
    /// The archive.
    pub path: String,
    /// The damaged file, which is kept.
    pub kept: String,
    /// True if nothing is lost.
    pub ok: bool,
    /// Sessions that were saved.
    pub sessions: u64,
    /// Versions of files that were saved.
    pub versions: u64,
    /// What is lost.
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes a new archive of everything that can be read of a damaged one, and puts it in its place. The
/// damaged file stays beside it. If not even the names of files can be read, nothing is changed.
pub fn repair(
    path: &Path,
    options: &SyncOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<RepairReport, ArchiveError> {
    let _lock = try_lock(path, LOCK)?;
    let new = beside(path, ".repaired");
    remove_all(&new);
    let saved = salvage(path, &new, options, progress);
    remove_all(&beside(&new, ".copy"));
    let mut report = match saved {
        Ok(report) => report,
        Err(error) => {
            remove_all(&new);
            return Err(error);
        }
    };
    let kept = put(path, &new)?;
    remove_all(&new);
    report.kept = text_of(&kept).into_owned();
    Ok(report)
}

fn salvage(
    path: &Path,
    new: &Path,
    options: &SyncOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<RepairReport, ArchiveError> {
    let mut writer = ArchiveWriter::open(new)?;
    writer.flush()?;
    let source = match ImportSource::open(path, new) {
        Err(ArchiveError::Damaged { .. } | ArchiveError::NotAnArchive | ArchiveError::Empty) => {
            let copy = beside(new, ".copy");
            with_first_page(path, &copy, new)?;
            ImportSource::open(&copy, new)?
        }
        opened => opened?,
    };
    let import = writer.import(&source, options, progress)?;
    // Also of sessions that only the disk has now.
    take_marks(
        &mut writer.connection,
        &source,
        true,
        &mut ImportReport::default(),
    )?;
    if import.files_seen == 0 {
        return Err(damaged("nothing in it can be read"));
    }
    writer.flush()?;
    Ok(RepairReport {
        schema: REPAIR_SCHEMA.to_owned(),
        path: text_of(path).into_owned(),
        kept: String::new(),
        ok: import.diagnostics.is_empty(),
        sessions: import.sessions_added,
        versions: import.versions_added,
        diagnostics: import.diagnostics,
    })
}

/// Puts the new archive in the place of the damaged one, which gets the first free name. Whatever
/// happens in between, an index that does not belong to the archive is noticed.
fn put(path: &Path, new: &Path) -> Result<PathBuf, ArchiveError> {
    let mut names = (1..).map(|number: u32| match number {
        1 => beside(path, ".damaged"),
        number => beside(path, &format!(".damaged-{number}")),
    });
    let kept = names.find(|name| name.symlink_metadata().is_err());
    let kept = kept.unwrap_or_else(|| beside(path, ".damaged"));
    let rename = |from: &Path, to: &Path| {
        std::fs::rename(from, to).map_err(|error| ArchiveError::of_own_file(to, error))
    };
    index_file::remove_files(&index_file::path_of(path))?;
    rename(path, &kept)?;
    // What its log has is a part of it.
    let log = beside(path, "-wal");
    if log.exists() {
        rename(&log, &beside(&kept, "-wal"))?;
    }
    let _ = std::fs::remove_file(beside(path, "-shm"));
    rename(new, path)?;
    let index = index_file::path_of(new);
    if index.exists() {
        rename(&index, &index_file::path_of(path))?;
    }
    Ok(kept)
}

/// Removes an archive under a temporary name, with everything beside it.
fn remove_all(path: &Path) {
    let index = index_file::path_of(path);
    for file in [path, &index, &beside(&index, ".new")] {
        // What stays is overwritten by the next run.
        let _ = index_file::remove_files(file);
    }
    let _ = std::fs::remove_file(beside(path, LOCK));
}
