//! The tables, and how older archives are migrated.

use gemtrail_core::prices::Prices;
use rusqlite::{Connection, Transaction};

use super::error::ArchiveError;

/// Marks the file as a gemtrail archive ("gemt").
pub(crate) const APPLICATION_ID: i32 = 0x6765_6d74;

/// Views with another version are rebuilt from the raw layer. Increment it with every change of
/// their tables, and of the reader if that changes their content.
pub(crate) const VIEWS_VERSION: i64 = 23;

/// The version of the views with the day of the price table, since rows have costs.
fn views_version() -> i64 {
    let day = Prices::built_in().as_of().replace('-', "");
    VIEWS_VERSION * 100_000_000 + day.parse::<i64>().unwrap_or_default()
}

/// The current tables of the views. They need no migrations: they are dropped and rebuilt.
const VIEWS: &str = include_str!("schema/views.sql");

/// Tables that are never dropped. All others are views, of whatever version.
const KEPT_TABLES: [&str; 11] = [
    "chunk",
    "content",
    "home",
    "listing",
    "file",
    "version",
    "forgotten",
    "taught",
    "setting",
    "stale",
    "retired",
];

/// Each step migrates from the schema of its index to the next. Never change a released one: add
/// another.
const STEPS: [&str; VERSION as usize] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
];

/// The schema that this version writes: the number of steps.
pub(crate) const VERSION: i32 = 5;

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
    if version == 0 {
        transaction.execute_batch(VIEWS)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Whether the views have the current version.
pub(crate) fn has_our_views(connection: &Connection) -> Result<bool, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM setting WHERE name = 'views' AND value = ?1")?;
    Ok(statement.exists([views_version()])?)
}

/// Keeps which file is of which session, as far as the views know. Those of another version may know
/// nothing that can be read.
pub(crate) fn remember_sessions(transaction: &Transaction<'_>) {
    let _ = transaction.execute(
        "UPDATE file SET session = known.session
         FROM (SELECT journal.file, session.session FROM journal
               JOIN session ON session.id = journal.session) AS known
         WHERE known.file = file.id AND file.session IS NULL",
        [],
    );
}

/// Replaces the views by empty ones, to be filled from the raw layer.
pub(crate) fn clear_views(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    // Virtual tables first, as they own other tables. Then the tables that refer to others.
    let tables = |condition: &str| -> Result<Vec<String>, ArchiveError> {
        let mut statement = transaction.prepare(&format!(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND {condition} ORDER BY rowid DESC"
        ))?;
        let names = statement.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    };
    for condition in ["sql LIKE 'CREATE VIRTUAL %'", "true"] {
        for table in tables(condition)? {
            if !KEPT_TABLES.contains(&table.as_str()) {
                let table = table.replace('"', "\"\"");
                transaction.execute_batch(&format!("DROP TABLE IF EXISTS \"{table}\""))?;
            }
        }
    }
    transaction.execute_batch(VIEWS)?;
    // Which versions are repeated was also determined by a reader.
    transaction.execute_batch("UPDATE version SET repeated = 0 WHERE repeated")?;
    transaction.execute_batch(
        "INSERT OR IGNORE INTO stale(home, dir) SELECT DISTINCT home, dir FROM file WHERE dir IS NOT NULL;",
    )?;
    transaction.execute(
        "INSERT OR REPLACE INTO setting(name, value) VALUES('views', ?1)",
        [views_version()],
    )?;
    transaction.execute(
        "INSERT INTO setting(name, value) VALUES('generation', 1)
         ON CONFLICT(name) DO UPDATE SET value = value + 1",
        [],
    )?;
    Ok(())
}

/// Tells readers that the views changed.
pub(crate) fn note_change(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    transaction
        .prepare_cached(
            "INSERT INTO setting(name, value) VALUES('changes', 1)
             ON CONFLICT DO UPDATE SET value = value + 1",
        )?
        .execute([])?;
    Ok(())
}
