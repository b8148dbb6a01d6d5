//! Takes in one file of the other archive.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension as _, Transaction};

use super::contents::{Brought, Contents};
use super::order::{Line, Placed};
use super::report::ImportReport;
use super::source::{SourceFile, SourceVersion};
use crate::db::ArchiveError;
use crate::db::ids::{ContentRowId, FileRowId, HomeRowId};
use crate::db::name::Name;
use crate::raw::hash::Hash;
use crate::raw::prompts::scrubbed;
use crate::raw::writer::{HomeColumns, RawWriter};
use crate::spelled::text_of;

/// Takes in files within one transaction.
pub(super) struct Importer<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) writer: &'a RawWriter<'a>,
    pub(super) contents: Contents<'a>,
    /// Digests of what is forgotten: contents and prompts.
    pub(super) forgotten: &'a HashSet<Hash>,
    pub(super) report: &'a mut ImportReport,
}

/// What this archive knows of the file.
struct Known {
    id: FileRowId,
    session: Option<String>,
    /// Its versions, oldest first, with the digests of their contents.
    versions: Vec<(Placed, Hash)>,
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
        if wanted.is_empty() {
            if known.is_none() {
                // It was forgotten, or dropped: a sync must not take it for a new one.
                self.put(home, file)?;
            }
            return Ok(0);
        }
        let mut brought: HashMap<ContentRowId, Brought> = HashMap::new();
        let mut entries = Vec::new();
        let mut damage = None;
        let mut added = 0;
        for version in wanted {
            if let Some(entry) = self.without_forgotten_prompts(file, &version)? {
                entries.push(entry);
                continue;
            }
            let one = match brought.entry(version.content) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let one = self.contents.bring(version.content, version.hash)?;
                    added += one.added;
                    place.insert(one)
                }
            };
            match one.content.filter(|_| version.bytes <= one.bytes) {
                Some(content) => entries.push(Placed::of(&version, content)),
                None => damage = one.damage.clone().or(damage),
            }
        }
        let contents = brought.values().filter_map(|one| one.content);
        let contents: Vec<ContentRowId> = contents.collect();
        if let Some(what) = damage {
            let path = columns.root.join(&file.path);
            self.report.damage(Some(text_of(&path).into_owned()), what);
        }
        self.report.bytes_added += added;
        if !entries.is_empty() {
            self.write(home, file, known.as_ref(), entries)?;
        }
        for content in contents {
            self.writer.drop_content(content)?;
        }
        Ok(added)
    }

    fn known(&self, home: HomeRowId, file: &SourceFile) -> Result<Option<Known>, ArchiveError> {
        let row: Option<(FileRowId, Option<String>)> = self
            .transaction
            .prepare_cached("SELECT id, session FROM file WHERE home = ?1 AND path = ?2")?
            .query_row((home, Name::of(&file.path)), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let Some((id, session)) = row else {
            return Ok(None);
        };
        let mut statement = self.transaction.prepare_cached(
            "SELECT version.content, version.bytes, version.modified, version.seen, content.hash
             FROM version JOIN content ON content.id = version.content
             WHERE version.file = ?1 ORDER BY version.id",
        )?;
        let versions = statement.query_map([id], |row| {
            let entry = Placed {
                content: row.get(0)?,
                bytes: row.get(1)?,
                modified: row.get(2)?,
                seen: row.get(3)?,
                is_new: false,
            };
            Ok((entry, row.get(4)?))
        })?;
        Ok(Some(Known {
            id,
            session,
            versions: versions.collect::<Result<_, _>>()?,
        }))
    }

    /// The versions that this archive lacks and that nobody has forgotten.
    fn wanted(
        &mut self,
        file: &SourceFile,
        known: Option<&Known>,
    ) -> Result<Vec<SourceVersion>, ArchiveError> {
        let until = self.forgotten_until(file, known)?;
        let mut wanted = Vec::new();
        for version in &file.versions {
            let is_it = |(entry, hash): &&(Placed, Hash)| {
                version.hash == Some(*hash)
                    && entry.bytes == version.bytes
                    && entry.seen == version.seen
            };
            if known.is_some_and(|known| known.versions.iter().any(|it| is_it(&it))) {
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

    /// Whether a version has the bytes of something that was forgotten.
    fn is_forgotten(
        &self,
        file: &SourceFile,
        version: &SourceVersion,
    ) -> Result<bool, ArchiveError> {
        let Some(hash) = version.hash.filter(|hash| self.forgotten.contains(hash)) else {
            return Ok(false);
        };
        // Tools produce the same output in many sessions.
        if !matches!(file.kind.as_str(), "tool-output" | "plan") {
            return Ok(true);
        }
        let mut statement = self
            .transaction
            .prepare_cached("SELECT 1 FROM forgotten WHERE hash = ?1 AND session = ?2")?;
        Ok(statement.exists((hash.as_slice(), &file.detail))?)
    }

    /// Until when everything of a file is forgotten: this archive has its name only. What the other
    /// one saw earlier are earlier states of the same.
    fn forgotten_until(
        &self,
        file: &SourceFile,
        known: Option<&Known>,
    ) -> Result<Option<i64>, ArchiveError> {
        let Some(known) = known.filter(|known| known.versions.is_empty()) else {
            return Ok(None);
        };
        let stem = file.path.file_stem().map(|stem| text_of(stem));
        let until = self
            .transaction
            .prepare_cached("SELECT max(time) FROM forgotten WHERE session IN (?1, ?2, ?3)")?
            .query_row((&known.session, &file.detail, stem.as_deref()), |row| {
                row.get(0)
            })?;
        Ok(until)
    }

    /// A log without prompts that were forgotten, if it has any of these.
    fn without_forgotten_prompts(
        &mut self,
        file: &SourceFile,
        version: &SourceVersion,
    ) -> Result<Option<Placed>, ArchiveError> {
        let is_log = matches!(file.kind.as_str(), "log" | "log-backup");
        if self.forgotten.is_empty() || !is_log {
            return Ok(None);
        }
        let mut log = match self.contents.read(version.content) {
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
        let content = self.writer.content(&taken.hash(), &taken)?;
        Ok(Some(Placed {
            bytes: taken.bytes,
            ..Placed::of(version, content)
        }))
    }

    /// Writes the versions that came in, in the order in which they were seen.
    fn write(
        &mut self,
        home: HomeRowId,
        file: &SourceFile,
        known: Option<&Known>,
        entries: Vec<Placed>,
    ) -> Result<(), ArchiveError> {
        let versions = known.map_or(&[][..], |known| &known.versions);
        let latest = versions.iter().map(|(entry, _)| entry.seen).max();
        let is_later = entries.iter().any(|entry| Some(entry.seen) > latest);
        let id = match known {
            Some(known) => known.id,
            None => self.put(home, file)?,
        };
        if known.is_some() && is_later {
            self.update(id, file)?;
        }
        let old = versions.iter().map(|(entry, _)| *entry);
        let line = Line::of(old.chain(entries).collect());
        let outcome = line.write(self.transaction, self.writer, id)?;
        self.report.versions_added += outcome.added;
        self.report.versions_known += outcome.known;
        if outcome.added > 0 {
            self.writer.mark_stale_of(id)?;
        }
        Ok(())
    }

    /// The row of a file that this archive did not know.
    fn put(&self, home: HomeRowId, file: &SourceFile) -> Result<FileRowId, ArchiveError> {
        let stat = &file.stat;
        let id = self
            .transaction
            .prepare_cached(
                "INSERT INTO file(home, dir, path, kind, detail, bytes, modified, inode, changed,
                   gone, session)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id",
            )?
            .query_row(
                (
                    home,
                    &file.dir,
                    Name::of(&file.path),
                    &file.kind,
                    &file.detail,
                    stat.bytes,
                    stat.modified,
                    stat.inode,
                    stat.changed,
                    file.gone,
                    &file.session,
                ),
                |row| row.get(0),
            )?;
        Ok(id)
    }

    /// The other archive saw the file later than this one.
    fn update(&self, id: FileRowId, file: &SourceFile) -> Result<(), ArchiveError> {
        let stat = &file.stat;
        self.transaction
            .prepare_cached(
                "UPDATE file SET bytes = ?2, modified = ?3, inode = ?4, changed = ?5, gone = ?6,
                   session = coalesce(?7, session) WHERE id = ?1",
            )?
            .execute((
                id,
                stat.bytes,
                stat.modified,
                stat.inode,
                stat.changed,
                file.gone,
                &file.session,
            ))?;
        Ok(())
    }
}
