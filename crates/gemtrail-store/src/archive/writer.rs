//! An archive open for its one writer.

use std::path::{Path, PathBuf};

use gemtrail_core::model::Session;
use rusqlite::Connection;

use super::lock::WriteLock;
use super::maintenance::forget::{self, Forgotten};
use super::maintenance::import::{self, ImportReport, ImportSource};
use super::maintenance::info;
use super::sync;
use crate::db::ArchiveError;
use crate::db::connection::open_to_write;
use crate::db::pool::Pool;
use crate::discover::Found;
use crate::half;
use crate::raw::homes;
use crate::raw::options::SyncOptions;
use crate::raw::report::{Progress, SyncReport};
use crate::raw::whereabouts::Whereabouts;

/// An archive open for its one writer.
#[derive(Debug)]
pub struct ArchiveWriter {
    connection: Connection,
    path: PathBuf,
    _lock: WriteLock,
}

impl ArchiveWriter {
    /// Opens or creates an archive; fails if another process is writing it.
    pub fn try_open(path: &Path) -> Result<Self, ArchiveError> {
        Self::with_lock(path, WriteLock::try_take(path)?)
    }

    /// Opens or creates an archive, waiting until no other process is writing it.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::with_lock(path, WriteLock::take(path)?)
    }

    fn with_lock(path: &Path, lock: WriteLock) -> Result<Self, ArchiveError> {
        // Backups that were killed while they were written are whole copies.
        half::clean(half::directory(path));
        Ok(Self {
            connection: open_to_write(path)?,
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// Marks homes on disk that belong to another machine, such as a mounted backup.
    pub fn adopt(&self, disk: &mut [Found], at: &Whereabouts) -> Result<(), ArchiveError> {
        homes::adopt(&self.connection, disk, at)
    }

    /// Those of the homes on disk that the archive has seen before.
    pub fn known_homes(
        &self,
        disk: &[Found],
        at: &Whereabouts,
    ) -> Result<Vec<Found>, ArchiveError> {
        homes::known(&self.connection, disk, at)
    }

    /// Takes in what changed.
    pub fn sync(
        &mut self,
        found: &[Found],
        options: &SyncOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<SyncReport, ArchiveError> {
        let pool = Pool::open(&self.path)?;
        let run = sync::run(&mut self.connection, &pool, found, options, progress);
        let mut report = run?;
        drop(pool);
        forget::wipe::finish(&mut self.connection)?;
        info::note_sync(&self.connection, options.now)?;
        report.archive_bytes = info::size(&self.connection)?;
        Ok(report)
    }

    /// Merges another archive into this one.
    pub fn import(
        &mut self,
        source: &ImportSource,
        options: &SyncOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ImportReport, ArchiveError> {
        import::import(&mut self.connection, &self.path, source, options, progress)
    }

    /// What would be removed with a session.
    pub fn plan_to_forget(
        &mut self,
        session: &Session,
        options: &SyncOptions,
    ) -> Result<Forgotten, ArchiveError> {
        forget::plan(&mut self.connection, &self.path, session, options)
    }

    /// Removes a session with its subagents and everything else that is its own. The bytes are not
    /// taken in again unless they change.
    pub fn forget(
        &mut self,
        session: &Session,
        options: &SyncOptions,
    ) -> Result<Forgotten, ArchiveError> {
        forget::forget(&mut self.connection, &self.path, session, options)
    }
}
