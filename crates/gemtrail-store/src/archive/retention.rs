//! How long to keep sessions that are no longer on disk.

use gemtrail_home::discover::Found;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use crate::db::ArchiveError;
use crate::db::ids::{FileRowId, HomeRowId};
use crate::raw::homes::home_of;
use crate::raw::marks::IS_PINNED;
use crate::raw::options::SyncOptions;
use crate::raw::writer::RawWriter;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The number of sessions that lost their last file.
pub(super) fn count_gone(connection: &Connection, gone: &[FileRowId]) -> Result<u64, ArchiveError> {
    let gone: Vec<i64> = gone.iter().map(|file| file.0).collect();
    let mut statement = connection.prepare_cached(
        "SELECT count(DISTINCT session) FROM journal AS lost
         WHERE file IN (SELECT value FROM json_each(?1)) AND NOT EXISTS (
           SELECT 1 FROM journal JOIN file ON file.id = journal.file
           WHERE journal.session = lost.session AND file.gone IS NULL)",
    )?;
    let gone = serde_json::to_string(&gone).unwrap_or_default();
    Ok(statement.query_row([gone], |row| row.get(0))?)
}

/// The time, if it can be believed. A clock that is more than a year ahead of the last run is wrong more
/// often than right, and what is dropped is gone for good; it is believed once it has gone on like that for
/// a week.
fn believed(connection: &Connection, now: i64) -> Result<Option<i64>, ArchiveError> {
    const FAR: i64 = 366 * DAY_MS;
    const LONG: i64 = 7 * DAY_MS;
    let read = |name: &str| -> Result<Option<i64>, ArchiveError> {
        let mut statement =
            connection.prepare_cached("SELECT value FROM setting WHERE name = ?1")?;
        Ok(statement.query_row([name], |row| row.get(0)).optional()?)
    };
    let write = |name: &str, time: i64| -> Result<(), ArchiveError> {
        let sql = "INSERT OR REPLACE INTO setting(name, value) VALUES(?1, ?2)";
        connection.prepare_cached(sql)?.execute((name, time))?;
        Ok(())
    };
    let last = match read("clock")? {
        Some(last) => last,
        None => connection
            .prepare_cached("SELECT coalesce(max(seen), ?1) FROM version WHERE seen < ?1")?
            .query_row([now], |row| row.get(0))?,
    };
    if now.saturating_sub(last) > FAR {
        let Some(doubted) = read("doubted-clock")?.filter(|doubted| *doubted <= now) else {
            write("clock", last)?;
            write("doubted-clock", now)?;
            return Ok(None);
        };
        if now - doubted <= LONG {
            return Ok(None);
        }
    }
    // Once a day is enough.
    if now < last || now - last > DAY_MS || read("clock")?.is_none() {
        write("clock", now)?;
        connection.execute("DELETE FROM setting WHERE name = 'doubted-clock'", [])?;
    }
    Ok(Some(now))
}

/// Drops sessions that have been gone from disk longer than the retention period. If they come
/// back, they are taken in again. A missing home may be on an unmounted disk, so its sessions do
/// not count as gone.
pub(super) fn drop_old(
    connection: &mut Connection,
    found: &[Found],
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    if options.keep_days == 0 {
        return Ok(());
    }
    let Some(now) = believed(connection, options.now)? else {
        return Ok(());
    };
    let oldest = now - i64::from(options.keep_days) * DAY_MS;
    let there: Vec<HomeRowId> = found
        .iter()
        .filter(|found| found.home.sessions.is_dir())
        .filter_map(|found| home_of(connection, found, &options.machine).transpose())
        .collect::<Result<_, _>>()?;
    let there = serde_json::to_string(&there).unwrap_or_default();
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let files: Vec<FileRowId> = transaction
        .prepare(
            &format!("WITH there AS (SELECT value AS home FROM json_each(?2)), old AS (
               SELECT session.id, session FROM session JOIN project ON project.id = session.project
               WHERE NOT {IS_PINNED}
                 AND EXISTS (SELECT 1 FROM journal WHERE journal.session = session.id)
                 AND NOT EXISTS (
                   SELECT 1 FROM journal JOIN file ON file.id = journal.file
                   WHERE journal.session = session.id AND (
                     file.gone IS NULL OR file.gone >= ?1 OR file.home NOT IN there)))
             SELECT file FROM journal WHERE session IN (SELECT id FROM old) AND NOT EXISTS (
               SELECT 1 FROM journal AS other
               WHERE other.file = journal.file AND other.session NOT IN (SELECT id FROM old))
             UNION SELECT id FROM file WHERE gone < ?1 AND home IN there
               AND kind IN ('tool-output', 'plan') AND detail IN (SELECT session FROM old)
               AND detail NOT IN (SELECT session FROM session WHERE id NOT IN (SELECT id FROM old))"),
        )?
        .query_map((oldest, there), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let writer = RawWriter::new(&transaction, options.now);
    for file in files {
        writer.drop_file(file)?;
        // If it comes back, it must not look like a known one.
        transaction
            .prepare_cached("UPDATE file SET bytes = 0, modified = 0, inode = 0 WHERE id = ?1")?
            .execute([file])?;
    }
    writer.drop_unused_chunks()?;
    transaction.commit()?;
    Ok(())
}
