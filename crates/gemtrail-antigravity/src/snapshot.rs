//! Consistent bytes of a database, also while Antigravity writes it.
//!
//! Nothing is opened but for reading, and nothing is written: `SQLite` itself, even when told to
//! only read, would leave a log and an index of it in the person's directory.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::wal;

/// Files larger than this are not read: the image of a database is held in memory.
const LARGEST: u64 = 1 << 30;
/// Attempts to read both files while neither is replaced.
const ATTEMPTS: usize = 8;

/// A database as it was at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The database with everything that was committed, in one piece.
    pub image: Vec<u8>,
    /// The size of the file.
    pub bytes: u64,
    /// The last change of the database or of its log.
    pub modified: Option<SystemTime>,
}

/// A database, or its log, cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}")]
pub struct SnapshotError {
    /// The file.
    pub path: PathBuf,
    /// The reason: `FileTooLarge` if it does not fit into memory, `ResourceBusy` if it never held still.
    pub source: io::Error,
}

impl Snapshot {
    /// Reads a database and the log beside it, if there is one.
    ///
    /// While both belong together, the log is enough to mend pages that a checkpoint writes into
    /// the database at the same moment: every such page is in the log as well. They belong together
    /// unless the log begins anew, and then its header changes before anything else does. So the
    /// header has to be the same before the database is read and after the log is; without a log,
    /// the database itself has to be.
    pub fn take(path: &Path) -> Result<Self, SnapshotError> {
        let mut log_path = path.as_os_str().to_owned();
        log_path.push("-wal");
        let log_path = PathBuf::from(log_path);
        for _ in 0..ATTEMPTS {
            let before = (DatabaseState::of(path)?, generation_of(&log_path)?);
            let gone = || failed(path, io::ErrorKind::NotFound.into());
            let database = bytes_of(path)?.ok_or_else(gone)?;
            let log = bytes_of(&log_path)?.unwrap_or_default();
            let after = (DatabaseState::of(path)?, generation_of(&log_path)?);
            let is_same_log = before.1 == after.1 && before.1.as_deref() == wal::generation(&log);
            let is_quiet = before.1.is_some() || before.0 == after.0;
            if is_same_log && is_quiet {
                let logged = fs::metadata(&log_path).and_then(|it| it.modified()).ok();
                return Ok(Self {
                    bytes: database.len() as u64,
                    image: wal::image(database, &log),
                    modified: logged.max(after.0.modified),
                });
            }
        }
        Err(failed(path, io::ErrorKind::ResourceBusy.into()))
    }
}

/// The facts that change with a database.
#[derive(PartialEq)]
struct DatabaseState {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Its header has a counter of changes; times are coarse.
    header: Vec<u8>,
}

impl DatabaseState {
    fn of(path: &Path) -> Result<Self, SnapshotError> {
        let metadata = fs::metadata(path).map_err(|source| failed(path, source))?;
        if !metadata.is_file() {
            // A pipe would be waited for without end.
            return Err(failed(path, io::ErrorKind::InvalidInput.into()));
        }
        Ok(Self {
            bytes: metadata.len(),
            modified: metadata.modified().ok(),
            header: beginning_of(path, 100)?.unwrap_or_default(),
        })
    }
}

/// The header of a log; `None` if there is no log, or an empty one.
fn generation_of(path: &Path) -> Result<Option<Vec<u8>>, SnapshotError> {
    let header = beginning_of(path, 32)?;
    Ok(header.filter(|header| wal::generation(header).is_some()))
}

fn bytes_of(path: &Path) -> Result<Option<Vec<u8>>, SnapshotError> {
    let bytes = beginning_of(path, LARGEST + 1)?;
    if bytes.as_ref().is_some_and(|it| it.len() as u64 > LARGEST) {
        return Err(failed(path, io::ErrorKind::FileTooLarge.into()));
    }
    Ok(bytes)
}

/// The first bytes of a file; `None` if it does not exist.
fn beginning_of(path: &Path, count: u64) -> Result<Option<Vec<u8>>, SnapshotError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(count).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    }
}

fn failed(path: &Path, source: io::Error) -> SnapshotError {
    let path = path.to_owned();
    SnapshotError { path, source }
}
