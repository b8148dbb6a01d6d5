//! An archive open for any number of readers and one writer.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gemtrail_core::model::Diagnostic;
use gemtrail_home::discover::Found;
use gemtrail_home::partial_file::{self, PartialFile};
use rusqlite::Connection;

use crate::Hints;
use crate::db::ArchiveError;
use crate::db::connection::open_to_write;
use crate::db::identify::{Owner, owner};
use crate::db::pool::Pool;
use crate::db::private::{self, LOCK, beside, make_directory};

use crate::index::unit::all_words;
use crate::index::{self, taught};
use crate::library::Library;
use crate::raw::changes::Lacking;
use crate::raw::homes::Machine;
use crate::raw::options::SyncOptions;
use crate::raw::{homes, scrub};

/// The ending of the watcher's lock file.
const WATCH: &str = ".watch.lock";

/// An archive open for reading.
#[derive(Clone, Debug)]
pub struct Archive {
    pub(super) pool: Arc<Pool>,
}

impl Archive {
    /// Opens an existing archive.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let pool = Pool::open(path)?;
        Ok(Self { pool })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    /// Checks everything that is stored, and names the files whose bytes are damaged.
    pub fn damaged(&self) -> Result<Vec<Diagnostic>, ArchiveError> {
        scrub::damaged_files(&self.pool)
    }

    /// Marks homes on disk that belong to another machine, such as a mounted backup.
    pub fn adopt(&self, disk: &mut [Found], at: &Machine) -> Result<(), ArchiveError> {
        self.pool
            .with(|connection| homes::adopt(connection, disk, at))
    }

    /// True if the index can be asked. It cannot while nobody has made it, or is making it.
    pub fn has_index(&self) -> bool {
        self.pool.has_index()
    }

    /// The files that it lacks, or has in another state, of those homes that it has seen before.
    pub fn lacking(&self, disk: &[Found], at: &Machine) -> Result<Lacking, ArchiveError> {
        self.pool.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Lacking::of(connection, &homes::known(connection, disk, at)?, at)
        })
    }

    /// True if it lacks nothing, knows all root paths that were taught, and its index has everything
    /// that it has.
    pub(crate) fn is_settled(
        &self,
        lacking: &Lacking,
        options: &SyncOptions,
    ) -> Result<bool, ArchiveError> {
        if !self.has_index() || lacking.has_moved || !lacking.to_take.is_empty() {
            return Ok(false);
        }
        self.pool.with(|connection| {
            let taught = taught::if_it_matters(connection)?;
            let mut paths = options.hints.taught.iter();
            let knows_paths = taught.is_none_or(|known| paths.all(|path| known.contains(path)));
            Ok(knows_paths && index::is_fresh(connection)?)
        })
    }

    /// True if a sync would find nothing to do in the homes that it knows. Opens no file.
    pub fn is_up_to_date(
        &self,
        disk: &[Found],
        options: &SyncOptions,
    ) -> Result<bool, ArchiveError> {
        let lacking = self.lacking(disk, &options.machine)?;
        self.is_settled(&lacking, options)
    }

    /// Everything in the archive, and excluded projects that are on disk.
    pub fn library(
        &self,
        disk: &[Found],
        machine: &Machine,
        hints: &Hints,
    ) -> Result<Library, ArchiveError> {
        Library::of_archive(&self.pool, disk, machine, hints)
    }

    /// Every word of the index, with the number of texts that have it.
    pub fn words(&self) -> Result<BTreeMap<String, u64>, ArchiveError> {
        self.pool.with(all_words)
    }

    /// Writes a consistent copy, whatever is written meanwhile. Its directory must exist: a backup
    /// to an unmounted disk would not be a backup.
    pub fn backup(&self, to: &Path) -> Result<(), ArchiveError> {
        let path = to.to_owned();
        if to.symlink_metadata().is_ok() {
            return Err(ArchiveError::Exists { path });
        }
        let of_file = |source| ArchiveError::File {
            path: path.clone(),
            source,
        };
        // A partial copy must not look like a complete one.
        partial_file::clean(partial_file::directory(to));
        let mut half = PartialFile::beside(to).map_err(of_file)?;
        let name = half.path().to_str();
        let name = name.ok_or_else(|| of_file(std::io::ErrorKind::InvalidFilename.into()))?;
        self.pool.with(|connection| {
            connection.execute("VACUUM INTO ?1", [name])?;
            Ok::<_, ArchiveError>(())
        })?;
        half.file().sync_all().map_err(of_file)?;
        half.put(to).map_err(of_file)
    }
}

/// An archive open for its one writer.
#[derive(Debug)]
pub struct ArchiveWriter {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    /// Released on drop.
    _lock: File,
}

impl ArchiveWriter {
    /// Opens or creates an archive; fails if another process is writing it.
    pub fn try_open(path: &Path) -> Result<Self, ArchiveError> {
        Self::with_lock(path, try_lock(path, LOCK)?)
    }

    /// Opens or creates an archive, waiting until no other process is writing it.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let lock = lock_file(path, LOCK)?;
        lock.lock()?;
        Self::with_lock(path, lock)
    }

    fn with_lock(path: &Path, lock: File) -> Result<Self, ArchiveError> {
        // Backups that were killed while they were written are whole copies.
        partial_file::clean(partial_file::directory(path));
        Ok(Self {
            connection: open_to_write(path)?,
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// Writes everything into the files themselves, so that they can be moved.
    pub(super) fn flush(&self) -> Result<(), ArchiveError> {
        let all = "PRAGMA wal_checkpoint(TRUNCATE)";
        Ok(self.connection.query_row(all, [], |_| Ok(()))?)
    }

    /// Marks homes on disk that belong to another machine, such as a mounted backup.
    pub fn adopt(&self, disk: &mut [Found], at: &Machine) -> Result<(), ArchiveError> {
        homes::adopt(&self.connection, disk, at)
    }

    /// Those of the homes on disk that the archive has seen before.
    pub fn known_homes(&self, disk: &[Found], at: &Machine) -> Result<Vec<Found>, ArchiveError> {
        homes::known(&self.connection, disk, at)
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
        let lock = try_lock(path, WATCH)?;
        Ok(Self { _lock: lock })
    }

    /// True if a process holds it. Makes no file.
    pub fn is_held(path: &Path) -> bool {
        let lock = File::open(beside(path, WATCH));
        lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

pub(super) fn try_lock(path: &Path, ending: &str) -> Result<File, ArchiveError> {
    let lock = lock_file(path, ending)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(ArchiveError::Busy),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// `SQLite` locks its own files; this one marks a whole run.
fn lock_file(path: &Path, ending: &str) -> Result<File, ArchiveError> {
    let lock = beside(path, ending);
    if let Some(dir) = lock.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        make_directory(dir).map_err(|error| ArchiveError::of_own_file(dir, error))?;
    }
    private::open_file(&lock).map_err(|error| ArchiveError::of_own_file(&lock, error))
}

/// Takes the rights of everybody else from an archive and what belongs to it. Gives the files that
/// others could use until now; other files are left alone.
pub fn tighten(path: &Path) -> Vec<PathBuf> {
    match owner(path) {
        Some(Owner::Gemtrail) => private::tighten(path),
        // The mark of a new archive may still be in its log.
        Some(Owner::Unmarked) if beside(path, LOCK).exists() => private::tighten(path),
        _ => Vec::new(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn mode(path: &Path) -> u32 {
        let metadata = fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    }

    #[test]
    fn a_file_that_is_no_archive_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let other = rusqlite::Connection::open(dir.path().join("other.db")).unwrap();
        other
            .execute_batch("PRAGMA application_id = 7; CREATE TABLE t(a)")
            .unwrap();
        fs::write(dir.path().join("notes.txt"), "not an archive").unwrap();
        fs::write(dir.path().join("empty.txt"), "").unwrap();
        for name in ["other.db", "notes.txt", "empty.txt"] {
            let file = dir.path().join(name);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            assert_eq!(tighten(&file), Vec::<PathBuf>::new(), "{name}");
            assert_eq!(mode(&file), 0o644, "{name}");
        }
    }

    #[test]
    fn an_archive_is_tightened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        drop(crate::archive::ArchiveWriter::open(&path).unwrap());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(tighten(&path), std::slice::from_ref(&path));
        assert_eq!(mode(&path), 0o600);
    }
}
