//! Looks for damaged chunks, and mends those whose bytes the disk still has.
//!
//! Nobody reads most of an archive for months; damage would be noticed when the disk has forgotten the
//! bytes, too. So each run of `sync` checks a part, and the next one goes on there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_home::paths::text_of;
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::damage::{ChunkUse, bytes_in_a_file, uses_of};
use super::options::SyncReport;
use super::writer::RawWriter;
use crate::db::ArchiveError;
use crate::db::columns::{is_sound, pack};
use crate::db::ids::ChunkRowId;
use crate::db::pool::Pool;

/// The number of chunks that one thread checks at a time.
const AT_ONCE: usize = 256;

/// Checks the next chunks, up to so many stored bytes. What can be mended is, and the report says
/// what cannot.
pub(crate) fn scrub(
    connection: &mut Connection,
    most_bytes: u64,
    now: i64,
    report: &mut SyncReport,
) -> Result<(), ArchiveError> {
    let position: Option<i64> = connection
        .prepare_cached("SELECT value FROM setting WHERE name = 'scrubbed'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let start = position.unwrap_or_default();
    let (mut left, mut bad) = (most_bytes, Vec::new());
    let end = match check(connection, (start, i64::MAX), &mut left, &mut bad)? {
        // The end was reached: goes on from the beginning.
        None => check(connection, (0, start), &mut left, &mut bad)?.unwrap_or(start),
        Some(end) => end,
    };
    if end == start && bad.is_empty() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let mut lost = Vec::new();
    for (chunk, length) in bad {
        let uses = uses_of(&transaction, chunk)?;
        let places = uses.iter().map(|it| (it.path.as_path(), it.start));
        match bytes_in_a_file(&transaction, chunk, places)? {
            Some(bytes) => {
                RawWriter::new(&transaction, now).mend(chunk, &pack(&bytes)?, &uses)?;
            }
            None => lost.push((length, uses)),
        }
    }
    transaction
        .prepare_cached("INSERT OR REPLACE INTO setting(name, value) VALUES('scrubbed', ?1)")?
        .execute([end])?;
    transaction.commit()?;
    report.diagnostics.extend(findings(lost));
    Ok(())
}

/// Checks all chunks, and names the files whose bytes are damaged.
pub(crate) fn damaged_files(pool: &Pool) -> Result<Vec<Diagnostic>, ArchiveError> {
    let mut ids: Vec<i64> = pool.with(|connection| {
        let mut statement = connection.prepare("SELECT id FROM chunk")?;
        let ids = statement.query_map([], |row| row.get(0))?;
        Ok::<_, ArchiveError>(ids.collect::<Result<_, _>>()?)
    })?;
    ids.sort_unstable();
    let bad = ids.par_chunks(AT_ONCE).map(|ids| {
        let (mut left, mut bad) = (u64::MAX, Vec::new());
        let range = (ids[0].saturating_sub(1), ids[ids.len() - 1]);
        pool.with(|connection| check(connection, range, &mut left, &mut bad))?;
        Ok(bad)
    });
    let bad: Vec<_> = bad.collect::<Result<_, ArchiveError>>()?;
    pool.with(|connection| {
        let with_uses = |(chunk, length)| Ok((length, uses_of(connection, chunk)?));
        let lost = bad.into_iter().flatten().map(with_uses);
        Ok(findings(lost.collect::<Result<_, ArchiveError>>()?))
    })
}

/// Finds the chunks after one row, up to another, that cannot be unpacked. Returns the last one that
/// was checked if there are more, since no bytes are left to be checked.
fn check(
    connection: &Connection,
    (after, last): (i64, i64),
    left: &mut u64,
    bad: &mut Vec<(ChunkRowId, u64)>,
) -> Result<Option<i64>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, bytes, data FROM chunk WHERE id > ?1 AND id <= ?2 ORDER BY id",
    )?;
    let mut rows = statement.query((after, last))?;
    while let Some(row) = rows.next()? {
        let (id, bytes): (ChunkRowId, u64) = (row.get(0)?, row.get(1)?);
        let data = row.get_ref(2)?.as_bytes().unwrap_or_default();
        if !is_sound(data, bytes) {
            bad.push((id, bytes));
        }
        *left = left.saturating_sub(data.len() as u64);
        if *left == 0 {
            return Ok(Some(id.0));
        }
    }
    Ok(None)
}

/// Names each file once, with the number of bytes that it lost.
fn findings(lost: Vec<(u64, Vec<ChunkUse>)>) -> Vec<Diagnostic> {
    let mut files: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for (length, uses) in lost {
        let mut paths: Vec<PathBuf> = uses.into_iter().map(|it| it.path).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            *files.entry(path).or_default() += length;
        }
    }
    let finding = |(path, bytes): (PathBuf, u64)| {
        Diagnostic::new(Code::DamagedArchive, gemtrail_home::load::lost(bytes))
            .in_journal(text_of(&path))
    };
    files.into_iter().map(finding).collect()
}
