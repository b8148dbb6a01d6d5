//! The tables, and how older archives get them.

use rusqlite::{Connection, Transaction};

use super::ArchiveError;

/// Marks the file as an archive of gemtrail ("gemt").
pub(super) const APPLICATION_ID: i32 = 0x6765_6d74;

/// Views of another number are made anew from the raw layer. Raise it with every change of the
/// reader that changes what views hold.
pub(super) const VIEWS_VERSION: i64 = 1;

/// Each step leads from the schema of its index to the next. Never change one that was released:
/// add another.
const STEPS: [&str; VERSION as usize] = [include_str!("schema/1.sql")];

/// The schema that this version writes: the number of steps.
pub(super) const VERSION: i32 = 1;

/// What a file that `SQLite` could open is.
pub(super) fn check(connection: &Connection) -> Result<i32, ArchiveError> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    if application == 0 && version == 0 {
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 {
            return Ok(0);
        }
    }
    if application != APPLICATION_ID {
        return Err(ArchiveError::NotAnArchive);
    }
    if version > VERSION {
        return Err(ArchiveError::Newer {
            found: version,
            known: VERSION,
        });
    }
    Ok(version)
}

/// Brings an archive to the schema of this version.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), ArchiveError> {
    if check(connection)? == VERSION {
        return Ok(());
    }
    // Somebody else may be doing the same: look again once it is our turn.
    let transaction =
        Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
    let version = check(&transaction)?;
    for step in &STEPS[usize::try_from(version).unwrap_or_default()..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Empties the views, so that they are made anew.
pub(super) fn clear_views(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    transaction.execute_batch(
        "INSERT INTO search(search) VALUES('delete-all'); DELETE FROM unit; DELETE FROM diagnostic; DELETE FROM tool_call;
         DELETE FROM message; DELETE FROM journal; DELETE FROM session; DELETE FROM project;
         DELETE FROM setting WHERE name = 'views';
         INSERT OR IGNORE INTO stale(home, dir) SELECT DISTINCT home, dir FROM file WHERE dir IS NOT NULL;",
    )?;
    Ok(())
}
