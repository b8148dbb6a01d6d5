//! Wipes deleted data from the file.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::db::ArchiveError;
use crate::index::unit;

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
    // Deleted words stay in the full-text index until its segments are merged; references are not
    // needed by those who look again anyway.
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    unit::purge(&transaction)?;
    transaction.execute("DELETE FROM removed", [])?;
    transaction.commit()?;
    connection.execute_batch("VACUUM main; VACUUM ix")?;
    let mut is_busy = false;
    for schema in ["main", "ix"] {
        let sql = format!("PRAGMA {schema}.wal_checkpoint(TRUNCATE)");
        is_busy |= connection.query_row(&sql, [], |row| row.get::<_, bool>(0))?;
    }
    // A reader still needs the old pages; the next run tries again.
    if !is_busy {
        connection.execute("DELETE FROM setting WHERE name = 'wipe'", [])?;
    }
    Ok(())
}
