//! The index beside an archive: a database of its own that is attached to every connection as `ix`.
//!
//! It can be deleted at any time. Whoever writes makes it anew if it is missing, damaged, or of
//! another version, as a draft that takes its place once it is complete; whoever only reads does
//! without it until then.

use std::path::{Path, PathBuf};

use gemtrail_core::prices::Prices;
use rusqlite::{Connection, Transaction};

use super::connection::immutable_uri;
use super::error::ArchiveError;
use super::private;

/// The version of the tables and of the reader that fills them. Increment it with every change of
/// either that changes what is in the index.
const VERSION: i64 = 29;

const TABLES: &str = include_str!("schema/index.sql");

/// The version, with the day of the price table, since rows have costs.
fn version() -> i64 {
    let day = Prices::built_in().as_of().replace('-', "");
    VERSION * 100_000_000 + day.parse::<i64>().unwrap_or_default()
}

/// The index of an archive: `archive.index.db` beside `archive.db`.
pub(crate) fn path_of(archive: &Path) -> PathBuf {
    if archive.extension().is_some_and(|it| it == "db") {
        return archive.with_extension("index.db");
    }
    private::beside(archive, ".index.db")
}

/// Attaches the index of an archive that is open for reading. False if it has none that can be used.
pub(super) fn attach_to_read(connection: &Connection, archive: &Path) -> bool {
    let path = path_of(archive);
    if !path.is_file() {
        return false;
    }
    let uri = immutable_uri(&path);
    let names = [path.as_os_str().as_encoded_bytes(), uri.as_bytes()];
    for name in names {
        if connection.execute("ATTACH ?1 AS ix", [name]).is_ok() {
            match is_complete(connection) {
                Ok(true) if fits(connection).unwrap_or(false) => return true,
                outcome => {
                    let _ = connection.execute_batch("DETACH ix");
                    if outcome.is_ok() {
                        return false;
                    }
                }
            }
        }
    }
    false
}

/// The path of a new index while it is being built. Readers see it once it is complete.
fn draft_of(archive: &Path) -> PathBuf {
    private::beside(&path_of(archive), ".new")
}

/// Attaches the index of an archive that is open for writing, or else the draft of a new one.
pub(super) fn attach_to_write(connection: &Connection, archive: &Path) -> Result<(), ArchiveError> {
    let path = path_of(archive);
    if path.is_file() && attach(connection, &path).is_ok() {
        if matches!(is_complete(connection), Ok(true)) && fits(connection)? {
            return set_up(connection, "WAL");
        }
        connection.execute_batch("DETACH ix")?;
    }
    let draft = draft_of(archive);
    if draft.is_file() && attach(connection, &draft).is_ok() {
        // A run was interrupted.
        if matches!(has_our_version(connection), Ok(true)) && fits(connection)? {
            return set_up(connection, "DELETE");
        }
        connection.execute_batch("DETACH ix")?;
    }
    start_anew(connection, archive)
}

/// Starts an empty draft. The index stays as it is until the draft takes its place.
pub(crate) fn start_anew(connection: &Connection, archive: &Path) -> Result<(), ArchiveError> {
    let _ = connection.execute_batch("DETACH ix");
    connection.flush_prepared_statement_cache();
    let draft = draft_of(archive);
    remove_files(&draft)?;
    private::open_file(&draft).map_err(|error| ArchiveError::of_own_file(&draft, error))?;
    attach(connection, &draft)?;
    connection.pragma_update(Some("ix"), "page_size", 8192)?;
    set_up(connection, "DELETE")?;
    create(connection)?;
    connection.execute(
        "UPDATE state SET archive = (SELECT value FROM setting WHERE name = 'identity')",
        [],
    )?;
    Ok(())
}

/// Puts a draft in the place of the index, if it is complete.
pub(crate) fn publish(connection: &Connection, archive: &Path) -> Result<(), ArchiveError> {
    let (path, draft) = (path_of(archive), draft_of(archive));
    let attached: String = connection.query_row(
        "SELECT file FROM pragma_database_list WHERE name = 'ix'",
        [],
        |row| row.get(0),
    )?;
    let is_draft = Path::new(&attached).file_name() == draft.file_name();
    if !is_draft || !is_complete(connection)? {
        return Ok(());
    }
    connection.flush_prepared_statement_cache();
    connection.execute_batch("DETACH ix")?;
    // In this order: the log of the old index must never be found beside the new one. Whoever has the
    // old one open goes on with it.
    remove_files(&path)?;
    let renamed = std::fs::rename(&draft, &path);
    renamed.map_err(|error| ArchiveError::of_own_file(&path, error))?;
    attach(connection, &path)?;
    set_up(connection, "WAL")
}

/// Removes the index of an archive, which takes no room. Nothing can be asked of the connection any
/// more.
pub(crate) fn remove(connection: &Connection, archive: &Path) -> Result<(), ArchiveError> {
    connection.flush_prepared_statement_cache();
    let _ = connection.execute_batch("DETACH ix");
    remove_files(&path_of(archive))?;
    remove_files(&draft_of(archive))
}

fn attach(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let name = path.as_os_str().as_encoded_bytes();
    connection.execute("ATTACH ?1 AS ix", [name])?;
    Ok(())
}

/// Removes a database and what belongs to it.
pub(crate) fn remove_files(path: &Path) -> Result<(), ArchiveError> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let file = private::beside(path, ending);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ArchiveError::of_own_file(&file, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Makes the tables of a new index.
pub(crate) fn create(connection: &Connection) -> Result<(), ArchiveError> {
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.execute(
        "INSERT INTO state(version, complete, change) VALUES(?1, 0, 0)",
        [version()],
    )?;
    Ok(transaction.commit()?)
}

fn set_up(connection: &Connection, journal: &str) -> Result<(), ArchiveError> {
    connection.pragma_update(Some("ix"), "journal_mode", journal)?;
    connection.pragma_update(Some("ix"), "synchronous", "NORMAL")?;
    connection.pragma_update(Some("ix"), "secure_delete", true)?;
    connection.pragma_update(Some("ix"), "cache_size", -65_536)?;
    Ok(())
}

/// True if the index belongs to this archive. It does not if the archive was deleted and made again, or
/// replaced by an earlier copy.
fn fits(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare(
        "SELECT 1 FROM ix.state
         WHERE archive = (SELECT value FROM main.setting WHERE name = 'identity')
           AND raw <= (SELECT coalesce(max(max(touched, stale)), 0) FROM main.dir)",
    )?;
    statement.exists([])
}

fn has_our_version(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT 1 FROM ix.state WHERE version = ?1")?;
    statement.exists([version()])
}

/// True if everything was indexed once. Errors if there is no index.
pub(crate) fn is_complete(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare("SELECT 1 FROM ix.state WHERE version = ?1 AND complete")?;
    statement.exists([version()])
}

/// Notes that everything was indexed, up to the last change of the archive.
pub(crate) fn set_complete(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    transaction.execute(
        "UPDATE state SET complete = 1,
           raw = (SELECT coalesce(max(max(touched, stale)), 0) FROM dir)",
        [],
    )?;
    Ok(())
}

/// The number of the last change.
pub(crate) fn last_change(connection: &Connection) -> Result<i64, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT change FROM state")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Counts one more change and returns its number.
pub(crate) fn next_change(transaction: &Transaction<'_>) -> Result<i64, ArchiveError> {
    transaction
        .prepare_cached("UPDATE state SET change = change + 1")?
        .execute([])?;
    last_change(transaction)
}
