//! Reads the other archive: of any schema that was ever written, damaged or not.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use gemtrail_home::source::Stat;
use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::carve::{Carved, CarvedRow};
use super::report::ImportReport;
use crate::db::ArchiveError;
use crate::db::columns::{LONGEST_FILE, Name, chunk_ids, unpack};
use crate::db::connection::open_to_import;
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId};
use crate::raw::chunk::{Hash, content_hash};
use crate::raw::marks::MarkRow;
use crate::raw::take::NewChunk;
use crate::raw::writer::HomeColumns;

/// The schema since which there are taught paths.
const HAS_TAUGHT: i32 = 2;
/// The schema since which files have a session and the time of their inode.
const HAS_SESSIONS: i32 = 4;

/// The schema since which sessions can be marked.
const HAS_MARKS: i32 = 7;

/// Contents of one chunk, by their rows.
pub(super) type Singles = HashMap<ContentRowId, (Hash, ChunkRowId)>;

/// Another archive, open to be merged into one.
#[derive(Debug)]
pub struct ImportSource {
    pub(super) connection: Connection,
    path: PathBuf,
    schema: i32,
    /// What is known of lost contents, once that was asked for.
    pub(super) singles: OnceCell<Singles>,
    /// What its pages hold, once something could not be found otherwise.
    carved: OnceCell<Carved>,
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
    /// The length of its last version.
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
            singles: OnceCell::new(),
            carved: OnceCell::new(),
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
        self.by_both_ends("taught", ("path", "path"), &mut none, |row| row.get(0))
    }

    /// The digests of contents and prompts that were forgotten, each with its session and time.
    pub(super) fn forgotten(
        &self,
        report: &mut ImportReport,
    ) -> Result<Vec<(Hash, String, i64)>, ArchiveError> {
        let columns = ("hash", "hash, session, time");
        self.by_both_ends("forgotten", columns, report, |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
    }

    /// What was marked there.
    pub(super) fn marks(&self, report: &mut ImportReport) -> Result<Vec<MarkRow>, ArchiveError> {
        if self.schema < HAS_MARKS {
            return Ok(Vec::new());
        }
        let columns = ("ref", "ref, host, field, value, time");
        self.by_both_ends("mark", columns, report, |row| {
            Ok(MarkRow {
                session: (row.get(0)?, row.get(1)?),
                field: row.get(2)?,
                value: row.get(3)?,
                time: row.get(4)?,
            })
        })
    }

    /// The homes, by their rows.
    pub(super) fn homes(
        &self,
        report: &mut ImportReport,
    ) -> Result<BTreeMap<i64, HomeColumns>, ArchiveError> {
        let found = report.diagnostics.len();
        let homes = self.by_id("home", "path, sessions, host, user, seen", report, |row| {
            Ok(HomeColumns {
                root: row.get::<_, Name>(1)?.0,
                sessions: row.get::<_, Name>(2)?.0,
                host: row.get(3)?,
                user: row.get(4)?,
                seen: row.get(5)?,
            })
        })?;
        let mut homes: BTreeMap<i64, HomeColumns> = homes.into_iter().collect();
        if report.diagnostics.len() > found {
            for (id, home) in self.homes_of_index() {
                homes.entry(id).or_insert(home);
            }
        }
        Ok(homes)
    }

    /// All files with their versions, oldest first.
    pub(super) fn files(&self, report: &mut ImportReport) -> Result<Vec<SourceFile>, ArchiveError> {
        let mut versions = self.versions(report)?;
        let since = if self.schema < HAS_SESSIONS {
            "NULL, NULL"
        } else {
            "session, changed"
        };
        let columns =
            format!("home, dir, path, kind, detail, bytes, modified, inode, gone, {since}");
        let found = report.diagnostics.len();
        let mut files = self.by_id("file", &columns, report, |row| {
            Ok(SourceFile {
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
            })
        })?;
        if report.diagnostics.len() > found {
            let known: HashSet<i64> = files.iter().map(|(id, _)| *id).collect();
            let lost = self.files_of_index().into_iter();
            files.extend(lost.filter(|(id, _)| !known.contains(id)));
        }
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
        let found = report.diagnostics.len();
        let contents = self.by_id("content", "hash, bytes", report, |row| {
            Ok((row.get(1)?, row.get(2)?))
        })?;
        let contents = contents.into_iter();
        let mut contents: HashMap<ContentRowId, (Hash, u64)> =
            contents.map(|(id, it)| (ContentRowId(id), it)).collect();
        let is_damaged = report.diagnostics.len() > found;
        if is_damaged {
            for (id, row) in &self.carved().contents {
                contents.entry(*id).or_insert((row.hash, row.bytes));
            }
            for (id, (hash, chunk)) in self.singles() {
                if let Ok((_, bytes)) = self.chunk_facts(*chunk) {
                    contents.entry(*id).or_insert((*hash, bytes));
                }
            }
        }
        let found = report.diagnostics.len();
        let columns = "file, content, bytes, modified, seen";
        let mut rows = self.by_id("version", columns, report, |row| {
            let content = row.get(2)?;
            let version = FileVersion {
                content,
                hash: contents.get(&content).map(|(hash, _)| *hash),
                bytes: row.get::<_, u64>(3)?.min(LONGEST_FILE),
                modified: row.get(4)?,
                seen: row.get(5)?,
                is_new: true,
            };
            Ok((row.get::<_, i64>(1)?, version))
        })?;
        if report.diagnostics.len() > found {
            let known: HashSet<i64> = rows.iter().map(|(id, _)| *id).collect();
            let lost = self.versions_of_index(&contents).into_iter();
            rows.extend(lost.filter(|(id, _)| !known.contains(id)));
            rows.sort_by_key(|(id, _)| *id);
        }
        let mut versions: HashMap<i64, Vec<FileVersion>> = HashMap::new();
        for (_, (file, version)) in rows {
            versions.entry(file).or_default().push(version);
        }
        Ok(versions)
    }

    /// The chunks of a content, with the digests that they should have.
    pub(super) fn chunks(
        &self,
        content: ContentRowId,
    ) -> Result<Vec<(ChunkRowId, Hash)>, ArchiveError> {
        let row: rusqlite::Result<Option<(Hash, u64, Vec<u8>)>> = self
            .connection
            .prepare_cached("SELECT hash, bytes, chunks FROM content WHERE id = ?1")?
            .query_row([content], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional();
        let carved = || {
            let row = self.carved().contents.get(&content)?;
            Some((row.hash, row.bytes, self.last_column(row).ok()?))
        };
        let Some((hash, bytes, list)) = row.ok().flatten().or_else(carved) else {
            let chunk = self.single(content)?;
            return Ok(vec![(chunk, self.chunk_facts(chunk)?.0)]);
        };
        let (mut ids, mut hashes, mut sum) = (Vec::new(), Vec::new(), 0_u64);
        for id in chunk_ids(&list) {
            let (hash, bytes) = self.chunk_facts(id)?;
            ids.push(id);
            hashes.push(hash);
            sum = sum.saturating_add(bytes);
        }
        if sum != bytes || content_hash(&hashes) != hash {
            return Err(damaged("its list of parts is not what was stored"));
        }
        Ok(ids.into_iter().zip(hashes).collect())
    }

    /// The digest and the length of a chunk.
    fn chunk_facts(&self, id: ChunkRowId) -> Result<(Hash, u64), ArchiveError> {
        let row = self
            .connection
            .prepare_cached("SELECT hash, bytes FROM chunk WHERE id = ?1")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)));
        let carved = |error| {
            let row = self.carved().chunks.get(&id);
            row.map_or_else(|| Err(lost(error)), |row| Ok((row.hash, row.bytes)))
        };
        row.or_else(carved)
    }

    fn carved(&self) -> &Carved {
        self.carved.get_or_init(|| Carved::of(&self.path))
    }

    fn last_column(&self, row: &CarvedRow) -> Result<Vec<u8>, ArchiveError> {
        let column = row.last_column(&self.path);
        column.map_err(|error| damaged(error.to_string()))
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
        let row: rusqlite::Result<(usize, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)));
        let (bytes, data) = match row {
            Ok(row) => row,
            Err(error) => {
                let row = self.carved().chunks.get(&id);
                let row = row.ok_or_else(|| lost(error))?;
                let bytes = usize::try_from(row.bytes).unwrap_or(usize::MAX);
                (bytes, self.last_column(row)?)
            }
        };
        let unpacked = unpack(&data, bytes).map_err(|error| damaged(error.to_string()))?;
        if Hash::from(Sha256::digest(&unpacked)) != hash {
            return Err(damaged("a part of it has another digest than it should"));
        }
        Ok((NewChunk { hash, bytes, data }, unpacked))
    }
}

/// The error for a part that cannot be found.
fn lost(error: rusqlite::Error) -> ArchiveError {
    match error {
        rusqlite::Error::QueryReturnedNoRows => damaged("a part of it is missing"),
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
