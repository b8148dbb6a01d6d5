//! The connections of an archive, and the bytes behind them.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gemtrail_core::model::Span;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};
use zstd::bulk::{Compressor, Decompressor};

use super::error::{ArchiveError, damaged};
use super::remains::{judge, refuse_stump};
use super::schema;
use crate::load::hex;
use crate::source::Kept;

/// How long a statement waits for another process. Only writers ever wait: readers see the archive
/// as it was.
const PATIENCE: Duration = Duration::from_secs(10);

/// An archive that is being read, by several threads at once.
pub(crate) struct Vault {
    path: PathBuf,
    /// Connections that nobody uses at the moment.
    spare: Mutex<Vec<Connection>>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Vault").field(&self.path).finish()
    }
}

impl Vault {
    pub(crate) fn open(path: &Path) -> Result<Arc<Self>, ArchiveError> {
        let connection = open_to_read(path).map_err(|error| judge(error, path))?;
        let found = schema::check(&connection).map_err(|error| judge(error, path))?;
        if found == 0 {
            return Err(ArchiveError::Empty);
        }
        if found < schema::VERSION {
            return Err(ArchiveError::Older {
                found,
                known: schema::VERSION,
            });
        }
        Ok(Arc::new(Self {
            path: path.to_owned(),
            spare: Mutex::new(vec![connection]),
        }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Does something with a connection of its own.
    pub(crate) fn with<T, E: From<ArchiveError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let spare = self.spare().pop();
        let connection = match spare {
            Some(connection) => connection,
            None => open_to_read(&self.path)?,
        };
        let result = work(&connection);
        self.spare().push(connection);
        result
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a version.
    pub(crate) fn kept_version(self: &Arc<Self>, version: i64, bytes: u64) -> Arc<dyn Kept> {
        Arc::new(Stored {
            vault: Arc::clone(self),
            version,
            bytes,
        })
    }

    /// Where the chunks of a version are now. When its file grows, they move to a longer content.
    fn chunks_of_version(&self, version: i64) -> Result<Vec<i64>, ArchiveError> {
        let content: Option<i64> = self.with(|connection| {
            let content = connection
                .prepare_cached("SELECT content FROM version WHERE id = ?1")?
                .query_row([version], |row| row.get(0))
                .optional()?;
            Ok::<_, ArchiveError>(content)
        })?;
        self.chunks_of(content.ok_or_else(|| damaged(format!("version {version} is missing")))?)
    }

    /// Where the chunks of a content are.
    pub(crate) fn chunks_of(&self, content: i64) -> Result<Vec<i64>, ArchiveError> {
        self.with(|connection| {
            let list: Option<Vec<u8>> = connection
                .prepare_cached("SELECT chunks FROM content WHERE id = ?1")?
                .query_row([content], |row| row.get(0))
                .optional()?;
            let list = list.ok_or_else(|| damaged(format!("content {content} is missing")))?;
            Ok(chunk_ids(&list).collect())
        })
    }

    /// The bytes of a version that stand at these places. Only the chunks that have them are unpacked.
    pub(crate) fn read_spans(
        &self,
        version: i64,
        spans: &[Span],
    ) -> Result<Vec<Vec<u8>>, ArchiveError> {
        let chunks = self.chunks_of_version(version)?;
        let end_of = |span: &Span| span.start.saturating_add(span.bytes);
        let last = spans.iter().map(end_of).max();
        let mut read = vec![Vec::new(); spans.len()];
        let mut start = 0;
        for chunk in chunks {
            if start >= last.unwrap_or_default() {
                break;
            }
            let missing = || damaged(format!("chunk {chunk} is missing"));
            let end = start + self.chunk_bytes(chunk)?.ok_or_else(missing)?;
            let is_in = |span: &Span| span.start < end && end_of(span) > start;
            if spans.iter().any(is_in) {
                let bytes = self.chunk(chunk)?.ok_or_else(missing)?;
                for (span, read) in spans.iter().zip(&mut read).filter(|(span, _)| is_in(span)) {
                    let from = span.start.saturating_sub(start);
                    let to = end_of(span).min(end) - start;
                    let place = usize::try_from(from).ok().zip(usize::try_from(to).ok());
                    let part = place.and_then(|(from, to)| bytes.get(from..to));
                    read.extend(part.ok_or_else(missing)?);
                }
            }
            start = end;
        }
        Ok(read)
    }

    /// How long a chunk is when it is unpacked; nothing if it is no longer there.
    fn chunk_bytes(&self, chunk: i64) -> Result<Option<u64>, ArchiveError> {
        self.with(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT bytes FROM chunk WHERE id = ?1")?;
            Ok(statement.query_row([chunk], |row| row.get(0)).optional()?)
        })
    }

    /// The bytes of a chunk; nothing if it is no longer there.
    pub(crate) fn chunk(&self, chunk: i64) -> Result<Option<Vec<u8>>, ArchiveError> {
        self.with(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?;
            let mut rows = statement.query([chunk])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let bytes: usize = row.get(0)?;
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            let unpacked = unpack(data, bytes);
            unpacked
                .map(Some)
                .map_err(|error| damaged(format!("chunk {chunk}: {error}")))
        })
    }
}

/// Opens an archive that must not change. Where not even `SQLite`'s own side files can be written,
/// nobody else can be writing either.
fn open_to_read(path: &Path) -> Result<Connection, ArchiveError> {
    if !path.exists() {
        return Err(ArchiveError::Missing {
            path: path.to_owned(),
        });
    }
    refuse_stump(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let probe = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    };
    let connection = match probe(&connection) {
        Ok(()) => connection,
        Err(error) => {
            let code = error.sqlite_error_code();
            if !matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) {
                return Err(error.into());
            }
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
            probe(&connection)?;
            connection
        }
    };
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "cache_size", -8192)?;
    Ok(connection)
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            _ => {
                uri.push('%');
                uri.push_str(&hex(&[byte]));
            }
        }
    }
    uri + "?immutable=1"
}

/// Opens an archive for its one writer, and makes it if it is not there.
pub(crate) fn open_to_write(path: &Path) -> Result<Connection, ArchiveError> {
    create_private(path)?;
    refuse_stump(path)?;
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    schema::check(&connection).map_err(|error| judge(error, path))?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // What is deleted is gone, also from pages that nobody uses any more.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// Other people have no business in it.
pub(crate) fn create_private(path: &Path) -> Result<(), ArchiveError> {
    let at = |error| ArchiveError::of_own_file(path, error);
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(at)?;
    }
    match create_file(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created.map_err(at),
    }
}

/// Makes a file that is not there yet, for its owner alone.
pub(crate) fn create_file(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// The ids in a list of chunks.
pub(crate) fn chunk_ids(list: &[u8]) -> impl Iterator<Item = i64> {
    let (ids, _) = list.as_chunks::<8>();
    ids.iter().map(|id| i64::from_le_bytes(*id))
}

/// How hard to compress: beyond this, time grows faster than the archive shrinks.
const LEVEL: i32 = 3;

thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// With a sum of its own, so that whoever unpacks it notices if it is not what was packed.
pub(crate) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        let packer = if let Some(packer) = packer {
            packer
        } else {
            let mut new = Compressor::new(LEVEL)?;
            new.include_checksum(true)?;
            packer.insert(new)
        };
        packer.compress(bytes)
    })
}

thread_local! {
    /// Making one takes longer than most of what is unpacked with it.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// More than anything that is packed. An archive may come from anywhere, and say anything.
const MOST_UNPACKED: usize = 64 << 20;

pub(crate) fn unpack(data: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    if bytes > MOST_UNPACKED {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let unpacked = UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new()?),
        };
        unpacker.decompress(data, bytes)
    })?;
    if unpacked.len() == bytes {
        Ok(unpacked)
    } else {
        Err(io::Error::other("it has another length"))
    }
}

/// A file as it was at some time.
#[derive(Debug)]
struct Stored {
    vault: Arc<Vault>,
    version: i64,
    bytes: u64,
}

impl Kept for Stored {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let chunks = self.vault.chunks_of_version(self.version)?;
        let stream = Chunks {
            vault: Arc::clone(&self.vault),
            version: self.version,
            left: chunks.into_iter(),
            current: io::Cursor::default(),
            unpacked: 0,
            lost: None,
        };
        Ok(Box::new(stream.take(self.bytes)))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Unpacks one chunk after the other.
struct Chunks {
    vault: Arc<Vault>,
    version: i64,
    left: std::vec::IntoIter<i64>,
    current: io::Cursor<Vec<u8>>,
    /// How many bytes have been unpacked, those of the current chunk included.
    unpacked: u64,
    /// Where a chunk was no longer there.
    lost: Option<u64>,
}

impl Chunks {
    /// Somebody who writes meanwhile has put the bytes into other chunks: goes on with those.
    fn find_again(&mut self, missing: i64) -> io::Result<()> {
        if self.lost.replace(self.unpacked) == Some(self.unpacked) {
            return Err(damaged(format!("chunk {missing} is missing")).into());
        }
        self.left = self.vault.chunks_of_version(self.version)?.into_iter();
        let mut start = 0;
        for next in self.left.by_ref() {
            let Some(bytes) = self.vault.chunk(next)? else {
                return Err(damaged(format!("chunk {next} is missing")).into());
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
            match self.vault.chunk(next)? {
                Some(bytes) => {
                    self.unpacked += bytes.len() as u64;
                    self.current = io::Cursor::new(bytes);
                }
                None => self.find_again(next)?,
            }
        }
    }
}
