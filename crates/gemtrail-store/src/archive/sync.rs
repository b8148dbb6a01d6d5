//! Brings an archive up to date with the disk.
//!
//! First the raw layer takes in what is new, then the views of what changed are made from it. Each
//! transaction leaves the archive whole: whoever is killed in between loses nothing, and the next
//! run goes on where it ended.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use gemtrail_core::model::Diagnostic;
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde::Serialize;

use crate::Hints;
use crate::archive::db::ArchiveError;
use crate::archive::db::vault::Vault;
use crate::archive::maintenance::keep;
use crate::archive::raw::changes::{self, Changes, Take, Whereabouts};
use crate::archive::raw::take::{NewChunk, Taken, Taker};
use crate::archive::raw::writer::RawWriter;
use crate::archive::views::{self, taught};
use crate::discover::{FileKind, Found};

/// How many pieces may wait for the writer.
const WAITING: usize = 64;
/// A transaction ends after this many bytes.
const BATCH_BYTES: u64 = 64 << 20;

/// What a run may need to know. The values come from the caller: this crate reads neither the clock
/// nor the environment.
#[derive(Clone, Debug, Default)]
pub struct SyncOptions {
    /// Milliseconds since 1970.
    pub now: i64,
    /// Where the homes are.
    pub whereabouts: Whereabouts,
    /// Whether the views are made anew.
    pub rebuild: bool,
    /// Root paths of projects that are not taken in.
    pub exclude: Vec<String>,
    /// After how many days sessions that are no longer on disk are dropped; 0 for never.
    pub keep_days: u32,
    /// What helps to find root paths.
    pub hints: Hints,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Files or sessions done, and all of them.
    pub done: u64,
    /// All of them.
    pub total: u64,
    /// Bytes done.
    pub bytes: u64,
    /// All of them.
    pub total_bytes: u64,
}

/// The two halves of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Files are read and stored.
    #[default]
    Storing,
    /// Sessions are made searchable.
    Indexing,
}

/// What a run did: schema `gemtrail.sync/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncReport {
    /// Always `gemtrail.sync/1`.
    pub schema: String,
    /// Files that were looked at.
    pub files_seen: u64,
    /// Files that were read because they are new or changed.
    pub files_read: u64,
    /// How much of them was read.
    pub bytes_read: u64,
    /// Sessions that the archive did not have.
    pub sessions_added: u64,
    /// Sessions that are not as they were.
    pub sessions_changed: u64,
    /// Sessions whose last file is no longer on disk.
    pub sessions_gone: u64,
    /// The size of the archive.
    pub archive_bytes: u64,
    /// The size of what was looked at.
    pub source_bytes: u64,
    /// What was odd: files that could not be read, places that could not be looked at, and what stands
    /// in the files of sessions that were added or changed.
    pub diagnostics: Vec<Diagnostic>,
}

/// The schema name of the report.
pub const SYNC_SCHEMA: &str = "gemtrail.sync/1";

/// Runs both halves.
pub(super) fn run(
    connection: &mut Connection,
    vault: &std::sync::Arc<Vault>,
    found: &[Found],
    options: &SyncOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<SyncReport, ArchiveError> {
    let mut report = SyncReport {
        schema: SYNC_SCHEMA.to_owned(),
        ..SyncReport::default()
    };
    let former = views::prepare(connection, options.rebuild)?;
    taught::teach(connection, &options.hints.taught, options.now)?;
    note_homes(connection, found, options)?;
    let mut changes = changes::compare(connection, found, &options.whereabouts)?;
    let excluded = keep::leave_out(&mut changes, found, options);
    report.files_seen = changes.seen;
    report.source_bytes = changes.source_bytes;
    note_excluded(connection, found, &excluded, options)?;
    if !changes.is_empty() {
        store(
            connection,
            vault,
            found,
            &changes,
            options,
            &mut report,
            progress,
        )?;
    }
    keep::drop_old(connection, found, options)?;
    views::refresh(connection, vault, options, former, &mut report, progress)?;
    report.sessions_gone = keep::count_gone(connection, &changes.gone)?;
    let places = found.iter().flat_map(|found| found.diagnostics.clone());
    report.diagnostics.extend(places);
    let key = |it: &Diagnostic| (it.journal.clone(), it.line);
    report.diagnostics.sort_by_key(key);
    Ok(report)
}

/// Writes down which homes it looks at, and whose they are, if that is news. Also if they are empty:
/// readers take in what is new in homes that the archive knows.
fn note_homes(
    connection: &mut Connection,
    found: &[Found],
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    for found in found {
        if keep::is_news(connection, found, &options.whereabouts)? {
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            RawWriter::new(&transaction, options.now).home(found, &options.whereabouts)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

/// Writes down what is not taken in, if that is news.
fn note_excluded(
    connection: &mut Connection,
    found: &[Found],
    excluded: &HashSet<(usize, &str)>,
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    let known = keep::excluded(connection)?;
    if known.is_empty() && excluded.is_empty() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let writer = RawWriter::new(&transaction, options.now);
    let homes: Vec<i64> = found
        .iter()
        .map(|found| writer.home(found, &options.whereabouts))
        .collect::<Result<_, _>>()?;
    // Nobody looked at other homes now.
    let others = known.iter().filter(|(home, _)| !homes.contains(home));
    let here = excluded.iter();
    let here = here.map(|(home, dir)| (homes[*home], (*dir).to_owned()));
    let dirs: HashSet<(i64, String)> = others.cloned().chain(here).collect();
    if dirs != known {
        keep::note_excluded(&transaction, &dirs)?;
        transaction.commit()?;
    }
    Ok(())
}

/// What the reading threads tell the writing one.
enum Piece {
    Chunk(NewChunk),
    File(usize, Result<Taken, ArchiveError>),
}

fn store(
    connection: &mut Connection,
    vault: &Vault,
    found: &[Found],
    changes: &Changes<'_>,
    options: &SyncOptions,
    report: &mut SyncReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    let taker = Taker::new(vault)?;
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        let files = &changes.take;
        scope.spawn(move || {
            // Fails when the writer has given up; it says why.
            let _ = files
                .par_iter()
                .enumerate()
                .try_for_each(|(index, take)| read(&taker, index, take, &sender));
        });
        Writer {
            connection,
            found,
            changes,
            options,
            report,
        }
        .write(receiver, progress)
    })
}

/// Reads one file on behalf of the writer.
fn read(
    taker: &Taker<'_>,
    index: usize,
    take: &Take<'_>,
    sender: &SyncSender<Piece>,
) -> Result<(), ArchiveError> {
    let hang_up = |_| ArchiveError::Busy;
    let mut send = |chunk| sender.send(Piece::Chunk(chunk)).map_err(hang_up);
    let path = &take.file.path;
    let outcome = match take.file.kind {
        FileKind::PromptLog | FileKind::PromptLogBackup => taker.take_log(path, &mut send),
        _ if take.is_forgotten => taker.take_if_changed(path, &mut send),
        _ => taker.take(path, take.previous.as_ref(), &mut send),
    };
    sender.send(Piece::File(index, outcome)).map_err(hang_up)
}

struct Writer<'a> {
    connection: &'a mut Connection,
    found: &'a [Found],
    changes: &'a Changes<'a>,
    options: &'a SyncOptions,
    report: &'a mut SyncReport,
}

impl Writer<'_> {
    fn write(
        self,
        receiver: Receiver<Piece>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ArchiveError> {
        let files = &self.changes.take;
        let mut state = Progress {
            phase: Phase::Storing,
            total: files.len() as u64,
            total_bytes: files.iter().map(|take| take.file.bytes).sum(),
            ..Progress::default()
        };
        let mut pieces = receiver.into_iter();
        // Files that came before a chunk which another thread is about to send.
        let mut early: Vec<(usize, Taken)> = Vec::new();
        let mut is_first = true;
        loop {
            let transaction = Transaction::new(self.connection, TransactionBehavior::Immediate)?;
            let writer = RawWriter::new(&transaction, self.options.now);
            if is_first {
                writer.presence(&self.changes.gone, &self.changes.back)?;
                is_first = false;
            }
            let homes: Vec<i64> = self
                .found
                .iter()
                .map(|found| writer.home(found, &self.options.whereabouts))
                .collect::<Result<_, _>>()?;
            let mut batch = 0;
            let mut is_done = true;
            for piece in pieces.by_ref() {
                let (index, taken) = match piece {
                    Piece::Chunk(chunk) => {
                        writer.chunk(&chunk)?;
                        continue;
                    }
                    Piece::File(index, taken) => (index, taken),
                };
                let take = &files[index];
                state.done += 1;
                state.bytes += take.file.bytes;
                match taken {
                    Ok(taken) => {
                        batch += taken.read;
                        self.report.files_read += 1;
                        self.report.bytes_read += taken.read;
                        if writer.has_chunks(&taken)? {
                            let found = &self.found[take.home];
                            writer.file(homes[take.home], found, take, &taken)?;
                        } else {
                            early.push((index, taken));
                        }
                    }
                    // Gemini CLI deletes at any moment; the next run sees that it is gone.
                    Err(ArchiveError::File { source, .. })
                        if source.kind() == std::io::ErrorKind::NotFound => {}
                    Err(ArchiveError::File { path, source }) => {
                        let what = crate::load::unreadable(&path, &source);
                        self.report.diagnostics.push(what);
                    }
                    Err(other) => return Err(other),
                }
                progress(state);
                if batch > BATCH_BYTES {
                    is_done = false;
                    break;
                }
            }
            if is_done {
                for (index, taken) in std::mem::take(&mut early) {
                    let take = &files[index];
                    let found = &self.found[take.home];
                    writer.file(homes[take.home], found, take, &taken)?;
                }
            }
            transaction.commit()?;
            if is_done {
                break;
            }
        }
        let transaction = Transaction::new(self.connection, TransactionBehavior::Immediate)?;
        RawWriter::new(&transaction, self.options.now).drop_unused_chunks()?;
        transaction.commit()?;
        Ok(())
    }
}
