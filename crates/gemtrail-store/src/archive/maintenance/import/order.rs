//! The versions of one file from two archives, in one line.

use rusqlite::{OptionalExtension as _, Transaction};

use super::source::SourceVersion;
use crate::db::ArchiveError;
use crate::db::ids::{ChunkRowId, ContentRowId, FileRowId};
use crate::db::pack::{chunk_ids, unpack};
use crate::raw::writer::RawWriter;

/// A version of a file whose content is in this archive.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) content: ContentRowId,
    pub(super) bytes: u64,
    pub(super) modified: i64,
    pub(super) seen: i64,
    /// Whether it came from the other archive.
    pub(super) is_new: bool,
}

impl Placed {
    /// A version of the other archive with its content here.
    pub(super) fn of(version: &SourceVersion, content: ContentRowId) -> Self {
        Self {
            content,
            bytes: version.bytes,
            modified: version.modified,
            seen: version.seen,
            is_new: true,
        }
    }
}

/// What became of the versions that came in.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) added: u64,
    pub(super) known: u64,
}

/// All versions of a file in the order in which they were seen.
pub(super) struct Line(Vec<Placed>);

impl Line {
    /// Those of this archive come first in the list, each part oldest first.
    pub(super) fn of(mut entries: Vec<Placed>) -> Self {
        // A stable sort: what this archive has comes before what was seen at the same moment.
        entries.sort_by_key(|entry| entry.seen);
        Self(entries)
    }

    /// Writes what is new. Versions are read in the order of their rows: if something new is older
    /// than what is there, all of them get new rows.
    pub(super) fn write(
        mut self,
        transaction: &Transaction<'_>,
        writer: &RawWriter<'_>,
        file: FileRowId,
    ) -> Result<Outcome, ArchiveError> {
        let dropped = self.share_contents(transaction)?;
        let outcome = self.drop_repeats();
        let first_new = self.0.iter().position(|entry| entry.is_new);
        let is_in_order = first_new.is_none_or(|at| self.0[at..].iter().all(|it| it.is_new));
        if !is_in_order {
            transaction
                .prepare_cached("DELETE FROM version WHERE file = ?1")?
                .execute([file])?;
        }
        for entry in &self.0 {
            if entry.is_new || !is_in_order {
                writer.version(file, entry.content, entry.bytes, entry.modified, entry.seen)?;
            }
        }
        for (old, new) in dropped {
            transaction
                .prepare_cached("UPDATE version SET content = ?3 WHERE file = ?1 AND content = ?2")?
                .execute((file, old, new))?;
            writer.drop_content(old)?;
        }
        Ok(outcome)
    }

    /// A file that only grew has one content for all its versions. Returns the contents that others
    /// took the place of.
    fn share_contents(
        &mut self,
        transaction: &Transaction<'_>,
    ) -> Result<Vec<(ContentRowId, ContentRowId)>, ArchiveError> {
        let mut replaced = Vec::new();
        for at in (1..self.0.len()).rev() {
            let (old, new) = (self.0[at - 1], self.0[at]);
            let is_mixed = old.is_new || new.is_new;
            if old.content == new.content || !is_mixed {
                continue;
            }
            if is_beginning(transaction, old.content, new.content, new.bytes)? {
                for entry in &mut self.0 {
                    if entry.content == old.content {
                        entry.content = new.content;
                    }
                }
                replaced.push((old.content, new.content));
            }
        }
        Ok(replaced)
    }

    /// Drops what came in and is the same as its neighbour: two archives saw one state.
    fn drop_repeats(&mut self) -> Outcome {
        let mut outcome = Outcome::default();
        let mut kept: Vec<Placed> = Vec::new();
        for entry in self.0.drain(..) {
            let is_same = |it: &Placed| it.content == entry.content && it.bytes == entry.bytes;
            match kept.last_mut().filter(|last| is_same(last)) {
                Some(_) if entry.is_new => outcome.known += 1,
                // It has a row here already, at its own time.
                Some(last) if last.is_new => {
                    *last = entry;
                    outcome.known += 1;
                }
                _ => kept.push(entry),
            }
        }
        outcome.added = kept.iter().filter(|entry| entry.is_new).count() as u64;
        self.0 = kept;
        outcome
    }
}

/// Whether a content is the beginning of so many bytes of another. Contents are cut by their bytes
/// alone, so all chunks but the last are the same then.
fn is_beginning(
    transaction: &Transaction<'_>,
    start: ContentRowId,
    whole: ContentRowId,
    most: u64,
) -> Result<bool, ArchiveError> {
    let (Some((length, start)), Some((_, whole))) =
        (chunks(transaction, start)?, chunks(transaction, whole)?)
    else {
        return Ok(false);
    };
    if length > most {
        return Ok(false);
    }
    let Some((last, first)) = start.split_last() else {
        return Ok(true);
    };
    let Some(rest) = whole.strip_prefix(first) else {
        return Ok(false);
    };
    let Some(last) = read(transaction, *last)? else {
        return Ok(false);
    };
    let mut there = Vec::new();
    for chunk in rest {
        if there.len() >= last.len() {
            break;
        }
        let Some(bytes) = read(transaction, *chunk)? else {
            return Ok(false);
        };
        there.extend(bytes);
    }
    Ok(there.starts_with(&last))
}

fn chunks(
    transaction: &Transaction<'_>,
    content: ContentRowId,
) -> Result<Option<(u64, Vec<ChunkRowId>)>, ArchiveError> {
    let mut statement =
        transaction.prepare_cached("SELECT bytes, chunks FROM content WHERE id = ?1")?;
    let row = statement.query_row([content], |row| {
        let list: Vec<u8> = row.get(1)?;
        Ok((row.get(0)?, chunk_ids(&list).collect()))
    });
    Ok(row.optional()?)
}

/// The bytes of a chunk; `None` if they are damaged.
fn read(transaction: &Transaction<'_>, chunk: ChunkRowId) -> Result<Option<Vec<u8>>, ArchiveError> {
    let mut statement =
        transaction.prepare_cached("SELECT bytes, data FROM chunk WHERE id = ?1")?;
    let row: Option<(usize, Vec<u8>)> = statement
        .query_row([chunk], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(row.and_then(|(bytes, data)| unpack(&data, bytes).ok()))
}
