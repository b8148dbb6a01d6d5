//! Reads the other archive: of any schema that was ever written, damaged or not.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Row};
use sha2::{Digest as _, Sha256};

use super::report::ImportReport;
use crate::db::ArchiveError;
use crate::db::connection::open_to_import;
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId};
use crate::db::name::Name;
use crate::db::pack::{chunk_ids, unpack};
use crate::raw::hash::{Hash, content_hash};
use crate::raw::take::NewChunk;
use crate::raw::writer::HomeColumns;
use crate::source::Stat;

/// The schema since which there are taught paths.
const HAS_TAUGHT: i32 = 2;
/// The schema since which files have a session and the time of their inode.
const HAS_SESSIONS: i32 = 4;

/// Another archive, open to be merged into one.
#[derive(Debug)]
pub struct ImportSource {
    connection: Connection,
    path: PathBuf,
    schema: i32,
}

/// A file in the other archive.
pub(super) struct SourceFile {
    pub(super) home: i64,
    pub(super) dir: Option<String>,
    pub(super) path: PathBuf,
    pub(super) kind: String,
    pub(super) detail: Option<String>,
    pub(super) stat: Stat,
    pub(super) gone: Option<i64>,
    pub(super) session: Option<String>,
    pub(super) versions: Vec<FileVersion>,
}

impl SourceFile {
    /// How long its last version is.
    pub(super) fn bytes(&self) -> u64 {
        self.versions.last().map_or(0, |version| version.bytes)
    }
}

/// A version of a file, in either archive.
#[derive(Clone, Copy)]
pub(super) struct FileVersion {
    /// The row of its content in that archive.
    pub(super) content: ContentRowId,
    /// The digest of the content; `None` if the archive has no such content.
    pub(super) hash: Option<Hash>,
    pub(super) bytes: u64,
    pub(super) modified: i64,
    pub(super) seen: i64,
    /// True if it comes from the other archive.
    pub(super) is_new: bool,
}

impl ImportSource {
    /// Opens an archive to be merged into another one.
    pub fn open(path: &Path, into: &Path) -> Result<Self, ArchiveError> {
        if path.exists() && is_same(path, into) {
            return Err(ArchiveError::Itself);
        }
        let (connection, schema) = open_to_import(path)?;
        // One state of it, whatever is written meanwhile.
        connection.execute_batch("BEGIN")?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            schema,
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn taught(&self) -> Result<Vec<String>, ArchiveError> {
        if self.schema < HAS_TAUGHT {
            return Ok(Vec::new());
        }
        let mut none = ImportReport::default();
        self.rows("SELECT path FROM taught", &mut none, |row| row.get(0))
    }

    /// The digests of contents and prompts that were forgotten, each with its session and time.
    pub(super) fn forgotten(
        &self,
        report: &mut ImportReport,
    ) -> Result<Vec<(Hash, String, i64)>, ArchiveError> {
        let sql = "SELECT hash, session, time FROM forgotten";
        self.rows(sql, report, |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
    }

    /// The homes, by their rows.
    pub(super) fn homes(
        &self,
        report: &mut ImportReport,
    ) -> Result<BTreeMap<i64, HomeColumns>, ArchiveError> {
        let sql = "SELECT id, path, sessions, host, user, seen FROM home";
        let homes = self.rows(sql, report, |row| {
            let columns = HomeColumns {
                root: row.get::<_, Name>(1)?.0,
                sessions: row.get::<_, Name>(2)?.0,
                host: row.get(3)?,
                user: row.get(4)?,
                seen: row.get(5)?,
            };
            Ok((row.get(0)?, columns))
        })?;
        Ok(homes.into_iter().collect())
    }

    /// All files with their versions, oldest first.
    pub(super) fn files(&self, report: &mut ImportReport) -> Result<Vec<SourceFile>, ArchiveError> {
        let mut versions = self.versions(report)?;
        let since = if self.schema < HAS_SESSIONS {
            "NULL, NULL"
        } else {
            "session, changed"
        };
        let sql = format!(
            "SELECT id, home, dir, path, kind, detail, bytes, modified, inode, gone, {since}
             FROM file ORDER BY id"
        );
        let mut files = self.rows(&sql, report, |row| {
            let file = SourceFile {
                home: row.get(1)?,
                dir: row.get(2)?,
                path: row.get::<_, Name>(3)?.0,
                kind: row.get(4)?,
                detail: row.get(5)?,
                stat: Stat {
                    bytes: row.get(6)?,
                    modified: row.get(7)?,
                    inode: row.get(8)?,
                    changed: row.get(11)?,
                },
                gone: row.get(9)?,
                session: row.get(10)?,
                versions: Vec::new(),
            };
            Ok((row.get::<_, i64>(0)?, file))
        })?;
        for (id, file) in &mut files {
            file.versions = versions.remove(id).unwrap_or_default();
        }
        if !versions.is_empty() {
            let what = format!("{} files with versions are missing", versions.len());
            report.damage(None, what);
        }
        Ok(files.into_iter().map(|(_, file)| file).collect())
    }

    fn versions(
        &self,
        report: &mut ImportReport,
    ) -> Result<HashMap<i64, Vec<FileVersion>>, ArchiveError> {
        let hashes: HashMap<ContentRowId, Hash> = self
            .rows("SELECT id, hash FROM content", report, |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .into_iter()
            .collect();
        let sql = "SELECT file, content, bytes, modified, seen FROM version ORDER BY id";
        let rows = self.rows(sql, report, |row| {
            let content = row.get(1)?;
            let version = FileVersion {
                content,
                hash: hashes.get(&content).copied(),
                bytes: row.get(2)?,
                modified: row.get(3)?,
                seen: row.get(4)?,
                is_new: true,
            };
            Ok((row.get::<_, i64>(0)?, version))
        })?;
        let mut versions: HashMap<i64, Vec<FileVersion>> = HashMap::new();
        for (file, version) in rows {
            versions.entry(file).or_default().push(version);
        }
        Ok(versions)
    }

    /// The chunks of a content, with the digests that they should have.
    pub(super) fn chunks(
        &self,
        content: ContentRowId,
    ) -> Result<Vec<(ChunkRowId, Hash)>, ArchiveError> {
        let (hash, bytes, list): (Hash, u64, Vec<u8>) = self
            .connection
            .prepare_cached("SELECT hash, bytes, chunks FROM content WHERE id = ?1")?
            .query_row([content], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?
            .ok_or_else(|| damaged("its content is missing"))?;
        let mut statement = self
            .connection
            .prepare_cached("SELECT hash, bytes FROM chunk WHERE id = ?1")?;
        let (mut ids, mut hashes, mut sum) = (Vec::new(), Vec::new(), 0_u64);
        for id in chunk_ids(&list) {
            let (hash, bytes): (Hash, u64) = statement
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?
                .ok_or_else(|| damaged("a part of it is missing"))?;
            ids.push(id);
            hashes.push(hash);
            sum = sum.saturating_add(bytes);
        }
        if sum != bytes || content_hash(&hashes) != hash {
            return Err(damaged("its list of parts is not what was stored"));
        }
        Ok(ids.into_iter().zip(hashes).collect())
    }

    /// The bytes of a content, verified.
    pub(super) fn read(&self, content: ContentRowId) -> Result<Vec<u8>, ArchiveError> {
        let mut bytes = Vec::new();
        for (id, hash) in self.chunks(content)? {
            bytes.extend(self.chunk(id, hash)?.1);
        }
        Ok(bytes)
    }

    /// A chunk as it is stored, and its bytes, verified.
    pub(super) fn chunk(
        &self,
        id: ChunkRowId,
        hash: Hash,
    ) -> Result<(NewChunk, Vec<u8>), ArchiveError> {
        let (bytes, data): (usize, Vec<u8>) = self
            .connection
            .prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
            .ok_or_else(|| damaged("a part of it is missing"))?;
        let unpacked = unpack(&data, bytes).map_err(|error| damaged(error.to_string()))?;
        if Hash::from(Sha256::digest(&unpacked)) != hash {
            return Err(damaged("a part of it has another digest than it should"));
        }
        Ok((NewChunk { hash, bytes, data }, unpacked))
    }

    /// All rows of a table, up to the first that cannot be read.
    fn rows<T>(
        &self,
        sql: &str,
        report: &mut ImportReport,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ArchiveError> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        loop {
            match rows.next().and_then(|row| row.map(&read).transpose()) {
                Ok(Some(row)) => all.push(row),
                Ok(None) => return Ok(all),
                Err(error) => match as_damage(error) {
                    ArchiveError::Damaged { what } => {
                        report.damage(None, format!("not all of it can be read: {what}"));
                        return Ok(all);
                    }
                    other => return Err(other),
                },
            }
        }
    }
}

/// A value of another type is damage, too: nobody wrote it.
fn as_damage(error: rusqlite::Error) -> ArchiveError {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..) => damaged(error.to_string()),
        other => other.into(),
    }
}

/// True if two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(one).is_some_and(|one| real(other) == Some(one)) {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let place = |path: &Path| std::fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
        place(one).is_some_and(|one| place(other) == Some(one))
    }
    #[cfg(not(unix))]
    false
}
