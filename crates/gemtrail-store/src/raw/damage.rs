//! Damaged chunks: which files they are of, and whether the disk still has their bytes.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use gemtrail_home::antigravity;
use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::chunk::Hash;
use crate::db::ArchiveError;
use crate::db::columns::{MOST_UNPACKED, Name, chunk_ids};
use crate::db::ids::{ChunkRowId, FileRowId, VersionRowId};
use crate::db::pool::Pool;

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
        let bytes = bytes_in_a_file(connection, chunk, places)?;
        Ok::<_, ArchiveError>(path.zip(bytes))
    });
    let (path, bytes) = asked.ok().flatten()?;
    pool.damage().note(&path, false);
    Some(bytes)
}

/// The bytes of a chunk, from the first of these files that has them at its place.
pub(super) fn bytes_in_a_file<'p>(
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
        let has_it = |bytes: &Vec<u8>| Hash::from(Sha256::digest(bytes)) == hash;
        // A database is kept as its rows.
        let rows = antigravity::pieces_of(path).and_then(Result::ok);
        let in_rows = rows.and_then(|rows| bytes_at(Cursor::new(rows.concat()), start, length));
        in_rows.filter(has_it).or_else(|| {
            let bytes = bytes_at(File::open(path).ok()?, start, length);
            bytes.filter(has_it)
        })
    }))
}

fn bytes_at(mut file: impl Read + Seek, start: u64, length: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
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
    pub(super) path: PathBuf,
    /// The place where the chunk starts in it.
    pub(super) start: u64,
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
