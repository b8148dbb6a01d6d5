//! An archive open for reading.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use gemtrail_core::model::{Diagnostic, Session};

use super::lock::WatchLock;
use super::maintenance::backup;
use super::maintenance::info::{self, ArchiveInfo, Extent};
use super::maintenance::verify::{self, ArchiveCheck};
use super::restore::{self, KeptFile};
use super::sync;
use crate::Hints;
use crate::db::ArchiveError;
use crate::db::pool::Pool;
use crate::discover::Found;
use crate::index::unit::all_words;
use crate::library::{Handle, Library};
use crate::raw::changes::Lacking;
use crate::raw::options::SyncOptions;
use crate::raw::whereabouts::Whereabouts;
use crate::raw::{homes, scrub};

/// An archive open for reading.
#[derive(Clone, Debug)]
pub struct Archive {
    pool: Arc<Pool>,
}

impl Archive {
    /// Opens an existing archive.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            pool: Pool::open(path)?,
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    /// Checks everything that is stored, and names the files whose bytes are damaged.
    pub fn damaged(&self) -> Result<Vec<Diagnostic>, ArchiveError> {
        self.pool.with(scrub::damaged)
    }

    /// Marks homes on disk that belong to another machine, such as a mounted backup.
    pub fn adopt(&self, disk: &mut [Found], at: &Whereabouts) -> Result<(), ArchiveError> {
        self.pool
            .with(|connection| homes::adopt(connection, disk, at))
    }

    /// True if the index can be asked. It cannot while nobody has made it, or is making it.
    pub fn has_index(&self) -> bool {
        self.pool.has_index()
    }

    /// The files of these homes that it lacks, or has in another state.
    pub(crate) fn lacking(
        &self,
        disk: &[Found],
        at: &Whereabouts,
    ) -> Result<Lacking, ArchiveError> {
        self.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Lacking::of(connection, disk, at)
        })
    }

    /// Like [`is_up_to_date`](Self::is_up_to_date), for homes that it knows and has been compared with.
    pub(crate) fn is_settled(
        &self,
        lacking: &Lacking,
        options: &SyncOptions,
    ) -> Result<bool, ArchiveError> {
        if !self.has_index() || lacking.has_moved || !lacking.to_take.is_empty() {
            return Ok(false);
        }
        self.pool
            .with(|connection| sync::is_settled(connection, options))
    }

    /// Those of the homes on disk that it has seen before.
    pub(crate) fn known_homes(
        &self,
        disk: &[Found],
        at: &Whereabouts,
    ) -> Result<Vec<Found>, ArchiveError> {
        self.pool
            .with(|connection| homes::known(connection, disk, at))
    }

    /// True if a sync would find nothing to do in the homes that it knows. Opens no file.
    pub fn is_up_to_date(
        &self,
        disk: &[Found],
        options: &SyncOptions,
    ) -> Result<bool, ArchiveError> {
        let known = self.known_homes(disk, &options.whereabouts)?;
        let lacking = self.lacking(&known, &options.whereabouts)?;
        self.is_settled(&lacking, options)
    }

    /// Everything in the archive, and excluded projects that are on disk.
    pub fn library(
        &self,
        disk: &[Found],
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Library, ArchiveError> {
        Library::of_archive(&self.pool, disk, whereabouts, hints)
    }

    /// The journals of a session and its subagents, each in its last complete version.
    pub fn journals_of(
        &self,
        library: &Library,
        handle: &Handle,
    ) -> Result<Vec<KeptFile>, ArchiveError> {
        restore::journals_of(&self.pool, library, handle)
    }

    /// The journals of a session as of the last sync before a time, in milliseconds since 1970.
    /// Journals not seen by then are left out.
    pub fn journals_at(
        &self,
        library: &Library,
        handle: &Handle,
        time: i64,
    ) -> Result<Vec<KeptFile>, ArchiveError> {
        restore::journals_at(&self.pool, library, handle, time)
    }

    /// The session as of the last sync before a time.
    pub fn session_at(
        &self,
        library: &Library,
        handle: &Handle,
        time: i64,
    ) -> Result<Option<Session>, ArchiveError> {
        restore::session_at(&self.pool, library, handle, time)
    }

    /// Sizes and numbers.
    pub fn info(&self) -> Result<ArchiveInfo, ArchiveError> {
        let mut info = info::info(&self.pool)?;
        info.watched = WatchLock::is_held(self.path());
        Ok(info)
    }

    /// How large it is, how many sessions it has, and when it was last brought up to date.
    pub(crate) fn extent(&self) -> Result<Extent, ArchiveError> {
        self.pool.with(info::extent)
    }

    /// The ids of sessions of which it has a journal.
    pub(crate) fn sessions_with_journals(&self) -> Result<HashSet<String>, ArchiveError> {
        self.pool.with(info::sessions_with_journals)
    }

    /// Every word of the index, with the number of texts that have it.
    pub fn words(&self) -> Result<BTreeMap<String, u64>, ArchiveError> {
        self.pool.with(all_words)
    }

    /// Checks every digest and every reference.
    pub fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<ArchiveCheck, ArchiveError> {
        verify::verify(&self.pool, progress)
    }

    /// Writes a consistent copy, whatever is written meanwhile. Its directory must exist: a backup
    /// to an unmounted disk would not be a backup.
    pub fn backup(&self, to: &Path) -> Result<(), ArchiveError> {
        backup::backup(&self.pool, to)
    }
}
