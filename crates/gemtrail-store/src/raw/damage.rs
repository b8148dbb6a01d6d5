//! Damaged chunks: which they are, which files they are of, and whether the disk still has their bytes.
//!
//! Nobody reads most of an archive for months; damage would be noticed when the disk has forgotten the
//! bytes, too. So each run of `sync` checks a part, and the next one goes on there.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Code, Diagnostic};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};
use sha2::{Digest as _, Sha256};

use super::chunk::Hash;
use super::options::SyncReport;
use super::writer::RawWriter;
use crate::db::ArchiveError;
use crate::db::ids::{ChunkRowId, FileRowId, VersionRowId};
use crate::db::name::Name;
use crate::db::pack::{MOST_UNPACKED, chunk_ids, is_sound, pack};
use crate::db::pool::Pool;
use crate::paths::text_of;

/// The bytes of a damaged chunk of a version, if its file is on disk and still has them.
pub(super) fn bytes_on_disk(
    pool: &Pool,
    version: VersionRowId,
    chunk: ChunkRowId,
    start: u64,
) -> Option<Vec<u8>> {
    let asked = pool.with(|connection| {
        let path = path_of(connection, version)?;
        let places = path.iter().map(|path| (path.as_path(), start));
        let bytes = in_a_file(connection, chunk, places)?;
        Ok::<_, ArchiveError>(path.zip(bytes))
    });
    let (path, bytes) = asked.ok().flatten()?;
    pool.damage().note(&path, false);
    Some(bytes)
}

/// The bytes of a chunk, from the first of these files that has them at its place.
fn in_a_file<'p>(
    connection: &Connection,
    chunk: ChunkRowId,
    mut places: impl Iterator<Item = (&'p Path, u64)>,
) -> Result<Option<Vec<u8>>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT hash, bytes FROM chunk WHERE id = ?1")?;
    let row = statement.query_row([chunk], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((hash, length)): Option<(Hash, u64)> = row.optional()? else {
        return Ok(None);
    };
    Ok(places.find_map(|(path, start)| {
        // Opening a pipe would block.
        if !std::fs::metadata(path).ok()?.is_file() || length > MOST_UNPACKED as u64 {
            return None;
        }
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).ok()?;
        (Hash::from(Sha256::digest(&bytes)) == hash).then_some(bytes)
    }))
}

/// Remembers that bytes of a version are lost.
pub(super) fn note_loss(pool: &Pool, version: VersionRowId) {
    let path = pool.with(|connection| path_of(connection, version));
    if let Ok(Some(path)) = path {
        pool.damage().note(&path, true);
    }
}

fn path_of(
    connection: &Connection,
    version: VersionRowId,
) -> Result<Option<PathBuf>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT home.path, file.path FROM version JOIN file ON file.id = version.file
         JOIN home ON home.id = file.home WHERE version.id = ?1",
    )?;
    let path = statement.query_row([version], |row| {
        let (Name(home), Name(below)) = (row.get(0)?, row.get(1)?);
        Ok(home.join(below))
    });
    Ok(path.optional()?)
}

/// A file that a chunk is part of.
#[derive(Debug)]
pub(super) struct ChunkUse {
    pub(super) file: FileRowId,
    path: PathBuf,
    /// Where the chunk starts in it.
    start: u64,
}

/// The files that a chunk is part of. Takes a look at every content: chunks do not know where they
/// are used.
pub(super) fn uses_of(
    connection: &Connection,
    chunk: ChunkRowId,
) -> Result<Vec<ChunkUse>, ArchiveError> {
    let mut contents = connection.prepare_cached("SELECT id, chunks FROM content")?;
    let mut files = connection.prepare_cached(
        "SELECT DISTINCT file.id, home.path, file.path FROM version
         JOIN file ON file.id = version.file JOIN home ON home.id = file.home
         WHERE version.content = ?1",
    )?;
    let mut length = connection.prepare_cached("SELECT bytes FROM chunk WHERE id = ?1")?;
    let mut uses = Vec::new();
    let mut rows = contents.query([])?;
    while let Some(row) = rows.next()? {
        let list = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let Some(at) = chunk_ids(list).position(|it| it == chunk) else {
            continue;
        };
        let mut start = 0;
        for before in chunk_ids(list).take(at) {
            let bytes: Option<u64> = length.query_row([before], |row| row.get(0)).optional()?;
            start += bytes.unwrap_or_default();
        }
        let content: i64 = row.get(0)?;
        let of_content = files.query_map([content], |row| {
            let (Name(home), Name(below)) = (row.get(1)?, row.get(2)?);
            Ok(ChunkUse {
                file: row.get(0)?,
                path: home.join(below),
                start,
            })
        })?;
        for file in of_content {
            uses.push(file?);
        }
    }
    Ok(uses)
}

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
        match in_a_file(&transaction, chunk, places)? {
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
pub(crate) fn damaged_files(connection: &Connection) -> Result<Vec<Diagnostic>, ArchiveError> {
    let (mut left, mut bad) = (u64::MAX, Vec::new());
    check(connection, (0, i64::MAX), &mut left, &mut bad)?;
    let with_uses = |(chunk, length)| Ok((length, uses_of(connection, chunk)?));
    let lost = bad.into_iter().map(with_uses);
    Ok(findings(lost.collect::<Result<_, ArchiveError>>()?))
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
        Diagnostic::new(Code::DamagedArchive, crate::load::lost(bytes)).in_journal(text_of(&path))
    };
    files.into_iter().map(finding).collect()
}
