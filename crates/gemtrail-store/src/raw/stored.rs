//! Reads the bytes of stored versions.
//!
//! A chunk may be damaged. If the file is still on disk and has those bytes where they were, they
//! are taken from there: the digest tells. Otherwise reading fails, or, for those who want what is
//! left, goes on behind a gap of the same length.

use std::borrow::Borrow;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gemtrail_core::model::Span;
use gemtrail_home::source::{Gapped, Kept};
use rusqlite::OptionalExtension as _;

use super::chunk::Hash;
use super::damage;
use crate::db::ArchiveError;
use crate::db::columns::{MOST_UNPACKED, chunk_ids, unpack};
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId, VersionRowId};
use crate::db::pool::Pool;

/// The bytes of a version.
pub(crate) fn version(pool: &Arc<Pool>, version: VersionRowId, bytes: u64) -> Arc<dyn Kept> {
    Arc::new(Stored {
        pool: Arc::clone(pool),
        version,
        bytes,
    })
}

/// A chunk as it was stored.
pub(crate) struct StoredChunk {
    id: ChunkRowId,
    pub(crate) hash: Hash,
    pub(crate) bytes: u64,
}

/// The chunks of a content.
pub(crate) fn chunks_of(
    pool: &Pool,
    content: ContentRowId,
) -> Result<Vec<StoredChunk>, ArchiveError> {
    chunks(pool, "SELECT chunks FROM content WHERE id = ?1", content.0)
}

/// The current chunks of a version. When its file grows, they move to a longer content.
fn chunks_of_version(pool: &Pool, version: VersionRowId) -> Result<Vec<StoredChunk>, ArchiveError> {
    let sql = "SELECT content.chunks FROM version JOIN content ON content.id = version.content
               WHERE version.id = ?1";
    chunks(pool, sql, version.0)
}

/// The chunks in the list that a query gives.
fn chunks(pool: &Pool, sql: &str, row: i64) -> Result<Vec<StoredChunk>, ArchiveError> {
    pool.with(|connection| {
        // One state, whatever is written meanwhile.
        let _moment = connection.unchecked_transaction()?;
        let list: Option<Vec<u8>> = connection
            .prepare_cached(sql)?
            .query_row([row], |row| row.get(0))
            .optional()?;
        let list = list.ok_or_else(|| damaged(format!("the content of {row} is missing")))?;
        let mut statement =
            connection.prepare_cached("SELECT hash, bytes FROM chunk WHERE id = ?1")?;
        let chunk = |id: ChunkRowId| {
            let chunk = statement.query_row([id], |row| {
                Ok(StoredChunk {
                    id,
                    hash: row.get(0)?,
                    bytes: row.get(1)?,
                })
            });
            chunk.optional()?.ok_or_else(|| missing(id))
        };
        chunk_ids(&list).map(chunk).collect()
    })
}

fn missing(chunk: ChunkRowId) -> ArchiveError {
    damaged(format!("chunk {chunk} is missing"))
}

/// Reads a version from any place, a chunk at a time.
pub(crate) struct VersionReader<P> {
    pool: P,
    version: VersionRowId,
    chunks: Vec<StoredChunk>,
    /// The place of the next byte.
    at: u64,
    /// The chunk that was unpacked last, and where it starts: neighbouring messages share one.
    unpacked: Option<(u64, Vec<u8>)>,
    /// The number of damaged bytes, if damage is no reason to stop.
    gaps: Option<Arc<AtomicU64>>,
}

impl<P: Borrow<Pool>> VersionReader<P> {
    pub(crate) fn new(pool: P, version: VersionRowId) -> Result<Self, ArchiveError> {
        Ok(Self {
            chunks: chunks_of_version(pool.borrow(), version)?,
            pool,
            version,
            at: 0,
            unpacked: None,
            gaps: None,
        })
    }

    /// The bytes at each of these spans.
    pub(crate) fn spans(&mut self, spans: &[Span]) -> Result<Vec<Vec<u8>>, ArchiveError> {
        spans.iter().map(|span| self.span(*span)).collect()
    }

    fn span(&mut self, span: Span) -> Result<Vec<u8>, ArchiveError> {
        self.at = span.start;
        let mut bytes = Vec::new();
        let count = self.by_ref().take(span.bytes).read_to_end(&mut bytes)?;
        if count as u64 == span.bytes {
            Ok(bytes)
        } else {
            Err(damaged(format!("version {} ends too early", self.version)))
        }
    }

    /// The bytes from here to the end of their chunk; none at the end of the version.
    fn rest_of_chunk(&mut self) -> Result<&[u8], ArchiveError> {
        let offset = |(start, bytes): &(u64, Vec<u8>)| {
            let offset = usize::try_from(self.at.checked_sub(*start)?).ok()?;
            (offset < bytes.len()).then_some(offset)
        };
        let offset = if let Some(offset) = self.unpacked.as_ref().and_then(offset) {
            offset
        } else {
            self.unpacked = self.unpack()?;
            let start = self.unpacked.as_ref().map_or(self.at, |(start, _)| *start);
            usize::try_from(self.at - start).unwrap_or(usize::MAX)
        };
        let unpacked = self.unpacked.as_ref();
        Ok(unpacked
            .and_then(|(_, bytes)| bytes.get(offset..))
            .unwrap_or_default())
    }

    /// The chunk that has the next byte, and where it starts; `None` at the end of the version.
    fn unpack(&mut self) -> Result<Option<(u64, Vec<u8>)>, ArchiveError> {
        let pool = self.pool.borrow();
        for is_second in [false, true] {
            let mut start = 0;
            let has_byte = |chunk: &&StoredChunk| {
                let is_before = start + chunk.bytes <= self.at;
                start += u64::from(is_before) * chunk.bytes;
                !is_before
            };
            let Some(chunk) = self.chunks.iter().find(has_byte) else {
                return Ok(None);
            };
            let (id, length) = (chunk.id, chunk.bytes);
            match (self.read_or_mend(id, start), &self.gaps) {
                (Err(ArchiveError::Damaged { .. }), Some(gaps)) => {
                    gaps.fetch_add(length, Ordering::Relaxed);
                    damage::note_loss(pool, self.version);
                    return Ok(Some((start, gap(length)?)));
                }
                (Ok(None), _) if is_second => return Err(missing(id)),
                // The writer has moved the bytes to other chunks.
                (Ok(None), _) => self.chunks = chunks_of_version(pool, self.version)?,
                (read, _) => return Ok(read?.map(|bytes| (start, bytes))),
            }
        }
        Ok(None)
    }

    /// The bytes of a chunk; `None` if it no longer exists. Damaged ones are looked for on disk.
    fn read_or_mend(&self, id: ChunkRowId, start: u64) -> Result<Option<Vec<u8>>, ArchiveError> {
        let pool = self.pool.borrow();
        match read_chunk(pool, id) {
            Err(error @ ArchiveError::Damaged { .. }) => {
                let mended = damage::bytes_on_disk(pool, self.version, id, start);
                mended.map(Some).ok_or(error)
            }
            read => read,
        }
    }
}

impl<P: Borrow<Pool>> Read for VersionReader<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest_of_chunk()?.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn read_chunk(pool: &Pool, chunk: ChunkRowId) -> Result<Option<Vec<u8>>, ArchiveError> {
    pool.with(|connection| {
        let mut statement =
            connection.prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?;
        let mut rows = statement.query([chunk])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let data = row.get_ref(1)?.as_bytes().unwrap_or_default();
        let unpacked = unpack(data, row.get(0)?);
        unpacked
            .map(Some)
            .map_err(|error| damaged(format!("chunk {chunk}: {error}")))
    })
}

/// A file as it was at some time.
#[derive(Debug)]
struct Stored {
    pool: Arc<Pool>,
    version: VersionRowId,
    bytes: u64,
}

impl Stored {
    fn stream(&self, gaps: Option<Arc<AtomicU64>>) -> io::Result<Box<dyn Read + Send>> {
        let mut reader = VersionReader::new(Arc::clone(&self.pool), self.version)?;
        reader.gaps = gaps;
        Ok(Box::new(reader.take(self.bytes)))
    }
}

impl Kept for Stored {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        self.stream(None)
    }

    fn open_with_gaps(&self) -> io::Result<Gapped> {
        let lost = Arc::new(AtomicU64::new(0));
        let bytes = self.stream(Some(Arc::clone(&lost)))?;
        Ok(Gapped { bytes, lost })
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// What stands for bytes that are lost: as long as they were, so that everything behind them stays
/// in its place, and of lines of its own, so that whole lines around it can be read.
fn gap(bytes: u64) -> Result<Vec<u8>, ArchiveError> {
    let bytes = usize::try_from(bytes).ok();
    let bytes = bytes.filter(|bytes| *bytes <= MOST_UNPACKED);
    let mut gap = vec![b' '; bytes.ok_or_else(|| damaged("a chunk has an impossible length"))?];
    for end in [0, gap.len().saturating_sub(1)] {
        if let Some(byte) = gap.get_mut(end) {
            *byte = b'\n';
        }
    }
    Ok(gap)
}
