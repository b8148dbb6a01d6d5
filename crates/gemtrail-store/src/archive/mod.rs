//! The archive: one `SQLite` file that keeps every version of every file that was ever seen.
//!
//! Three layers. *Raw* has the bytes, cut into chunks that are stored once; it is the truth.
//! *Facts* are what cannot be read from files: when something was first seen, what is to be
//! forgotten. *Views* are made from the raw layer and are thrown away whenever the reader learns
//! something. See `docs/archive.md` for the tables.

mod db;
mod keep_up;
mod maintenance;
mod raw;
mod reading;
pub mod restore;
mod search;
mod sync;
mod views;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

pub use db::ArchiveError;
pub use keep_up::KeepUp;
pub use maintenance::care::{
    ArchiveCheck, ArchiveInfo, CHECK_SCHEMA, HomeInfo, INFO_SCHEMA, Month,
};
pub use maintenance::forget::{FORGET_SCHEMA, Forgotten};
pub use raw::changes::Whereabouts;
pub use reading::snapshot::{Behind, Snapshot};
pub use sync::{Phase, Progress, SYNC_SCHEMA, SyncOptions, SyncReport};
pub use views::rows::Prefetch;

use crate::discover::Found;
use db::vault::{self, Vault};
use maintenance::{care, keep};
use views::rows;

/// An archive that is open for reading.
#[derive(Clone, Debug)]
pub struct Archive {
    vault: Arc<Vault>,
    ahead: rows::Ahead,
}

impl Archive {
    /// Opens an archive that exists.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            vault: Vault::open(path)?,
            ahead: rows::Ahead::default(),
        })
    }

    /// Starts to read what a list needs, for whoever will ask for it.
    pub fn prefetch(&self, what: Prefetch) {
        self.ahead.start(&self.vault, what);
    }

    /// Tells homes on disk that are those of another machine, as of a mount.
    pub fn adopt(&self, disk: &mut [Found], at: &Whereabouts) -> Result<(), ArchiveError> {
        self.vault
            .with(|connection| keep::adopt(connection, disk, at))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.vault.path()
    }

    /// Writes a copy that is whole, whatever is written meanwhile. Its directory must be there: on a
    /// disk that is not mounted nobody wants a backup.
    pub fn backup(&self, to: &Path) -> Result<(), ArchiveError> {
        let of_file = |source| ArchiveError::File {
            path: to.to_owned(),
            source,
        };
        if to.symlink_metadata().is_ok() {
            return Err(ArchiveError::Exists {
                path: to.to_owned(),
            });
        }
        // Half a copy must not look like one.
        let half = restore::temporary_name(to);
        let name = half
            .to_str()
            .ok_or_else(|| of_file(std::io::ErrorKind::InvalidFilename.into()))?;
        vault::create_file(&half).map_err(of_file)?;
        let written = self.vault.with(|connection| {
            connection.execute("VACUUM INTO ?1", [name])?;
            let file = File::options().write(true).open(&half);
            file.and_then(|file| file.sync_all())
                .and_then(|()| std::fs::rename(&half, to))
                .map_err(of_file)
        });
        if written.is_err() {
            let _ = std::fs::remove_file(&half);
        }
        written
    }
}

/// An archive that is open for its one writer.
#[derive(Debug)]
pub struct ArchiveWriter {
    connection: Connection,
    path: PathBuf,
    /// Held as long as this exists.
    _lock: File,
}

impl ArchiveWriter {
    /// Opens or makes an archive, unless somebody else is writing it.
    pub fn try_open(path: &Path) -> Result<Self, ArchiveError> {
        let lock = lock_file(path, ".lock")?;
        match lock.try_lock() {
            Ok(()) => Self::with_lock(path, lock),
            Err(std::fs::TryLockError::WouldBlock) => Err(ArchiveError::Busy),
            Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// The same, after whoever is writing it is done.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let lock = lock_file(path, ".lock")?;
        lock.lock()?;
        Self::with_lock(path, lock)
    }

    fn with_lock(path: &Path, lock: File) -> Result<Self, ArchiveError> {
        Ok(Self {
            connection: vault::open_to_write(path)?,
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// Tells homes on disk that are those of another machine, as of a mount.
    pub fn adopt(&self, disk: &mut [Found], at: &Whereabouts) -> Result<(), ArchiveError> {
        keep::adopt(&self.connection, disk, at)
    }

    /// Takes in what changed.
    pub fn sync(
        &mut self,
        found: &[Found],
        options: &SyncOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<SyncReport, ArchiveError> {
        let vault = Vault::open(&self.path)?;
        let mut report = sync::run(&mut self.connection, &vault, found, options, progress)?;
        drop(vault);
        self.finish_forgetting()?;
        report.archive_bytes = care::size(&self.connection)?;
        Ok(report)
    }
}

/// Held by whoever keeps an archive up to date all the time: one is enough.
#[derive(Debug)]
pub struct WatchLock {
    /// Held as long as this exists.
    _lock: File,
}

impl WatchLock {
    /// Takes it, unless somebody else has it.
    pub fn take(path: &Path) -> Result<Self, ArchiveError> {
        let lock = lock_file(path, ".watch.lock")?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(std::fs::TryLockError::WouldBlock) => Err(ArchiveError::Busy),
            Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

/// `SQLite` locks its own files; this one says that a whole run is going on.
fn lock_file(path: &Path, ending: &str) -> Result<File, ArchiveError> {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    let lock = PathBuf::from(name);
    if let Some(dir) = lock.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(|error| ArchiveError::of_own_file(dir, error))?;
    }
    let opened = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock);
    opened.map_err(|error| ArchiveError::of_own_file(&lock, error))
}
