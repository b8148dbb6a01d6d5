//! Errors.

use std::io;
use std::path::{Path, PathBuf};

/// A lake that could not be written, checked or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LakeError {
    /// A file or directory could not be read, written or removed.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A Parquet file could not be written or read.
    #[error("{}: {source}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: parquet::errors::ParquetError,
    },
    /// A file is not what gemtrail writes there.
    #[error("{}: {what}", path.display())]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// A description of what is wrong with it.
        what: String,
    },
}

impl LakeError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn parquet(path: &Path) -> impl Fn(parquet::errors::ParquetError) -> Self {
        |source| Self::Parquet {
            path: path.to_owned(),
            source,
        }
    }
}
