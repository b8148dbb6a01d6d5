//! Damaged chunks: which files they are of, and whether the disk still has their bytes.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::hash::Hash;
use crate::antigravity;
use crate::db::ArchiveError;
use crate::db::ids::{ChunkRowId, FileRowId, VersionRowId};
use crate::db::name::Name;
use crate::db::pack::{MOST_UNPACKED, chunk_ids};
use crate::db::pool::Pool;

/// What a chunk should be.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    hash: Hash,
    bytes: u64,
}

impl Wanted {
    fn read(connection: &Connection, chunk: ChunkRowId) -> Result<Option<Self>, ArchiveError> {
        let mut statement =
            connection.prepare_cached("SELECT hash, bytes FROM chunk WHERE id = ?1")?;
        let wanted = statement.query_row([chunk], |row| {
            Ok(Self {
                hash: row.get(0)?,
                bytes: row.get(1)?,
            })
        });
        Ok(wanted.optional()?)
    }

    /// These bytes of a file, if it has them at that place.
    fn in_file(self, path: &Path, start: u64) -> Option<Vec<u8>> {
        // Opening a pipe would block.
        if !std::fs::metadata(path).ok()?.is_file() || self.bytes > MOST_UNPACKED as u64 {
            return None;
        }
        // A database is kept as its rows.
        let rows = antigravity::pieces_of(path).and_then(Result::ok);
        let in_rows = rows.and_then(|rows| self.in_bytes(Cursor::new(rows.concat()), start));
        in_rows.or_else(|| self.in_bytes(File::open(path).ok()?, start))
    }

    fn in_bytes(self, mut file: impl Read + Seek, start: u64) -> Option<Vec<u8>> {
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take(self.bytes).read_to_end(&mut bytes).ok()?;
        (Hash::from(Sha256::digest(&bytes)) == self.hash).then_some(bytes)
    }
}

/// The bytes of a damaged chunk of a version, if its file is on disk and still has them.
pub(super) fn from_disk(
    pool: &Pool,
    version: VersionRowId,
    chunk: ChunkRowId,
    start: u64,
) -> Option<Vec<u8>> {
    let asked = pool.with(|connection| {
        let wanted = Wanted::read(connection, chunk)?;
        Ok::<_, ArchiveError>(wanted.zip(path_of(connection, version)?))
    });
    let (wanted, path) = asked.ok().flatten()?;
    let bytes = wanted.in_file(&path, start)?;
    pool.damage().note(&path, false);
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

/// A file with a damaged chunk.
#[derive(Debug)]
pub(crate) struct Concerned {
    pub(crate) file: FileRowId,
    pub(crate) path: PathBuf,
    /// Where the chunk starts in it.
    start: u64,
}

/// The files that a chunk is part of. Takes a look at every content: chunks do not know where they
/// are used.
pub(crate) fn concerned(
    connection: &Connection,
    chunk: ChunkRowId,
) -> Result<Vec<Concerned>, ArchiveError> {
    let mut contents = connection.prepare_cached("SELECT id, chunks FROM content")?;
    let mut files = connection.prepare_cached(
        "SELECT DISTINCT file.id, home.path, file.path FROM version
         JOIN file ON file.id = version.file JOIN home ON home.id = file.home
         WHERE version.content = ?1",
    )?;
    let mut length = connection.prepare_cached("SELECT bytes FROM chunk WHERE id = ?1")?;
    let mut concerned: Vec<Concerned> = Vec::new();
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
            Ok(Concerned {
                file: row.get(0)?,
                path: home.join(below),
                start,
            })
        })?;
        for file in of_content {
            concerned.push(file?);
        }
    }
    Ok(concerned)
}

/// The bytes of a damaged chunk, from any file on disk that has them.
pub(crate) fn found_on_disk(
    connection: &Connection,
    chunk: ChunkRowId,
    concerned: &[Concerned],
) -> Result<Option<Vec<u8>>, ArchiveError> {
    let Some(wanted) = Wanted::read(connection, chunk)? else {
        return Ok(None);
    };
    let mut files = concerned.iter();
    Ok(files.find_map(|it| wanted.in_file(&it.path, it.start)))
}
