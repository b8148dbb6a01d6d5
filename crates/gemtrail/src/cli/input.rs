//! Files that were named and are read as a whole.

use std::path::Path;

use crate::error::CliError;

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        let message = format!("failed to read {}: {error}", path.display());
        CliError::cannot("unreadable", message)
    })
}
