//! An archive that is open for reading.

use std::path::Path;
use std::sync::Arc;

use gemtrail_core::model::Session;

use super::db::ArchiveError;
use super::db::pool::Pool;
use super::maintenance::backup;
use super::maintenance::info::{self, ArchiveInfo};
use super::maintenance::verify::{self, ArchiveCheck};
use super::raw::homes;
use super::raw::whereabouts::Whereabouts;
use super::reading::{self, Snapshot};
use super::restore::{self, KeptFile};
use super::views::rows::{Prefetch, Prefetcher};
use crate::Hints;
use crate::discover::Found;
use crate::library::{Handle, Library};

/// An archive that is open for reading.
#[derive(Clone, Debug)]
pub struct Archive {
    pool: Arc<Pool>,
    prefetcher: Prefetcher,
}

impl Archive {
    /// Opens an archive that exists.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            pool: Pool::open(path)?,
            prefetcher: Prefetcher::default(),
        })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.pool.path()
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

    /// Whether its views fit its files. They do not after a run was interrupted, and after gemtrail
    /// was upgraded.
    pub fn is_fresh(&self) -> Result<bool, ArchiveError> {
        self.pool.with(reading::is_fresh)
    }

    /// What it knows now.
    pub fn snapshot(&self) -> Result<Snapshot, ArchiveError> {
        self.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Snapshot::read(&self.pool, connection)
        })
    }

    /// Everything that it holds and that the disk has. Quick if both say the same; otherwise
    /// sessions are put together from both.
    pub fn library(
        &self,
        snapshot: Snapshot,
        disk: Vec<Found>,
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Library, ArchiveError> {
        let (pool, prefetcher) = (&self.pool, &self.prefetcher);
        reading::library(pool, prefetcher, snapshot, disk, whereabouts, hints)
    }

    /// The journals of a session, those of its subagents included, each as it was when it was last
    /// whole.
    pub fn journals_of(
        &self,
        library: &Library,
        handle: &Handle,
    ) -> Result<Vec<KeptFile>, ArchiveError> {
        restore::journals_of(&self.pool, library, handle)
    }

    /// The journals of a session as they were when the archive looked last before a time, in
    /// milliseconds since 1970. Those that it had not seen by then are left out.
    pub fn journals_at(
        &self,
        library: &Library,
        handle: &Handle,
        time: i64,
    ) -> Result<Vec<KeptFile>, ArchiveError> {
        restore::journals_at(&self.pool, library, handle, time)
    }

    /// The session as it was then.
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
        info::info(&self.pool)
    }

    /// Checks every digest and every reference.
    pub fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<ArchiveCheck, ArchiveError> {
        verify::verify(&self.pool, progress)
    }

    /// Writes a copy that is whole, whatever is written meanwhile. Its directory must exist: a backup
    /// on a disk that is not mounted would be none.
    pub fn backup(&self, to: &Path) -> Result<(), ArchiveError> {
        backup::backup(&self.pool, to)
    }
}
