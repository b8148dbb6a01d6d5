//! What can go wrong with an archive.

use std::io;
use std::path::PathBuf;

use gemtrail_home::put::PutError;
use rusqlite::ErrorCode;

/// A reason why an archive cannot be used. Nothing in it is damaged by any of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// There is no such file.
    #[error("there is no archive at {}", path.display())]
    Missing {
        /// The place where it was looked for.
        path: PathBuf,
    },
    /// The file is not an archive.
    #[error("not a gemtrail archive")]
    NotAnArchive,
    /// A newer gemtrail wrote it.
    #[error("the archive has schema {found}, this version of gemtrail knows {known}")]
    Newer {
        /// Its schema.
        found: i32,
        /// The newest schema known.
        known: i32,
    },
    /// Nothing was ever stored in it, or everything is lost.
    #[error("the archive is empty")]
    Empty,
    /// An older gemtrail wrote it, and it is open read-only.
    #[error("the archive has schema {found} and must be updated to {known} first")]
    Older {
        /// Its schema.
        found: i32,
        /// The newest schema known.
        known: i32,
    },
    /// The index does not agree with the files: views are being rebuilt, or something is damaged.
    #[error("the archive does not match its index")]
    NotAsIndexed,
    /// An archive was to be merged into itself.
    #[error("an archive cannot be imported into itself")]
    Itself,
    /// Somebody asked to stop.
    #[error("the update was interrupted")]
    Interrupted,
    /// Another process is writing.
    #[error("the archive is being written by another process")]
    Busy,
    /// No space left.
    #[error("the disk is full; everything archived before is safe")]
    DiskFull,
    /// Writing failed for another reason: a quota, a limit, a broken disk.
    #[error("the archive could not be written ({0}); everything archived before is safe")]
    NotWritten(rusqlite::Error),
    /// A session was forgotten, but its bytes are still in the file.
    #[error("the session is removed, but its bytes are not wiped yet: {0}")]
    NotWiped(Box<ArchiveError>),
    /// The archive is not writable.
    #[error("the archive cannot be written")]
    ReadOnly,
    /// The file is damaged.
    #[error("the archive is damaged: {what}")]
    Damaged {
        /// The finding.
        what: String,
    },
    /// A file other than the archive.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file exists and must not be overwritten.
    #[error("{} exists and differs", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database failed.
    #[error("the archive cannot be used: {0}")]
    Database(rusqlite::Error),
    /// A home could not be scanned.
    #[error(transparent)]
    Store(#[from] crate::StoreError),
}

impl ArchiveError {
    /// True if it may resolve itself: space is freed, a writer finishes, or a disk is mounted
    /// again.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::DiskFull
                | Self::ReadOnly
                | Self::File { .. }
                | Self::Io(_)
                | Self::NotWritten(_)
                | Self::Database(_)
        )
    }
}

impl From<rusqlite::Error> for ArchiveError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::SystemIoFailure) if is_about_writing(&error) => Self::NotWritten(error),
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::NotADatabase) => Self::NotAnArchive,
            Some(ErrorCode::DatabaseCorrupt) => damaged(error.to_string()),
            None if is_about_a_value(&error) => damaged(error.to_string()),
            _ => Self::Database(error),
        }
    }
}

/// True for a value of a type or an encoding that nobody wrote.
fn is_about_a_value(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

fn is_about_writing(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{
        SQLITE_IOERR_FSYNC, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE,
    };
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| {
        [
            SQLITE_IOERR_WRITE,
            SQLITE_IOERR_FSYNC,
            SQLITE_IOERR_TRUNCATE,
            SQLITE_IOERR_SHMSIZE,
        ]
        .contains(&code)
    })
}

impl From<PutError> for ArchiveError {
    fn from(error: PutError) -> Self {
        match error {
            PutError::Exists(path) => Self::Exists { path },
            // The bytes of a file that is put come from an archive.
            PutError::File { path, source } => match source.downcast() {
                Ok(of_archive) => of_archive,
                Err(source) => Self::File { path, source },
            },
        }
    }
}

impl From<ArchiveError> for io::Error {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Io(error) => error,
            other => Self::other(other),
        }
    }
}

impl ArchiveError {
    /// The error for an archive, or one of its own files, that cannot be written.
    pub(crate) fn of_own_file(path: &std::path::Path, source: io::Error) -> Self {
        use io::ErrorKind::{
            FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        match source.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::DiskFull,
            PermissionDenied | ReadOnlyFilesystem => Self::ReadOnly,
            _ => Self::File {
                path: path.to_owned(),
                source,
            },
        }
    }
}

/// An error for bytes that are not as they were stored.
pub(crate) fn damaged(what: impl Into<String>) -> ArchiveError {
    ArchiveError::Damaged { what: what.into() }
}
