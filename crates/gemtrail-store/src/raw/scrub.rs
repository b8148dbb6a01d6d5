//! Looks for damaged chunks, and mends those whose bytes the disk still has.
//!
//! Nobody reads most of an archive for months; without this, damage would be noticed when the disk
//! has forgotten the bytes, too. Each run of `sync` checks a part, and the next one goes on there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gemtrail_core::model::{Code, Diagnostic};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::mend::{self, Concerned};
use super::report::SyncReport;
use super::writer::RawWriter;
use crate::db::ArchiveError;
use crate::db::ids::ChunkRowId;
use crate::db::pack::{is_sound, pack};
use crate::spelled::text_of;

/// A chunk that cannot be unpacked.
struct Bad {
    id: ChunkRowId,
    bytes: u64,
}

/// Checks the next chunks, up to so many stored bytes. What can be mended is, and the report says
/// what cannot.
pub(crate) fn scrub(
    connection: &mut Connection,
    most_bytes: u64,
    now: i64,
    report: &mut SyncReport,
) -> Result<(), ArchiveError> {
    let start = position(connection)?;
    let mut check = Check::new(most_bytes);
    let end = check.run(connection, start, i64::MAX)?;
    let end = match end {
        // The end was reached: goes on from the beginning.
        None => check.run(connection, 0, start)?.unwrap_or(start),
        Some(end) => end,
    };
    if end == start && check.bad.is_empty() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let mut lost = Lost::default();
    for bad in check.bad {
        let concerned = mend::concerned(&transaction, bad.id)?;
        match mend::found_on_disk(&transaction, bad.id, &concerned)? {
            Some(bytes) => {
                let writer = RawWriter::new(&transaction, now);
                writer.mend(bad.id, &pack(&bytes)?, &concerned)?;
            }
            None => lost.add(&bad, concerned),
        }
    }
    set_position(&transaction, end)?;
    transaction.commit()?;
    report.diagnostics.extend(lost.into_findings());
    Ok(())
}

/// Checks all chunks, and names the files whose bytes are damaged.
pub(crate) fn damaged(connection: &Connection) -> Result<Vec<Diagnostic>, ArchiveError> {
    let mut check = Check::new(u64::MAX);
    check.run(connection, 0, i64::MAX)?;
    let mut lost = Lost::default();
    for bad in check.bad {
        let concerned = mend::concerned(connection, bad.id)?;
        lost.add(&bad, concerned);
    }
    Ok(lost.into_findings())
}

struct Check {
    /// How many stored bytes may still be checked.
    left: u64,
    bad: Vec<Bad>,
}

impl Check {
    fn new(most_bytes: u64) -> Self {
        Self {
            left: most_bytes,
            bad: Vec::new(),
        }
    }

    /// Checks the chunks after one row, up to another. Returns the last one if there are more.
    fn run(
        &mut self,
        connection: &Connection,
        after: i64,
        last: i64,
    ) -> Result<Option<i64>, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT id, bytes, data FROM chunk WHERE id > ?1 AND id <= ?2 ORDER BY id",
        )?;
        let mut rows = statement.query((after, last))?;
        while let Some(row) = rows.next()? {
            let id: ChunkRowId = row.get(0)?;
            let bytes: u64 = row.get(1)?;
            let data = row.get_ref(2)?.as_bytes().unwrap_or_default();
            if !is_sound(data, bytes) {
                self.bad.push(Bad { id, bytes });
            }
            self.left = self.left.saturating_sub(data.len() as u64);
            if self.left == 0 {
                return Ok(Some(id.0));
            }
        }
        Ok(None)
    }
}

/// Files with lost bytes, and how many.
#[derive(Default)]
struct Lost(BTreeMap<PathBuf, u64>);

impl Lost {
    fn add(&mut self, bad: &Bad, concerned: Vec<Concerned>) {
        let mut paths: Vec<PathBuf> = concerned.into_iter().map(|it| it.path).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            *self.0.entry(path).or_default() += bad.bytes;
        }
    }

    fn into_findings(self) -> Vec<Diagnostic> {
        let finding = |(path, bytes): (PathBuf, u64)| {
            Diagnostic::new(Code::DamagedArchive, crate::load::lost(bytes))
                .in_journal(text_of(&path))
        };
        self.0.into_iter().map(finding).collect()
    }
}

/// The last chunk that was checked.
fn position(connection: &Connection) -> Result<i64, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM setting WHERE name = 'scrubbed'")?;
    let position: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(position.unwrap_or_default())
}

fn set_position(transaction: &Transaction<'_>, position: i64) -> Result<(), ArchiveError> {
    transaction
        .prepare_cached("INSERT OR REPLACE INTO setting(name, value) VALUES('scrubbed', ?1)")?
        .execute([position])?;
    Ok(())
}
