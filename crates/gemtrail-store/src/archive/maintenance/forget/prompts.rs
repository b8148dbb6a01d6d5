//! Removes the prompts of a session from the logs that it shares with others.

use rusqlite::Transaction;

use super::plan::Plan;
use crate::db::ArchiveError;
use crate::db::ids::{ContentRowId, HomeRowId, VersionRowId};
use crate::db::name::Name;
use crate::raw::prompts::{digests_of, forgotten, scrubbed};
use crate::raw::writer::RawWriter;
use crate::source::read_small;

/// A log in the archive.
struct Log {
    version: VersionRowId,
    content: ContentRowId,
    bytes: usize,
}

/// Removes the prompts of a session from the logs of its project, and remembers their digests.
pub(super) fn take_out(
    transaction: &Transaction<'_>,
    writer: &RawWriter<'_>,
    plan: &Plan,
    now: i64,
) -> Result<(), ArchiveError> {
    let mut remember = transaction.prepare_cached(
        "INSERT OR IGNORE INTO forgotten(hash, session, time) VALUES(?1, ?2, ?3)",
    )?;
    let mut logs = Vec::new();
    let mut texts = Vec::new();
    for (home, dir) in &plan.places {
        logs.extend(logs_in(transaction, *home, dir)?);
        texts.extend(on_disk(transaction, *home, dir)?);
    }
    for log in &logs {
        texts.push(read_log(writer, log)?);
    }
    for text in &texts {
        for digest in digests_of(text, &plan.id) {
            remember.execute((digest.as_slice(), &plan.name, now))?;
        }
    }
    let forgotten = forgotten(transaction)?;
    for log in &logs {
        if let Some(scrubbed) = scrubbed(&read_log(writer, log)?, &forgotten) {
            replace(transaction, writer, log, &scrubbed)?;
        }
    }
    Ok(())
}

fn logs_in(
    transaction: &Transaction<'_>,
    home: HomeRowId,
    dir: &str,
) -> Result<Vec<Log>, ArchiveError> {
    let mut statement = transaction.prepare_cached(
        "SELECT version.id, version.content, version.bytes FROM version
         JOIN file ON file.id = version.file
         WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('log', 'log-backup')",
    )?;
    let logs = statement.query_map((home, dir), |row| {
        Ok(Log {
            version: row.get(0)?,
            content: row.get(1)?,
            bytes: row.get(2)?,
        })
    })?;
    Ok(logs.collect::<Result<_, _>>()?)
}

/// The current logs on disk: they may have prompts that were not taken in yet.
fn on_disk(
    transaction: &Transaction<'_>,
    home: HomeRowId,
    dir: &str,
) -> Result<Vec<Vec<u8>>, ArchiveError> {
    let mut statement = transaction.prepare_cached(
        "SELECT home.path, file.path FROM file JOIN home ON home.id = file.home
         WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('log', 'log-backup')",
    )?;
    let mut rows = statement.query((home, dir))?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        let (Name(home), Name(below)) = (row.get(0)?, row.get(1)?);
        let log = read_small(&home.join(below));
        texts.extend(log);
    }
    Ok(texts)
}

fn read_log(writer: &RawWriter<'_>, log: &Log) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = writer.read(log.content)?;
    bytes.truncate(log.bytes);
    Ok(bytes)
}

fn replace(
    transaction: &Transaction<'_>,
    writer: &RawWriter<'_>,
    log: &Log,
    bytes: &[u8],
) -> Result<(), ArchiveError> {
    let taken = writer.store(bytes)?;
    let new = writer.content(&taken.hash(), &taken)?;
    transaction
        .prepare_cached("UPDATE version SET content = ?2, bytes = ?3 WHERE id = ?1")?
        .execute((log.version, new, taken.bytes))?;
    writer.drop_content(log.content)
}
