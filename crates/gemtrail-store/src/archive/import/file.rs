//! Takes in one file of the other archive, and puts its versions from both in one line.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use gemtrail_home::paths::text_of;
use gemtrail_home::prompts::scrubbed;
use rusqlite::OptionalExtension as _;

use super::report::ImportReport;
use super::source::{FileVersion, ImportSource, SourceFile};
use crate::db::ArchiveError;
use crate::db::columns::{Name, chunk_ids, unpack};
use crate::db::ids::{ChunkRowId, ContentRowId, FileRowId, HomeRowId};
use crate::raw::chunk::Hash;
use crate::raw::take::Taken;
use crate::raw::writer::{HomeColumns, RawWriter};

/// Takes in files within one transaction.
pub(super) struct Importer<'a> {
    pub(super) source: &'a ImportSource,
    pub(super) writer: &'a RawWriter<'a>,
    /// Digests of what is forgotten: contents and prompts.
    pub(super) forgotten: &'a HashSet<Hash>,
    pub(super) report: &'a mut ImportReport,
}

/// The file as this archive knows it.
struct KnownFile {
    id: FileRowId,
    session: Option<String>,
    /// Its versions, oldest first.
    versions: Vec<FileVersion>,
}

/// A content that came in.
#[derive(Default)]
struct Brought {
    /// Its row here; `None` if not even its beginning could be verified.
    content: Option<ContentRowId>,
    /// The number of bytes that could be.
    bytes: u64,
    /// The reason why that is not all.
    damage: Option<String>,
    /// The number of bytes that this archive did not have.
    added: u64,
}

impl Importer<'_> {
    /// Takes in what is new of a file. Returns how many bytes that were.
    pub(super) fn take(
        &mut self,
        home: HomeRowId,
        columns: &HomeColumns,
        file: &SourceFile,
    ) -> Result<u64, ArchiveError> {
        self.report.files_seen += 1;
        let known = self.known(home, file)?;
        let wanted = self.wanted(file, known.as_ref())?;
        if wanted.is_empty() && known.is_none() {
            // It was forgotten, or dropped: a sync must not take it for a new one.
            self.put(home, file)?;
        }
        let mut contents: HashMap<ContentRowId, Brought> = HashMap::new();
        let (mut versions, mut damage, mut added) = (Vec::new(), None, 0);
        for version in wanted {
            if let Some(scrubbed) = self.without_forgotten_prompts(file, &version)? {
                versions.push(scrubbed);
                continue;
            }
            let brought = match contents.entry(version.content) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(self.bring(&version)?),
            };
            added += std::mem::take(&mut brought.added);
            match brought.content.filter(|_| version.bytes <= brought.bytes) {
                Some(content) => versions.push(FileVersion { content, ..version }),
                None => damage = brought.damage.clone().or(damage),
            }
        }
        if let Some(what) = damage {
            let path = columns.root.join(&file.path);
            self.report.damage(Some(text_of(&path).into_owned()), what);
        }
        self.report.bytes_added += added;
        if !versions.is_empty() {
            self.write(home, file, known, versions)?;
        }
        for content in contents.values().filter_map(|it| it.content) {
            self.writer.drop_content(content)?;
        }
        Ok(added)
    }

    fn known(&self, home: HomeRowId, file: &SourceFile) -> Result<Option<KnownFile>, ArchiveError> {
        let row: Option<(FileRowId, Option<String>)> = self
            .writer
            .prepare("SELECT id, session FROM file WHERE home = ?1 AND path = ?2")?
            .query_row((home, Name::of(&file.path)), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let Some((id, session)) = row else {
            return Ok(None);
        };
        let mut statement = self.writer.prepare(
            "SELECT version.content, version.bytes, version.modified, version.seen, content.hash
             FROM version JOIN content ON content.id = version.content
             WHERE version.file = ?1 ORDER BY version.id",
        )?;
        let versions = statement.query_map([id], |row| {
            Ok(FileVersion {
                content: row.get(0)?,
                bytes: row.get(1)?,
                modified: row.get(2)?,
                seen: row.get(3)?,
                hash: Some(row.get(4)?),
                is_new: false,
            })
        })?;
        Ok(Some(KnownFile {
            id,
            session,
            versions: versions.collect::<Result<_, _>>()?,
        }))
    }

    /// The versions that this archive lacks and that nobody has forgotten.
    fn wanted(
        &mut self,
        file: &SourceFile,
        known: Option<&KnownFile>,
    ) -> Result<Vec<FileVersion>, ArchiveError> {
        let until = self.forgotten_until(file, known)?;
        let mut wanted = Vec::new();
        for version in &file.versions {
            let is_it = |it: &FileVersion| {
                it.hash == version.hash && it.bytes == version.bytes && it.seen == version.seen
            };
            if known.is_some_and(|known| known.versions.iter().any(is_it)) {
                self.report.versions_known += 1;
            } else if until.is_some_and(|until| version.seen <= until)
                || self.is_forgotten(file, version)?
            {
                self.report.versions_forgotten += 1;
            } else {
                wanted.push(*version);
            }
        }
        Ok(wanted)
    }

    /// True if a version has the bytes of something that was forgotten.
    fn is_forgotten(&self, file: &SourceFile, version: &FileVersion) -> Result<bool, ArchiveError> {
        let Some(hash) = version.hash.filter(|hash| self.forgotten.contains(hash)) else {
            return Ok(false);
        };
        // Tools produce the same output in many sessions.
        if !matches!(file.kind.as_str(), "tool-output" | "plan") {
            return Ok(true);
        }
        let sql = "SELECT 1 FROM forgotten WHERE hash = ?1 AND session = ?2";
        let mut statement = self.writer.prepare(sql)?;
        Ok(statement.exists((hash.as_slice(), &file.detail))?)
    }

    /// The time until which everything of a file is forgotten, if this archive has its name only.
    /// What the other one saw earlier are earlier states of the same.
    fn forgotten_until(
        &self,
        file: &SourceFile,
        known: Option<&KnownFile>,
    ) -> Result<Option<i64>, ArchiveError> {
        let Some(known) = known.filter(|known| known.versions.is_empty()) else {
            return Ok(None);
        };
        let stem = file.path.file_stem().map(|stem| text_of(stem));
        let names = (&known.session, &file.detail, stem.as_deref());
        let sql = "SELECT max(time) FROM forgotten WHERE session IN (?1, ?2, ?3)";
        let mut statement = self.writer.prepare(sql)?;
        Ok(statement.query_row(names, |row| row.get(0))?)
    }

    /// A log without prompts that were forgotten, if it has any of these.
    fn without_forgotten_prompts(
        &self,
        file: &SourceFile,
        version: &FileVersion,
    ) -> Result<Option<FileVersion>, ArchiveError> {
        let is_log = matches!(file.kind.as_str(), "log" | "log-backup");
        if self.forgotten.is_empty() || !is_log {
            return Ok(None);
        }
        let mut log = match self.source.read(version.content) {
            Ok(log) => log,
            // Reported where it is brought in.
            Err(ArchiveError::Damaged { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        log.truncate(usize::try_from(version.bytes).unwrap_or(usize::MAX));
        let Some(log) = scrubbed(&log, self.forgotten) else {
            return Ok(None);
        };
        let taken = self.writer.store(&log)?;
        Ok(Some(FileVersion {
            bytes: taken.bytes,
            content: self.writer.content(&taken.hash(), &taken)?,
            ..*version
        }))
    }

    /// Brings a content, verified. Of a damaged one, the beginning comes in: a file that grew has
    /// earlier versions there.
    fn bring(&self, version: &FileVersion) -> Result<Brought, ArchiveError> {
        if let Some(hash) = version.hash {
            let mut find = self
                .writer
                .prepare("SELECT id, bytes FROM content WHERE hash = ?1")?;
            let mut rows = find.query([hash.as_slice()])?;
            if let Some(row) = rows.next()? {
                return Ok(Brought {
                    content: Some(row.get(0)?),
                    bytes: row.get(1)?,
                    ..Brought::default()
                });
            }
        }
        let (mut hashes, mut bytes, mut damage) = (Vec::new(), 0, None);
        let listed = self.source.chunks(version.content).or_else(|error| {
            damage = Some(as_damage(error)?);
            Ok::<_, ArchiveError>(Vec::new())
        })?;
        for (id, hash) in listed {
            match self.source.chunk(id, hash) {
                Ok((chunk, _)) => {
                    self.writer.chunk_if_new(&chunk)?;
                    bytes += chunk.bytes as u64;
                }
                Err(error) => {
                    let what = as_damage(error)?;
                    // This archive may have it.
                    let Some(length) = self.writer.sound_chunk(&hash)? else {
                        damage = Some(what);
                        break;
                    };
                    bytes += length;
                }
            }
            hashes.push(hash);
        }
        let mut content = None;
        if !hashes.is_empty() || damage.is_none() {
            let taken = Taken::of_bytes(bytes, hashes);
            content = Some(self.writer.content(&taken.hash(), &taken)?);
        }
        Ok(Brought {
            content,
            bytes,
            damage,
            added: bytes,
        })
    }

    /// Writes the versions that came in. Versions are read in the order of their rows: if something
    /// new is older than what is there, all of them get new rows.
    fn write(
        &mut self,
        home: HomeRowId,
        file: &SourceFile,
        known: Option<KnownFile>,
        new: Vec<FileVersion>,
    ) -> Result<(), ArchiveError> {
        let (id, mut line) = known.map_or((None, Vec::new()), |it| (Some(it.id), it.versions));
        let latest = line.iter().map(|it| it.seen).max();
        let id = match id {
            Some(id) if new.iter().all(|it| Some(it.seen) <= latest) => id,
            _ => self.put(home, file)?,
        };
        line.extend(new);
        // A stable sort: what this archive has comes before what was seen at the same moment.
        line.sort_by_key(|version| version.seen);
        let replaced = self.share_contents(&mut line)?;
        let came = line.iter().filter(|it| it.is_new).count();
        let line = without_repeats(line);
        let added = line.iter().filter(|it| it.is_new).count();
        let is_in_order = line.is_sorted_by_key(|it| it.is_new);
        if !is_in_order {
            self.writer
                .prepare("DELETE FROM version WHERE file = ?1")?
                .execute([id])?;
        }
        for it in line.iter().filter(|it| it.is_new || !is_in_order) {
            self.writer
                .version(id, it.content, it.bytes, it.modified, it.seen)?;
        }
        for (old, new) in replaced {
            self.writer
                .prepare("UPDATE version SET content = ?3 WHERE file = ?1 AND content = ?2")?
                .execute((id, old, new))?;
            self.writer.drop_content(old)?;
        }
        self.report.versions_added += added as u64;
        self.report.versions_known += (came - added) as u64;
        if added > 0 {
            self.writer.mark_stale_of(id)?;
        }
        Ok(())
    }

    /// The row of a file that this archive did not know, or that the other one saw later.
    fn put(&self, home: HomeRowId, file: &SourceFile) -> Result<FileRowId, ArchiveError> {
        let (stat, path) = (&file.stat, Name::of(&file.path));
        let mut statement = self.writer.prepare(
            "INSERT INTO file(home, dir, path, kind, detail, bytes, modified, inode, changed, gone,
               session)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT(home, path) DO UPDATE SET bytes = ?6, modified = ?7, inode = ?8,
               changed = ?9, gone = ?10, session = coalesce(?11, session)
             RETURNING id",
        )?;
        let columns = (
            home,
            &file.dir,
            path,
            &file.kind,
            &file.detail,
            stat.bytes,
            stat.modified,
            stat.inode,
            stat.changed,
            file.gone,
            &file.session,
        );
        Ok(statement.query_row(columns, |row| row.get(0))?)
    }

    /// A file that only grew has one content for all its versions. Returns the contents that others
    /// took the place of.
    fn share_contents(
        &self,
        line: &mut [FileVersion],
    ) -> Result<Vec<(ContentRowId, ContentRowId)>, ArchiveError> {
        let mut replaced = Vec::new();
        for at in (1..line.len()).rev() {
            let (old, new) = (line[at - 1], line[at]);
            if old.content != new.content
                && (old.is_new || new.is_new)
                && self.is_beginning(old.content, new.content, new.bytes)?
            {
                for it in line.iter_mut().filter(|it| it.content == old.content) {
                    it.content = new.content;
                }
                replaced.push((old.content, new.content));
            }
        }
        Ok(replaced)
    }

    /// True if a content is the beginning of so many bytes of another. Contents are cut by their
    /// bytes alone, so all chunks but the last are the same then.
    fn is_beginning(
        &self,
        start: ContentRowId,
        whole: ContentRowId,
        most: u64,
    ) -> Result<bool, ArchiveError> {
        let (length, start) = self.chunks(start)?;
        let (_, whole) = self.chunks(whole)?;
        let (last, first) = match start.split_last() {
            Some(parts) if length <= most => parts,
            _ => return Ok(length <= most),
        };
        let Some(rest) = whole.strip_prefix(first) else {
            return Ok(false);
        };
        let Some(last) = self.unpacked(*last)? else {
            return Ok(false);
        };
        let mut there = Vec::new();
        for chunk in rest {
            if there.len() >= last.len() {
                break;
            }
            let Some(bytes) = self.unpacked(*chunk)? else {
                return Ok(false);
            };
            there.extend(bytes);
        }
        Ok(there.starts_with(&last))
    }

    fn chunks(&self, content: ContentRowId) -> Result<(u64, Vec<ChunkRowId>), ArchiveError> {
        let sql = "SELECT bytes, chunks FROM content WHERE id = ?1";
        let mut statement = self.writer.prepare(sql)?;
        Ok(statement.query_row([content], |row| {
            let list: Vec<u8> = row.get(1)?;
            Ok((row.get(0)?, chunk_ids(&list).collect()))
        })?)
    }

    /// The bytes of a chunk; `None` if they are damaged.
    fn unpacked(&self, chunk: ChunkRowId) -> Result<Option<Vec<u8>>, ArchiveError> {
        let sql = "SELECT bytes, data FROM chunk WHERE id = ?1";
        let mut statement = self.writer.prepare(sql)?;
        let row: Option<(usize, Vec<u8>)> = statement
            .query_row([chunk], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(row.and_then(|(bytes, data)| unpack(&data, bytes).ok()))
    }
}

/// The text of an error that means damage; other errors end the import.
fn as_damage(error: ArchiveError) -> Result<String, ArchiveError> {
    match error {
        ArchiveError::Damaged { what } => Ok(what),
        other => Err(other),
    }
}

/// Drops what came in and is the same as its neighbour: two archives saw one state.
fn without_repeats(line: Vec<FileVersion>) -> Vec<FileVersion> {
    let mut kept: Vec<FileVersion> = Vec::new();
    for it in line {
        match kept.last_mut() {
            Some(last) if (last.content, last.bytes) == (it.content, it.bytes) => {
                if it.is_new {
                    continue;
                }
                // It has a row here already, at its own time.
                if last.is_new {
                    *last = it;
                    continue;
                }
                kept.push(it);
            }
            _ => kept.push(it),
        }
    }
    kept
}
