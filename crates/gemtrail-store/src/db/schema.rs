//! The tables, and how older archives are migrated.

use rusqlite::{Connection, Transaction};

use super::error::ArchiveError;

/// Marks the file as a gemtrail archive ("gemt").
pub(crate) const APPLICATION_ID: i32 = 0x6765_6d74;

/// The tables of the raw layer. Archives of before have others, which were made from these.
const TABLES: [&str; 12] = [
    "chunk",
    "content",
    "dir",
    "file",
    "forgotten",
    "home",
    "mark",
    "retired",
    "setting",
    "taught",
    "tidied",
    "version",
];

/// Each step migrates from the schema of its index to the next. Never change a released one: add
/// another.
const STEPS: [&str; VERSION as usize] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
];

/// The schema that this version writes: the number of steps.
pub(crate) const VERSION: i32 = 7;

/// Checks that a file `SQLite` could open is an archive; returns its schema version.
pub(crate) fn check(connection: &Connection) -> Result<i32, ArchiveError> {
    // At one moment: the archive may be created between two of these questions.
    let is_alone = connection.is_autocommit();
    let _moment = is_alone
        .then(|| connection.unchecked_transaction())
        .transpose()?;
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

/// Migrates an archive to the current schema.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), ArchiveError> {
    if check(connection)? == VERSION {
        return Ok(());
    }
    // Another process may be doing the same: check again once we hold the lock.
    let transaction =
        Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
    let version = check(&transaction)?;
    for step in &STEPS[usize::try_from(version).unwrap_or_default()..] {
        transaction.execute_batch(step)?;
    }
    drop_old_tables(&transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Drops what older versions kept in the archive itself and is in the index now.
fn drop_old_tables(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    // Virtual tables first, as they own other tables. Then the tables that refer to others.
    for condition in ["sql LIKE 'CREATE VIRTUAL %'", "true"] {
        let mut statement = transaction.prepare(&format!(
            "SELECT name FROM main.sqlite_schema
             WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND {condition} ORDER BY rowid DESC"
        ))?;
        let names = statement.query_map([], |row| row.get(0))?;
        let names: Vec<String> = names.collect::<Result<_, _>>()?;
        for table in names.iter().filter(|it| !TABLES.contains(&it.as_str())) {
            let table = table.replace('"', "\"\"");
            transaction.execute_batch(&format!("DROP TABLE IF EXISTS main.\"{table}\""))?;
        }
    }
    // Which versions are repeated was determined by a reader.
    transaction.execute_batch("UPDATE version SET repeated = 0 WHERE repeated")?;
    Ok(())
}
