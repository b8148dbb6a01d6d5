//! Errors of installing and removing.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// An error of installing or removing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A settings file is not what Gemini CLI would read.
    #[error("{}: {what}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The mistake in it.
        what: String,
    },
    /// The record of an earlier run cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Receipt {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
}

/// Names the file in an error.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> SetupError {
    move |source| SetupError::File {
        path: path.to_owned(),
        source,
    }
}

/// The bytes of a file, if it is there.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, SetupError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}
