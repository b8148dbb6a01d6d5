//! Wipes deleted data from the file.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::archive::db::ArchiveError;
use crate::archive::index;

/// Requests wiping, in the transaction that deletes.
pub(crate) fn request(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    transaction.execute(
        "INSERT OR REPLACE INTO setting(name, value) VALUES('wipe', 1)",
        [],
    )?;
    Ok(())
}

/// Wipes deleted data from pages, the word index and the write-ahead log, if requested and not done
/// yet.
pub(crate) fn finish(connection: &mut Connection) -> Result<(), ArchiveError> {
    let is_due = connection
        .prepare_cached("SELECT 1 FROM setting WHERE name = 'wipe'")?
        .exists([])?;
    if !is_due {
        return Ok(());
    }
    // Deleted words stay in the index until its segments are merged.
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    index::merge_all(&transaction)?;
    transaction.commit()?;
    connection.execute_batch("VACUUM")?;
    let is_busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    // A reader still needs the old pages; the next run tries again.
    if !is_busy {
        connection.execute("DELETE FROM setting WHERE name = 'wipe'", [])?;
    }
    Ok(())
}
