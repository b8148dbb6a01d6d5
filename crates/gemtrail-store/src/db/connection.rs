//! Opens the database for reading or writing.

use std::path::Path;
use std::time::Duration;

use gemtrail_core::internal::hex;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::ArchiveError;
use super::identify::{explain, refuse_truncated};
use super::{index_file, private, schema};

/// The time that a statement waits for another process. Only writers ever wait: readers see the last
/// committed state.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens an archive read-only. Where not even `SQLite`'s side files can be written, because that is
/// not allowed or the disk is full, no other process can be writing either.
///
/// The flag says whether its index is attached.
pub(super) fn open_to_read(path: &Path) -> Result<(Connection, bool), ArchiveError> {
    if !path.exists() {
        return Err(ArchiveError::Missing {
            path: path.to_owned(),
        });
    }
    if std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        // Opening a pipe would wait for somebody to write.
        return Err(ArchiveError::NotAnArchive);
    }
    refuse_truncated(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let probe = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    };
    let connection = match probe(&connection) {
        Ok(()) => connection,
        Err(error) => {
            let is_forbidden = matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            );
            // The file alone is the whole archive only if nothing is left in the log.
            let is_full = has_no_room(&error) && !has_log(path);
            if !is_forbidden && !is_full {
                return Err(error.into());
            }
            let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
            probe(&connection)?;
            connection
        }
    };
    let has_index = index_file::attach_to_read(&connection, path);
    connection.pragma_update(None, "cache_size", -8192)?;
    set_up(&connection)?;
    Ok((connection, has_index))
}

/// Opens an index that is in memory, under a name that only this process knows.
pub(super) fn open_in_memory(uri: &str) -> Result<Connection, ArchiveError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(":memory:", flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute("ATTACH ?1 AS ix", [uri])?;
    connection.pragma_update(Some("ix"), "journal_mode", "MEMORY")?;
    connection.pragma_update(Some("ix"), "synchronous", "OFF")?;
    set_up(&connection)?;
    Ok(connection)
}

fn set_up(connection: &Connection) -> Result<(), ArchiveError> {
    cache_statements(connection)?;
    add_functions(connection)
}

/// Keeps prepared statements for the next time. They forget their parameters meanwhile, and most are
/// prepared anew for other ones, unless plans must not depend on these. None of ours needs that.
fn cache_statements(connection: &Connection) -> Result<(), ArchiveError> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Adds `rarray(?)`, a list of values as a table, and `contains_folded(part, text, …)`: whether one
/// of the texts in lower case, as Rust understands that, contains the part. `SQLite` folds only
/// ASCII.
fn add_functions(connection: &Connection) -> Result<(), ArchiveError> {
    rusqlite::vtab::array::load_module(connection)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("contains_folded", -1, flags, |call| {
        let part = call.get_raw(0).as_str()?;
        for at in 1..call.len() {
            let text = call.get_raw(at).as_str_or_null()?;
            if text.is_some_and(|text| text.to_lowercase().contains(part)) {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    Ok(())
}

/// Opens an archive of any schema to read its raw layer. Returns the schema, too.
pub(crate) fn open_to_import(path: &Path) -> Result<(Connection, i32), ArchiveError> {
    let (connection, _) = open_to_read(path).map_err(|error| explain(error, path))?;
    match schema::check(&connection).map_err(|error| explain(error, path))? {
        0 => Err(ArchiveError::Empty),
        found => Ok((connection, found)),
    }
}

/// True if `SQLite` could not make its shared index of the log.
fn has_no_room(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{
        SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE,
    };
    let code = error.sqlite_error().map(|error| error.extended_code);
    let is_about_index = code.is_some_and(|code| {
        [
            SQLITE_IOERR_SHMMAP,
            SQLITE_IOERR_SHMOPEN,
            SQLITE_IOERR_SHMSIZE,
            SQLITE_IOERR_WRITE,
        ]
        .contains(&code)
    });
    is_about_index || error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

/// True if anything is in the write-ahead log.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

pub(super) fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            _ => {
                uri.push('%');
                uri.push_str(&hex(&[byte]));
            }
        }
    }
    uri + "?immutable=1"
}

/// Opens an archive for its one writer, creating it if necessary.
pub(crate) fn open_to_write(path: &Path) -> Result<Connection, ArchiveError> {
    create_private(path)?;
    refuse_truncated(path)?;
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    schema::check(&connection).map_err(|error| explain(error, path))?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Deleted data must not survive in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    cache_statements(&connection)?;
    schema::migrate(&mut connection)?;
    index_file::attach_to_write(&connection, path)?;
    Ok(connection)
}

/// Creates the archive file if it is missing, readable by its owner only.
pub(crate) fn create_private(path: &Path) -> Result<(), ArchiveError> {
    let at = |error| ArchiveError::of_own_file(path, error);
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        private::make_directory(dir).map_err(at)?;
    }
    private::open_file(path).map_err(at)?;
    private::tighten(path);
    Ok(())
}
