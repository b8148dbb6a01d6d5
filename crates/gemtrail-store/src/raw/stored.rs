//! Reads the bytes of stored versions.
//!
//! A chunk may be damaged. If the file is still on disk and has those bytes where they were, they
//! are taken from there: the digest tells. Otherwise reading fails, or, for those who want what is
//! left, goes on behind a gap of the same length.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gemtrail_core::model::Span;
use rusqlite::OptionalExtension as _;

use super::mend;
use crate::db::ArchiveError;
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId, VersionRowId};
use crate::db::pack::{MOST_UNPACKED, chunk_ids, unpack};
use crate::db::pool::Pool;
use crate::source::{Gapped, Kept};

/// The bytes of a version.
pub(crate) fn version(pool: &Arc<Pool>, version: VersionRowId, bytes: u64) -> Arc<dyn Kept> {
    Arc::new(Stored {
        pool: Arc::clone(pool),
        version,
        bytes,
    })
}

/// The current chunks of a version. When its file grows, they move to a longer content.
fn chunks_of_version(pool: &Pool, version: VersionRowId) -> Result<Vec<ChunkRowId>, ArchiveError> {
    pool.with(|connection| {
        let list: Option<Vec<u8>> = connection
            .prepare_cached(
                "SELECT content.chunks FROM version JOIN content ON content.id = version.content
                 WHERE version.id = ?1",
            )?
            .query_row([version], |row| row.get(0))
            .optional()?;
        let list = list.ok_or_else(|| damaged(format!("version {version} is missing")))?;
        Ok(chunk_ids(&list).collect())
    })
}

/// The chunks of a content.
pub(crate) fn chunks_of(
    pool: &Pool,
    content: ContentRowId,
) -> Result<Vec<ChunkRowId>, ArchiveError> {
    pool.with(|connection| {
        let list: Option<Vec<u8>> = connection
            .prepare_cached("SELECT chunks FROM content WHERE id = ?1")?
            .query_row([content], |row| row.get(0))
            .optional()?;
        let list = list.ok_or_else(|| damaged(format!("content {content} is missing")))?;
        Ok(chunk_ids(&list).collect())
    })
}

/// Reads parts of one version. Only the chunks that have them are unpacked.
pub(crate) struct SpanReader<'p> {
    pool: &'p Pool,
    version: VersionRowId,
    /// The chunks with their ends in the version, in order.
    chunks: Vec<(ChunkRowId, u64)>,
    /// The chunk that was unpacked last: neighbouring messages share one.
    last: Option<(ChunkRowId, Vec<u8>)>,
}

impl<'p> SpanReader<'p> {
    pub(crate) fn new(pool: &'p Pool, version: VersionRowId) -> Result<Self, ArchiveError> {
        let mut end = 0;
        let chunks = chunks_of_version(pool, version)?;
        let lengths = pool.with(|connection| {
            let mut length = connection.prepare_cached("SELECT bytes FROM chunk WHERE id = ?1")?;
            let length = |id: &ChunkRowId| length.query_row([id], |row| row.get(0)).optional();
            let lengths: Result<Vec<Option<u64>>, _> = chunks.iter().map(length).collect();
            Ok::<_, ArchiveError>(lengths?)
        })?;
        let with_end = |(id, length): (ChunkRowId, Option<u64>)| {
            end += length.ok_or_else(|| missing(id))?;
            Ok((id, end))
        };
        Ok(Self {
            pool,
            version,
            chunks: chunks
                .into_iter()
                .zip(lengths)
                .map(with_end)
                .collect::<Result<_, ArchiveError>>()?,
            last: None,
        })
    }

    /// The bytes at each of these spans.
    pub(crate) fn read(&mut self, spans: &[Span]) -> Result<Vec<Vec<u8>>, ArchiveError> {
        spans.iter().map(|span| self.read_one(*span)).collect()
    }

    fn read_one(&mut self, span: Span) -> Result<Vec<u8>, ArchiveError> {
        let mut read = Vec::new();
        let mut at = span.start;
        let end = span.start.saturating_add(span.bytes);
        let mut place = self.chunks.partition_point(|(_, end)| *end <= at);
        while at < end {
            let beyond = || damaged(format!("version {} ends too early", self.version));
            let &(chunk, chunk_end) = self.chunks.get(place).ok_or_else(beyond)?;
            let start = match place.checked_sub(1) {
                Some(before) => self.chunks[before].1,
                None => 0,
            };
            let bytes = self.unpacked(chunk, start)?;
            let to = end.min(chunk_end);
            let range = usize::try_from(at - start)
                .ok()
                .zip(usize::try_from(to - start).ok());
            let part = range.and_then(|(from, to)| bytes.get(from..to));
            read.extend(part.ok_or_else(|| missing(chunk))?);
            at = to;
            place += 1;
        }
        Ok(read)
    }

    fn unpacked(&mut self, chunk: ChunkRowId, start: u64) -> Result<&[u8], ArchiveError> {
        let bytes = match self.last.take() {
            Some((last, bytes)) if last == chunk => bytes,
            _ => read_or_mend(self.pool, self.version, chunk, start)?
                .ok_or_else(|| missing(chunk))?,
        };
        Ok(&self.last.insert((chunk, bytes)).1)
    }
}

fn missing(chunk: ChunkRowId) -> ArchiveError {
    damaged(format!("chunk {chunk} is missing"))
}

/// The unpacked length of a chunk; `None` if it no longer exists.
fn chunk_bytes(pool: &Pool, chunk: ChunkRowId) -> Result<Option<u64>, ArchiveError> {
    pool.with(|connection| {
        let mut statement = connection.prepare_cached("SELECT bytes FROM chunk WHERE id = ?1")?;
        Ok(statement.query_row([chunk], |row| row.get(0)).optional()?)
    })
}

/// The bytes of a chunk; `None` if it no longer exists.
fn read_chunk(pool: &Pool, chunk: ChunkRowId) -> Result<Option<Vec<u8>>, ArchiveError> {
    pool.with(|connection| {
        let mut statement =
            connection.prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?;
        let mut rows = statement.query([chunk])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let bytes: usize = row.get(0)?;
        let data = row.get_ref(1)?.as_bytes().unwrap_or_default();
        let unpacked = unpack(data, bytes);
        unpacked
            .map(Some)
            .map_err(|error| damaged(format!("chunk {chunk}: {error}")))
    })
}

/// The bytes of a chunk that stands at that place of a version. If it is damaged, they are looked
/// for on disk.
fn read_or_mend(
    pool: &Pool,
    version: VersionRowId,
    chunk: ChunkRowId,
    start: u64,
) -> Result<Option<Vec<u8>>, ArchiveError> {
    match read_chunk(pool, chunk) {
        Err(error @ ArchiveError::Damaged { .. }) => {
            let mended = mend::from_disk(pool, version, chunk, start);
            mended.map(Some).ok_or(error)
        }
        read => read,
    }
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
        let chunks = chunks_of_version(&self.pool, self.version)?;
        let stream = Chunks {
            pool: Arc::clone(&self.pool),
            version: self.version,
            left: chunks.into_iter(),
            current: io::Cursor::default(),
            unpacked: 0,
            lost: None,
            gaps,
        };
        Ok(Box::new(stream.take(self.bytes)))
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

/// Unpacks one chunk after the other.
struct Chunks {
    pool: Arc<Pool>,
    version: VersionRowId,
    left: std::vec::IntoIter<ChunkRowId>,
    current: io::Cursor<Vec<u8>>,
    /// How many bytes have been unpacked, including the current chunk.
    unpacked: u64,
    /// Where a chunk no longer existed.
    lost: Option<u64>,
    /// How many bytes were damaged, if that is no reason to stop.
    gaps: Option<Arc<AtomicU64>>,
}

impl Chunks {
    /// The bytes of the next chunk; `None` if it no longer exists.
    fn chunk(&self, chunk: ChunkRowId) -> Result<Option<Vec<u8>>, ArchiveError> {
        let read = read_or_mend(&self.pool, self.version, chunk, self.unpacked);
        match (read, &self.gaps) {
            (Err(ArchiveError::Damaged { .. }), Some(gaps)) => {
                let Some(bytes) = chunk_bytes(&self.pool, chunk)? else {
                    return Ok(None);
                };
                gaps.fetch_add(bytes, Ordering::Relaxed);
                mend::note_loss(&self.pool, self.version);
                gap(bytes).map(Some)
            }
            (read, _) => read,
        }
    }

    /// The writer has moved the bytes to other chunks: continues with those.
    fn find_again(&mut self, gone: ChunkRowId) -> io::Result<()> {
        if self.lost.replace(self.unpacked) == Some(self.unpacked) {
            return Err(missing(gone).into());
        }
        self.left = chunks_of_version(&self.pool, self.version)?.into_iter();
        let mut start = 0;
        for next in self.left.by_ref() {
            let Some(bytes) = read_chunk(&self.pool, next)? else {
                return Err(missing(next).into());
            };
            let end = start + bytes.len() as u64;
            if end > self.unpacked {
                self.current = io::Cursor::new(bytes);
                self.current.set_position(self.unpacked - start);
                self.unpacked = end;
                break;
            }
            start = end;
        }
        Ok(())
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.current.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(next) = self.left.next() else {
                return Ok(0);
            };
            match self.chunk(next)? {
                Some(bytes) => {
                    self.unpacked += bytes.len() as u64;
                    self.current = io::Cursor::new(bytes);
                }
                None => self.find_again(next)?,
            }
        }
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
