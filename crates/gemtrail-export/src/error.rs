//! Errors of writing a format and of reading one back.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use crate::redact::LeakedSecrets;

/// The outcome of writing or reading a format.
pub type Result<T = (), E = ExportError> = std::result::Result<T, E>;

/// A failed export. Odd content is never an error: it was reported when the session was read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The target did not take the bytes.
    #[error("failed to write the export")]
    Io(#[source] io::Error),
    /// A file or directory could not be created or put in place.
    #[error("failed to write {}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The target exists and may not be replaced.
    #[error("{} exists already", path.display())]
    Exists {
        /// The target.
        path: PathBuf,
    },
    /// The target is an archive or belongs to Gemini CLI, and is never replaced.
    #[error("{} is {what}, which is never replaced", path.display())]
    Protected {
        /// The target.
        path: PathBuf,
        /// Its description.
        what: &'static str,
    },
    /// A secret would have left with the export; nothing of the session was written.
    #[error(transparent)]
    SecretLeft(#[from] LeakedSecrets),
    /// A format of another crate cannot write the session.
    #[error(transparent)]
    Format(Box<dyn Error + Send + Sync>),
    /// A value has no JSON form.
    #[error("failed to convert to JSON")]
    Json(#[source] serde_json::Error),
    /// The text to read back is not what gemtrail wrote. It is not quoted: it may be anything, a
    /// secret included.
    #[error("line {line}: {reason}")]
    ReadBack {
        /// The line, counted from 1.
        line: usize,
        /// The fault.
        reason: String,
    },
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for ExportError {
    /// Keeps a broken pipe in the middle of a JSON value recognisable.
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() {
            Self::Io(error.into())
        } else {
            Self::Json(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{BrokenPipe, human, session};

    #[test]
    fn a_broken_pipe_stays_recognisable() {
        let session = session([human("hello")]);
        let error = crate::json::write(&session, &crate::FormatOptions::default(), &mut BrokenPipe)
            .expect_err("the pipe is closed");
        assert!(matches!(error, ExportError::Io(e) if e.kind() == io::ErrorKind::BrokenPipe));
    }
}
