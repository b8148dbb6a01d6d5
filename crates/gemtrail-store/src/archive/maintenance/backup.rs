//! Copies of an archive.

use std::path::Path;

use crate::db::ArchiveError;
use crate::db::pool::Pool;
use crate::half::{self, Half};

/// Writes a consistent copy, whatever is written meanwhile. Its directory must exist: a backup to
/// an unmounted disk would not be a backup.
pub(crate) fn backup(pool: &Pool, to: &Path) -> Result<(), ArchiveError> {
    let of_file = |source| ArchiveError::File {
        path: to.to_owned(),
        source,
    };
    if to.symlink_metadata().is_ok() {
        return Err(ArchiveError::Exists {
            path: to.to_owned(),
        });
    }
    // A partial copy must not look like a complete one.
    half::clean(half::directory(to));
    let mut half = Half::beside(to).map_err(of_file)?;
    pool.with(|connection| {
        let name = half.path().to_str();
        let name = name.ok_or_else(|| of_file(std::io::ErrorKind::InvalidFilename.into()))?;
        connection.execute("VACUUM INTO ?1", [name])?;
        Ok::<_, ArchiveError>(())
    })?;
    half.file().sync_all().map_err(of_file)?;
    half.put(to).map_err(of_file)
}
