//! Writes the raw layer: chunks, contents, files and their versions.
//!
//! Row ids of chunks, contents and versions are never reused, see `schema/3.sql`.

use std::cell::Cell;
use std::collections::HashSet;
use std::path::PathBuf;

use gemtrail_home::discover::{FileKind, Found};
use gemtrail_home::source::Stat;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Transaction};
use sha2::{Digest as _, Sha256};

use super::changes::Take;
use super::chunk::Hash;
use super::chunk::for_each_chunk;
use super::damage::{self, ChunkUse};
use super::homes::Machine;
use super::homes::home_with;
use super::take::{NewChunk, Taken};
use crate::db::ArchiveError;
use crate::db::columns::{Name, chunk_ids, is_sound, kind_to_columns, pack, pack_ids, unpack};
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId, FileRowId, HomeRowId};

/// A home as its row has it.
#[derive(Clone, Debug)]
pub(crate) struct HomeColumns {
    pub(crate) root: PathBuf,
    pub(crate) sessions: PathBuf,
    /// Empty if nobody said.
    pub(crate) host: String,
    pub(crate) user: String,
    /// First, in milliseconds since 1970.
    pub(crate) seen: i64,
}

/// Writes within one transaction.
pub(crate) struct RawWriter<'a> {
    transaction: &'a Transaction<'a>,
    /// Milliseconds since 1970.
    now: i64,
    /// The number of the change that this transaction is, once there is one.
    change: Cell<Option<i64>>,
}

impl<'a> RawWriter<'a> {
    pub(crate) fn new(transaction: &'a Transaction<'a>, now: i64) -> Self {
        Self {
            transaction,
            now,
            change: Cell::new(None),
        }
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<CachedStatement<'a>, ArchiveError> {
        Ok(self.transaction.prepare_cached(sql)?)
    }

    /// The row of a home.
    pub(crate) fn home(&self, found: &Found, at: &Machine) -> Result<HomeRowId, ArchiveError> {
        let machine = at.of(found);
        let (id, _) = self.home_row(&HomeColumns {
            root: found.home.root.clone(),
            sessions: found.home.sessions.clone(),
            host: machine.host.unwrap_or_default(),
            user: machine.user.unwrap_or_default(),
            seen: self.now,
        })?;
        self.prepare("UPDATE home SET sessions = ?2 WHERE id = ?1 AND sessions <> ?2")?
            .execute((id, Name::of(&found.home.sessions)))?;
        Ok(id)
    }

    /// The row of a home, and whether it is new.
    pub(crate) fn home_row(&self, home: &HomeColumns) -> Result<(HomeRowId, bool), ArchiveError> {
        let Some(id) = home_with(self.transaction, &home.root, &home.host, &home.user)? else {
            let mut insert = self.prepare(
                "INSERT INTO home(path, sessions, host, user, seen) VALUES(?1, ?2, ?3, ?4, ?5)",
            )?;
            let (root, sessions) = (Name::of(&home.root), Name::of(&home.sessions));
            let row = insert.insert((root, sessions, &home.host, &home.user, home.seen))?;
            return Ok((HomeRowId(row), true));
        };
        let has_name = self
            .prepare("UPDATE home SET user = ?2 WHERE id = ?1 AND user = '' AND ?2 <> ''")?
            .execute((id, &home.user))?;
        if has_name > 0 {
            // Every session records its host and user.
            self.prepare("UPDATE dir SET stale = ?2 WHERE home = ?1")?
                .execute((id, self.change()?))?;
        }
        Ok((id, false))
    }

    /// Stores a chunk unless there is one with its digest.
    pub(crate) fn chunk_if_new(&self, chunk: &NewChunk) -> Result<bool, ArchiveError> {
        let added = self
            .prepare(
                "INSERT OR IGNORE INTO chunk(id, hash, bytes, data) VALUES(
                   1 + max((SELECT id FROM retired WHERE name = 'chunk'),
                           (SELECT coalesce(max(id), 0) FROM chunk)), ?1, ?2, ?3)",
            )?
            .execute((chunk.hash.as_slice(), chunk.bytes, &chunk.data))?;
        Ok(added > 0)
    }

    pub(crate) fn chunk(&self, chunk: &NewChunk) -> Result<(), ArchiveError> {
        if self.chunk_if_new(chunk)? {
            return Ok(());
        }
        let known: Option<(ChunkRowId, bool)> = self
            .prepare("SELECT id, data = ?2 FROM chunk WHERE hash = ?1")?
            .query_row((chunk.hash.as_slice(), &chunk.data), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        match known {
            Some((id, false)) => {
                let uses = damage::uses_of(self.transaction, id)?;
                self.mend(id, &chunk.data, &uses)
            }
            _ => Ok(()),
        }
    }

    /// Replaces the data of a damaged chunk. The views of its files may lack something.
    pub(super) fn mend(
        &self,
        chunk: ChunkRowId,
        data: &[u8],
        uses: &[ChunkUse],
    ) -> Result<(), ArchiveError> {
        self.prepare("UPDATE chunk SET data = ?2 WHERE id = ?1")?
            .execute((chunk, data))?;
        for it in uses {
            self.mark_stale_of(it.file)?;
        }
        Ok(())
    }

    /// True if all chunks of a file are stored.
    pub(crate) fn has_chunks(&self, taken: &Taken) -> Result<bool, ArchiveError> {
        let mut statement = self.prepare("SELECT 1 FROM chunk WHERE hash = ?1")?;
        for chunk in &taken.chunks {
            if !statement.exists([chunk.as_slice()])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes a file whose chunks are all stored. It gets a new version, unless its bytes are
    /// already in the archive or were forgotten.
    pub(crate) fn file(
        &self,
        home: HomeRowId,
        found: &Found,
        take: &Take<'_>,
        taken: &Taken,
    ) -> Result<(), ArchiveError> {
        let stat = taken.stat;
        let file = self.file_row(home, found, take, stat)?;
        let hash = taken.hash();
        if self.is_forgotten(&hash, take)? {
            return Ok(());
        }
        let content = self.content(&hash, taken)?;
        let previous = take.previous.as_ref().map(|previous| previous.content);
        if previous == Some(content) {
            return Ok(());
        }
        self.version(file, content, taken.bytes, stat.modified, self.now)?;
        if let Some(previous) = previous
            && taken.extends
        {
            self.prepare("UPDATE version SET content = ?3 WHERE file = ?1 AND content = ?2")?
                .execute((file, previous, content))?;
            self.drop_content(previous)?;
        }
        self.mark(home, take)
    }

    /// The row of a file, as the file is now.
    fn file_row(
        &self,
        home: HomeRowId,
        found: &Found,
        take: &Take<'_>,
        stat: Stat,
    ) -> Result<FileRowId, ArchiveError> {
        let path = Name::of(found.below(&take.file.path));
        let (kind, detail) = kind_to_columns(&take.file.kind);
        self.prepare(
            "INSERT INTO file(home, dir, path, kind, detail, bytes, modified, inode, changed)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT DO UPDATE SET dir = ?2, kind = ?4, detail = ?5, bytes = ?6,
               modified = ?7, inode = ?8, changed = ?9, gone = NULL",
        )?
        .execute((
            home,
            take.dir,
            &path,
            kind,
            detail,
            stat.bytes,
            stat.modified,
            stat.inode,
            stat.changed,
        ))?;
        // Asking for the id in the same statement would make a table for it each time.
        let mut find = self.prepare("SELECT id FROM file WHERE home = ?1 AND path = ?2")?;
        Ok(find.query_row((home, &path), |row| row.get(0))?)
    }

    /// Adds a version, the latest one, to a file.
    pub(crate) fn version(
        &self,
        file: FileRowId,
        content: ContentRowId,
        bytes: u64,
        modified: i64,
        seen: i64,
    ) -> Result<(), ArchiveError> {
        self.prepare(
            "INSERT INTO version(id, file, content, bytes, modified, seen) VALUES(
               1 + max((SELECT id FROM retired WHERE name = 'version'),
                       (SELECT coalesce(max(id), 0) FROM version)), ?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((file, content, bytes, modified, seen))?;
        Ok(())
    }

    /// The length of a chunk that can be unpacked.
    pub(crate) fn sound_chunk(&self, hash: &Hash) -> Result<Option<u64>, ArchiveError> {
        let mut statement = self.prepare("SELECT bytes, data FROM chunk WHERE hash = ?1")?;
        let mut rows = statement.query([hash.as_slice()])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let bytes: u64 = row.get(0)?;
        let data = row.get_ref(1)?.as_bytes().unwrap_or_default();
        Ok(is_sound(data, bytes).then_some(bytes))
    }

    /// Notes that a project directory changed, and whether it may be another project now. The home's
    /// own files, which say where projects are, are not in any directory.
    fn mark(&self, home: HomeRowId, take: &Take<'_>) -> Result<(), ArchiveError> {
        let tells_projects = matches!(
            take.file.kind,
            FileKind::Marker | FileKind::Registry | FileKind::TrustedFolders
        );
        self.mark_dir(home, take.dir.unwrap_or_default(), tells_projects)
    }

    fn mark_dir(&self, home: HomeRowId, dir: &str, is_stale: bool) -> Result<(), ArchiveError> {
        let change = self.change()?;
        let stale = if is_stale { change } else { 0 };
        self.prepare(
            "INSERT INTO dir(home, dir, touched, stale) VALUES(?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET touched = ?3, stale = max(stale, ?4)",
        )?
        .execute((home, dir, change, stale))?;
        Ok(())
    }

    /// Notes that all sessions of a project directory must be read again.
    pub(crate) fn mark_stale(&self, home: HomeRowId, dir: &str) -> Result<(), ArchiveError> {
        self.mark_dir(home, dir, true)
    }

    /// The number of this change.
    fn change(&self) -> Result<i64, ArchiveError> {
        if let Some(change) = self.change.get() {
            return Ok(change);
        }
        let change = self
            .prepare("SELECT 1 + coalesce(max(max(touched, stale)), 0) FROM dir")?
            .query_row([], |row| row.get(0))?;
        self.change.set(Some(change));
        Ok(change)
    }

    /// Records files that disappeared or came back.
    pub(crate) fn presence(
        &self,
        gone: &[FileRowId],
        back: &[FileRowId],
    ) -> Result<(), ArchiveError> {
        let mut set = self.prepare("UPDATE file SET gone = ?2 WHERE id = ?1")?;
        for id in gone {
            set.execute((id, Some(self.now)))?;
        }
        for id in back {
            set.execute((id, None::<i64>))?;
        }
        Ok(())
    }

    /// Records when inodes changed, for files that are otherwise as they were.
    pub(crate) fn restat(&self, files: &[(FileRowId, i64)]) -> Result<(), ArchiveError> {
        let mut set = self.prepare("UPDATE file SET changed = ?2 WHERE id = ?1")?;
        for file in files {
            set.execute(*file)?;
        }
        Ok(())
    }

    fn is_forgotten(&self, hash: &Hash, take: &Take<'_>) -> Result<bool, ArchiveError> {
        let of_session: Option<String> = self
            .prepare("SELECT session FROM forgotten WHERE hash = ?1")?
            .query_row([hash.as_slice()], |row| row.get(0))
            .optional()?;
        let Some(of_session) = of_session else {
            return Ok(false);
        };
        Ok(match &take.file.kind {
            // Tools produce the same output in many sessions.
            FileKind::ToolOutput { session } | FileKind::Plan { session } => {
                take.is_forgotten || session.as_ref() == Some(&of_session)
            }
            FileKind::ConversationFile { id, .. } => take.is_forgotten || *id == of_session,
            _ => true,
        })
    }

    pub(crate) fn content(&self, hash: &Hash, taken: &Taken) -> Result<ContentRowId, ArchiveError> {
        let known: Option<ContentRowId> = self
            .prepare("SELECT id FROM content WHERE hash = ?1")?
            .query_row([hash.as_slice()], |row| row.get(0))
            .optional()?;
        if let Some(known) = known {
            return Ok(known);
        }
        let mut ids = Vec::with_capacity(taken.chunks.len());
        let mut find = self.prepare("SELECT id FROM chunk WHERE hash = ?1")?;
        let mut count = self.prepare("UPDATE chunk SET refs = refs + 1 WHERE id = ?1")?;
        for chunk in &taken.chunks {
            let id: Option<ChunkRowId> = find
                .query_row([chunk.as_slice()], |row| row.get(0))
                .optional()?;
            let id = id.ok_or_else(|| damaged("a chunk vanished while its file was read"))?;
            count.execute([id])?;
            ids.push(id);
        }
        let row = self
            .prepare(
                "INSERT INTO content(id, hash, bytes, chunks) VALUES(
                   1 + max((SELECT id FROM retired WHERE name = 'content'),
                           (SELECT coalesce(max(id), 0) FROM content)), ?1, ?2, ?3)",
            )?
            .insert((hash.as_slice(), taken.bytes, pack_ids(&ids)))?;
        Ok(ContentRowId(row))
    }

    /// The bytes of a content.
    pub(crate) fn read(&self, content: ContentRowId) -> Result<Vec<u8>, ArchiveError> {
        let list: Option<Vec<u8>> = self
            .prepare("SELECT chunks FROM content WHERE id = ?1")?
            .query_row([content], |row| row.get(0))
            .optional()?;
        let mut bytes = Vec::new();
        for id in chunk_ids(&list.unwrap_or_default()) {
            let (length, data): (usize, Vec<u8>) = self
                .prepare("SELECT bytes, data FROM chunk WHERE id = ?1")?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            bytes.extend(unpack(&data, length)?);
        }
        Ok(bytes)
    }

    /// Stores the chunks of bytes that do not come from a file.
    pub(crate) fn store(&self, bytes: &[u8]) -> Result<Taken, ArchiveError> {
        let mut chunks: Vec<Hash> = Vec::new();
        for_each_chunk(bytes, |chunk| {
            let hash: Hash = Sha256::digest(chunk).into();
            chunks.push(hash);
            self.chunk(&NewChunk {
                hash,
                bytes: chunk.len(),
                data: pack(chunk)?,
            })
        })?;
        Ok(Taken::of_bytes(bytes.len() as u64, chunks))
    }

    /// Removes a content without versions. Its chunks are removed at the end of the run.
    pub(crate) fn drop_content(&self, content: ContentRowId) -> Result<(), ArchiveError> {
        let used = self
            .prepare("SELECT 1 FROM version WHERE content = ?1")?
            .exists([content])?;
        if used {
            return Ok(());
        }
        let list: Option<Vec<u8>> = self
            .prepare("SELECT chunks FROM content WHERE id = ?1")?
            .query_row([content], |row| row.get(0))
            .optional()?;
        let mut count = self.prepare("UPDATE chunk SET refs = refs - 1 WHERE id = ?1")?;
        for id in chunk_ids(&list.unwrap_or_default()) {
            count.execute([id])?;
        }
        self.prepare("DELETE FROM content WHERE id = ?1")?
            .execute([content])?;
        Ok(())
    }

    /// Removes all versions of a file.
    pub(crate) fn drop_file(&self, file: FileRowId) -> Result<(), ArchiveError> {
        let contents: Vec<ContentRowId> = self
            .prepare("SELECT DISTINCT content FROM version WHERE file = ?1")?
            .query_map([file], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        self.prepare("DELETE FROM version WHERE file = ?1")?
            .execute([file])?;
        for content in contents {
            self.drop_content(content)?;
        }
        self.mark_stale_of(file)
    }

    /// Notes that all sessions of the file's project directory must be read again.
    pub(crate) fn mark_stale_of(&self, file: FileRowId) -> Result<(), ArchiveError> {
        let mut place = self.prepare("SELECT home, coalesce(dir, '') FROM file WHERE id = ?1")?;
        let (home, dir): (HomeRowId, String) =
            place.query_row([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.mark_dir(home, &dir, true)
    }

    /// Removes chunks without a content.
    pub(crate) fn drop_unused_chunks(&self) -> Result<usize, ArchiveError> {
        Ok(self
            .prepare("DELETE FROM chunk WHERE refs = 0")?
            .execute([])?)
    }
}

/// The digests of everything that was forgotten: file contents and prompts.
pub(crate) fn forgotten(connection: &Connection) -> Result<HashSet<Hash>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT hash FROM forgotten")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
