//! Reads a changed file and cuts it into chunks. Runs on several threads, which send the results to
//! the writer.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gemtrail_home::prompts::scrubbed;
use gemtrail_home::source::{Stat, contents, open_file, read_small};
use sha2::{Digest as _, Sha256};

use super::changes::Take;
use super::chunk::for_each_chunk;
use super::chunk::{Hash, content_hash};
use super::stored::{StoredChunk, chunks_of};
use super::writer::forgotten;
use crate::db::ArchiveError;
use crate::db::columns::{is_sound, pack};
use crate::db::ids::ContentRowId;
use crate::db::pool::Pool;

/// A file longer than this is not read in full again after an append: its beginning, the end of
/// what is stored and some chunks in between must be unchanged.
const READ_WHOLE: u64 = 8 << 20;
/// The number of chunks of a long file that are compared.
const SAMPLES: usize = 16;

/// The version of a file that the archive has.
#[derive(Clone, Debug)]
pub(crate) struct Previous {
    pub(crate) content: ContentRowId,
    pub(crate) bytes: u64,
    pub(crate) inode: i64,
}

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) stat: Stat,
    pub(crate) bytes: u64,
    pub(crate) chunks: Vec<Hash>,
    /// True if the file was only appended to.
    pub(crate) extends: bool,
    /// The number of bytes that were read.
    pub(crate) read: u64,
}

impl Taken {
    /// For bytes that are not those of any file.
    pub(crate) fn of_bytes(bytes: u64, chunks: Vec<Hash>) -> Self {
        Self {
            stat: Stat::default(),
            bytes,
            chunks,
            extends: false,
            read: bytes,
        }
    }

    /// The digest of the content.
    pub(crate) fn hash(&self) -> Hash {
        content_hash(&self.chunks)
    }
}

/// A chunk that the archive does not have, or has damaged.
#[derive(Debug)]
pub(crate) struct NewChunk {
    pub(crate) hash: Hash,
    pub(crate) bytes: usize,
    pub(crate) data: Vec<u8>,
}

/// Shared by all threads of one run.
pub(crate) struct Taker<'a> {
    pub(crate) pool: &'a Pool,
    /// Chunks on their way to the archive.
    sent: Mutex<HashSet<Hash>>,
    /// Digests of the prompts to leave out of logs.
    forgotten: HashSet<Hash>,
    /// True if long files are read in full.
    is_full: bool,
}

impl<'a> Taker<'a> {
    pub(crate) fn new(pool: &'a Pool, is_full: bool) -> Result<Self, ArchiveError> {
        Ok(Self {
            pool,
            sent: Mutex::new(HashSet::new()),
            forgotten: pool.with(forgotten)?,
            is_full,
        })
    }

    /// Reads a prompt log, which several sessions share.
    pub(crate) fn take_log(
        &self,
        path: &Path,
        send: &mut dyn FnMut(NewChunk) -> Result<(), ArchiveError>,
    ) -> Result<Taken, ArchiveError> {
        if self.forgotten.is_empty() {
            return self.take(path, None, send);
        }
        let metadata = std::fs::metadata(path).map_err(of_file(path))?;
        let log = read_small(path).map_err(of_file(path))?;
        let log = scrubbed(&log, &self.forgotten).unwrap_or(log);
        let mut taken = Taken::of_bytes(log.len() as u64, Vec::new());
        taken.stat = Stat::of(&metadata);
        for_each_chunk(log.as_slice(), |bytes| {
            self.chunk(bytes, true, &mut taken.chunks, send)
        })?;
        Ok(taken)
    }

    /// Takes a database as its rows: each is a chunk of its own, so that a later state costs only
    /// what changed.
    pub(crate) fn take_pieces(
        &self,
        take: &Take<'_>,
        pieces: io::Result<Vec<Vec<u8>>>,
        send: &mut dyn FnMut(NewChunk) -> Result<(), ArchiveError>,
    ) -> Result<Taken, ArchiveError> {
        let mut taken = Taken::of_bytes(0, Vec::new());
        // As it was seen before it was read: what was written meanwhile is taken next time.
        taken.stat = take.file.stat;
        for piece in pieces.map_err(of_file(&take.file.path))? {
            taken.bytes += piece.len() as u64;
            for_each_chunk(piece.as_slice(), |bytes| {
                self.chunk(bytes, true, &mut taken.chunks, send)
            })?;
        }
        taken.read = taken.bytes;
        Ok(taken)
    }

    /// Reads a file whose content was forgotten. Unless it changed, nothing is sent.
    pub(crate) fn take_if_changed(
        &self,
        path: &Path,
        send: &mut dyn FnMut(NewChunk) -> Result<(), ArchiveError>,
    ) -> Result<Taken, ArchiveError> {
        let (mut file, metadata) = open_file(path).map_err(of_file(path))?;
        let mut taken = Taken::of_bytes(0, Vec::new());
        taken.stat = Stat::of(&metadata);
        for_each_chunk(contents(&mut file, &metadata), |bytes| {
            taken.bytes += bytes.len() as u64;
            taken.chunks.push(Sha256::digest(bytes).into());
            Ok::<_, ArchiveError>(())
        })
        .map_err(in_file(path))?;
        let hash = taken.hash();
        let is_same = self.pool.with(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT 1 FROM forgotten WHERE hash = ?1")?;
            Ok::<_, ArchiveError>(statement.exists([hash.as_slice()])?)
        })?;
        if is_same {
            taken.read = taken.bytes;
            return Ok(taken);
        }
        self.take(path, None, send)
    }

    /// Sends a chunk if it is new or, where that is checked, if the stored one is damaged.
    fn chunk(
        &self,
        bytes: &[u8],
        is_checked: bool,
        chunks: &mut Vec<Hash>,
        send: &mut dyn FnMut(NewChunk) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let hash: Hash = Sha256::digest(bytes).into();
        chunks.push(hash);
        if self.is_wanted(hash, is_checked)? {
            send(NewChunk {
                hash,
                bytes: bytes.len(),
                data: pack(bytes)?,
            })?;
        }
        Ok(())
    }

    /// Reads a file and sends its new chunks.
    pub(crate) fn take(
        &self,
        path: &Path,
        previous: Option<&Previous>,
        send: &mut dyn FnMut(NewChunk) -> Result<(), ArchiveError>,
    ) -> Result<Taken, ArchiveError> {
        let (mut file, metadata) = open_file(path).map_err(of_file(path))?;
        let stat = Stat::of(&metadata);
        let known = match previous {
            Some(previous) if stat.bytes > previous.bytes => {
                Some((previous, chunks_of(self.pool, previous.content)?))
            }
            _ => None,
        };
        let unchanged = match &known {
            Some((previous, chunks))
                if !self.is_full
                    && previous.bytes > READ_WHOLE
                    && previous.inode == stat.inode
                    && is_sampled_prefix(&mut file, previous.bytes, chunks)
                        .map_err(in_file(path))? =>
            {
                chunks.len() - 1
            }
            _ => 0,
        };
        let mut taken = Taken {
            stat,
            bytes: 0,
            chunks: Vec::new(),
            extends: unchanged > 0,
            read: 0,
        };
        if let Some((_, chunks)) = &known {
            for chunk in &chunks[..unchanged] {
                taken.chunks.push(chunk.hash);
                taken.bytes += chunk.bytes;
            }
        }
        file.seek(SeekFrom::Start(taken.bytes))
            .map_err(of_file(path))?;
        // A file that grows is read often, and most of it is known: that must stay quick.
        let is_checked = known.is_none();
        for_each_chunk(contents(&mut file, &metadata), |bytes| {
            taken.bytes += bytes.len() as u64;
            taken.read += bytes.len() as u64;
            self.chunk(bytes, is_checked, &mut taken.chunks, send)
        })
        .map_err(in_file(path))?;
        if let Some((previous, chunks)) = &known
            && !taken.extends
        {
            taken.extends = is_prefix(&mut file, previous.bytes, chunks, &taken.chunks)
                .map_err(in_file(path))?;
        }
        Ok(taken)
    }

    fn is_wanted(&self, hash: Hash, is_checked: bool) -> Result<bool, ArchiveError> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if !sent.insert(hash) {
            return Ok(false);
        }
        drop(sent);
        self.pool.with(|connection| {
            if !is_checked {
                let mut statement =
                    connection.prepare_cached("SELECT 1 FROM chunk WHERE hash = ?1")?;
                return Ok(!statement.exists([hash.as_slice()])?);
            }
            let mut statement =
                connection.prepare_cached("SELECT bytes, data FROM chunk WHERE hash = ?1")?;
            let mut rows = statement.query([hash.as_slice()])?;
            let Some(row) = rows.next()? else {
                return Ok(true);
            };
            let data = row.get_ref(1)?.as_bytes().unwrap_or_default();
            Ok(!is_sound(data, row.get(0)?))
        })
    }
}

/// An error about a file of a home, not about the archive.
fn of_file(path: &Path) -> impl Fn(io::Error) -> ArchiveError {
    move |source| ArchiveError::File {
        path: path.to_owned(),
        source,
    }
}

/// An error about a file that could be opened but not read.
fn in_file(path: &Path) -> impl FnOnce(ArchiveError) -> ArchiveError {
    move |error| match error {
        ArchiveError::Io(source) => of_file(path)(source),
        other => other,
    }
}

/// True if the file, read in full, begins with what is stored.
fn is_prefix(
    file: &mut File,
    stored: u64,
    known: &[StoredChunk],
    now: &[Hash],
) -> Result<bool, ArchiveError> {
    let mut start = 0;
    // From where chunks differ, only the bytes tell: a chunk may also have ended with the file, or
    // where another release cut it.
    let mut is_same = true;
    for (at, chunk) in known.iter().enumerate() {
        is_same &= now.get(at) == Some(&chunk.hash);
        if !is_same && !has_at(file, start, chunk)? {
            return Ok(false);
        }
        start += chunk.bytes;
    }
    Ok(start == stored)
}

/// True if a long file begins with what is stored, judged by samples.
fn is_sampled_prefix(
    file: &mut File,
    stored: u64,
    known: &[StoredChunk],
) -> Result<bool, ArchiveError> {
    let step = known.len().div_ceil(SAMPLES).max(1);
    let mut start = 0;
    for (index, chunk) in known.iter().enumerate() {
        let is_last = index + 1 == known.len();
        if (index % step == 0 || is_last) && !has_at(file, start, chunk)? {
            return Ok(false);
        }
        start += chunk.bytes;
    }
    Ok(start == stored)
}

fn has_at(file: &mut File, at: u64, chunk: &StoredChunk) -> io::Result<bool> {
    let mut piece = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(chunk.bytes).read_to_end(&mut piece)?;
    Ok(Hash::from(Sha256::digest(&piece)) == chunk.hash)
}
