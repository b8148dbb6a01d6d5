//! Copies of an archive.

use std::fs::File;
use std::path::Path;

use crate::archive::db::ArchiveError;
use crate::archive::db::connection::create_file;
use crate::archive::db::pool::Pool;
use crate::archive::restore::temporary_name;

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
    let half = temporary_name(to);
    let name = half
        .to_str()
        .ok_or_else(|| of_file(std::io::ErrorKind::InvalidFilename.into()))?;
    create_file(&half).map_err(of_file)?;
    let written = pool.with(|connection| {
        connection.execute("VACUUM INTO ?1", [name])?;
        let file = File::options().write(true).open(&half);
        file.and_then(|file| file.sync_all())
            .and_then(|()| std::fs::rename(&half, to))
            .map_err(of_file)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&half);
    }
    written
}
