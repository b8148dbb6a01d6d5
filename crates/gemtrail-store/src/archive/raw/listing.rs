//! Whether a home still looks as it did when the archive had everything of it. Comparing one digest
//! is much cheaper than comparing a hundred thousand files one by one.

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::found::{files_of, path_below};
use super::homes::home_of;
use super::whereabouts::Whereabouts;
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::HomeRowId;
use crate::archive::db::mark::Mark;
use crate::discover::Found;

/// Whether the homes look as they did when the archive had everything of them, and the archive is
/// still the same.
pub(crate) fn is_as_noted(
    connection: &Connection,
    disk: &[Found],
    whereabouts: &Whereabouts,
) -> Result<bool, ArchiveError> {
    let mark = Mark::read(connection)?.to_text();
    let mut statement =
        connection.prepare_cached("SELECT digest FROM listing WHERE home = ?1 AND mark = ?2")?;
    for found in disk {
        let Some(home) = home_of(connection, found, whereabouts)? else {
            return Ok(false);
        };
        let noted: Option<Vec<u8>> = statement
            .query_row((home, &mark), |row| row.get(0))
            .optional()?;
        if noted.is_none_or(|noted| noted != digest(found)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Notes what the homes look like. The archive must have everything of them.
pub(crate) fn note(
    connection: &Connection,
    disk: &[Found],
    whereabouts: &Whereabouts,
) -> Result<(), ArchiveError> {
    let mark = Mark::read(connection)?.to_text();
    let mut statement = connection
        .prepare_cached("INSERT OR REPLACE INTO listing(home, digest, mark) VALUES(?1, ?2, ?3)")?;
    for found in disk {
        let home: Option<HomeRowId> = home_of(connection, found, whereabouts)?;
        if let Some(home) = home {
            statement.execute((home, digest(found), &mark))?;
        }
    }
    Ok(())
}

/// A digest of the names, sizes and times of all files of a home, and of what cannot be read in it.
fn digest(found: &Found) -> Vec<u8> {
    let mut digest = Sha256::new();
    let mut name = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    for finding in found.unreadable() {
        name(finding.journal.as_deref().unwrap_or_default().as_bytes());
    }
    for (_, file) in files_of(found) {
        name(path_below(found, file).as_os_str().as_encoded_bytes());
        let stat = &file.stat;
        name(&stat.bytes.to_le_bytes());
        name(&stat.modified.to_le_bytes());
        name(&stat.inode.to_le_bytes());
        name(&stat.changed.unwrap_or_default().to_le_bytes());
    }
    digest.finalize().to_vec()
}
