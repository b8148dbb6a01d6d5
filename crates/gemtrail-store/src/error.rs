//! Errors of the store.

use std::io;
use std::path::PathBuf;

/// An error of the store. Unusual content is never an error: it is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A home that was asked for does not exist.
    #[error("there is no directory {}", path.display())]
    NoHome {
        /// Where it was expected.
        path: PathBuf,
    },
    /// A file that was asked for cannot be read.
    #[error("failed to read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}
