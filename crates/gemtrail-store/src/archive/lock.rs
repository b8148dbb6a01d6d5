//! Locks next to an archive: one writer at a time, and one watcher.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::db::ArchiveError;
use crate::db::private;

/// The ending of the watcher's lock file.
const WATCH: &str = ".watch.lock";

/// Held while writing an archive.
#[derive(Debug)]
pub(crate) struct WriteLock {
    /// Released on drop.
    _lock: File,
}

impl WriteLock {
    /// Takes the lock, unless another process holds it.
    pub(crate) fn try_take(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            _lock: try_lock(path, ".lock")?,
        })
    }

    /// Takes the lock, waiting until no other process holds it.
    pub(crate) fn take(path: &Path) -> Result<Self, ArchiveError> {
        let lock = lock_file(path, ".lock")?;
        lock.lock()?;
        Ok(Self { _lock: lock })
    }
}

/// Held by a process that keeps an archive continuously up to date: one is enough.
#[derive(Debug)]
pub struct WatchLock {
    /// Released on drop.
    _lock: File,
}

impl WatchLock {
    /// Takes the lock, unless another process holds it.
    pub fn take(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            _lock: try_lock(path, WATCH)?,
        })
    }

    /// Whether a process holds it. Makes no file.
    pub fn is_held(path: &Path) -> bool {
        let lock = File::open(beside(path, WATCH));
        lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

fn try_lock(path: &Path, ending: &str) -> Result<File, ArchiveError> {
    let lock = lock_file(path, ending)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(ArchiveError::Busy),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// `SQLite` locks its own files; this one marks a whole run.
fn lock_file(path: &Path, ending: &str) -> Result<File, ArchiveError> {
    let lock = beside(path, ending);
    if let Some(dir) = lock.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        private::make_directory(dir).map_err(|error| ArchiveError::of_own_file(dir, error))?;
    }
    let opened = private::open_file(&lock);
    opened.map_err(|error| ArchiveError::of_own_file(&lock, error))
}
