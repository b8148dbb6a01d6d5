//! Leaves no byte of what was deleted.

use rusqlite::{Connection, Transaction};

use crate::archive::db::ArchiveError;

/// Asks for it, in the transaction that deletes.
pub(crate) fn request(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    transaction.execute(
        "INSERT OR REPLACE INTO setting(name, value) VALUES('wipe', 1)",
        [],
    )?;
    Ok(())
}

/// Leaves no trace of what was deleted in pages, in the index and in the log of writes, if that
/// has not been done yet.
pub(crate) fn finish(connection: &mut Connection) -> Result<(), ArchiveError> {
    let is_due = connection
        .prepare_cached("SELECT 1 FROM setting WHERE name = 'wipe'")?
        .exists([])?;
    if !is_due {
        return Ok(());
    }
    // Deleted words stay in the index until its parts are merged.
    connection.execute("INSERT INTO search(search) VALUES('optimize')", [])?;
    connection.execute_batch("VACUUM")?;
    let is_busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    // A reader still needs the old pages; the next run tries again.
    if !is_busy {
        connection.execute("DELETE FROM setting WHERE name = 'wipe'", [])?;
    }
    Ok(())
}
