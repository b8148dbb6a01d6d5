//! An archive open for reading.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use gemtrail_core::model::{Diagnostic, Session};

use super::db::ArchiveError;
use super::db::pool::Pool;
use super::index;
use super::lock::WatchLock;
use super::maintenance::backup;
use super::maintenance::info::{self, ArchiveInfo, Extent};
use super::maintenance::verify::{self, ArchiveCheck};
use super::raw::whereabouts::Whereabouts;
use super::raw::{homes, scrub};
use super::reading::{self, Compared, KnownJournals, Snapshot};
use super::restore::{self, KeptFile};
use super::views::rows::{Prefetch, Prefetcher};
use crate::Hints;
use crate::discover::Found;
use crate::library::{Handle, Library};

/// An archive open for reading.
#[derive(Clone, Debug)]
pub struct Archive {
    pool: Arc<Pool>,
    prefetcher: Prefetcher,
}

impl Archive {
    /// Opens an existing archive.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            pool: Pool::open(path)?,
            prefetcher: Prefetcher::default(),
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

    /// Starts to prefetch what a list needs.
    pub fn prefetch(&self, what: Prefetch) {
        self.prefetcher.start(&self.pool, what);
    }

    /// Marks homes on disk that belong to another machine, such as a mounted backup.
    pub fn adopt(&self, disk: &mut [Found], at: &Whereabouts) -> Result<(), ArchiveError> {
        self.pool
            .with(|connection| homes::adopt(connection, disk, at))
    }

    /// Whether it has every file of these homes as it is, as far as a quick look tells: a `false` says
    /// nothing.
    pub(crate) fn has_everything(
        &self,
        disk: &[Found],
        at: &Whereabouts,
    ) -> Result<bool, ArchiveError> {
        self.pool
            .with(|connection| reading::has_everything(connection, disk, at))
    }

    /// What it knows of the journals of these homes, without so many of the newest sessions. `None` if
    /// its views are not up to date.
    pub fn known_journals(
        &self,
        disk: &[Found],
        at: &Whereabouts,
        except_newest: usize,
    ) -> Result<Option<KnownJournals>, ArchiveError> {
        KnownJournals::new(&self.pool, disk, at, except_newest)
    }

    /// Whether its views are up to date with its files. They are not after an interrupted run or an
    /// upgrade of gemtrail.
    pub fn is_fresh(&self) -> Result<bool, ArchiveError> {
        self.pool.with(reading::is_fresh)
    }

    /// A snapshot of what it knows now.
    pub fn snapshot(&self) -> Result<Snapshot, ArchiveError> {
        self.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Snapshot::read(&self.pool, connection)
        })
    }

    /// Compares a snapshot with the disk.
    pub fn compare(
        &self,
        snapshot: Snapshot,
        disk: &[Found],
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Compared, ArchiveError> {
        self.pool
            .with(|connection| snapshot.compared(connection, disk, whereabouts, hints))
    }

    /// Everything in the archive and on disk. Fast if both agree; otherwise sessions are assembled
    /// from both.
    pub fn library(
        &self,
        compared: Compared,
        disk: Vec<Found>,
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Library, ArchiveError> {
        let (pool, prefetcher) = (&self.pool, &self.prefetcher);
        reading::library(pool, prefetcher, compared, disk, whereabouts, hints)
    }

    /// A library that looks up what it is asked for, as long as the homes, which come with their
    /// digests, look as they did when the archive had everything of them.
    pub(crate) fn looked_up(
        &self,
        homes: &[(&Found, &[u8])],
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Option<Library>, ArchiveError> {
        reading::looked_up(&self.pool, &self.prefetcher, homes, whereabouts, hints)
    }

    /// The same without a look at the disk: what is there now is not known, only which homes are.
    pub(crate) fn as_it_was(
        &self,
        homes: Vec<Found>,
        whereabouts: &Whereabouts,
    ) -> Result<Option<Library>, ArchiveError> {
        reading::as_it_was(&self.pool, &self.prefetcher, homes, whereabouts)
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

    /// Every word of the index, with the number of texts that have it: 0 if all that had it were
    /// deleted since.
    pub fn words(&self) -> Result<BTreeMap<String, u64>, ArchiveError> {
        self.pool.with(index::all_terms)
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
