//! Takes new and changed files into the raw layer.

use std::sync::mpsc::{Receiver, SendError, SyncSender, sync_channel};

use gemtrail_home::antigravity;
use gemtrail_home::discover::{FileKind, Found};
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::changes::{Changes, Take};
use super::options::SyncOptions;
use super::options::{Phase, Progress, SyncReport};
use super::take::{NewChunk, Taken, Taker};
use super::writer::RawWriter;
use crate::db::ArchiveError;
use crate::db::ids::HomeRowId;
use crate::db::pool::Pool;

/// Capacity of the channel to the writer, in parcels.
const WAITING: usize = 8;
/// A transaction is committed after this many bytes.
const BATCH_BYTES: u64 = 64 << 20;

/// A message of a reading thread to the writer.
enum Piece {
    Chunk(NewChunk),
    File(usize, Result<Taken, ArchiveError>),
}

pub(crate) fn store(
    connection: &mut Connection,
    pool: &Pool,
    found: &[Found],
    changes: &Changes<'_>,
    options: &SyncOptions,
    report: &mut SyncReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    let taker = Taker::new(pool, options.full)?;
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        let files = &changes.take;
        scope.spawn(move || {
            // Fails when the writer has stopped; it returns the reason.
            let _ = files
                .par_iter()
                .enumerate()
                .try_fold(
                    || BatchSender::new(&sender),
                    |mut parcel, (index, take)| {
                        read(&taker, index, take, &mut parcel).map(|()| parcel)
                    },
                )
                .try_for_each(|parcel| parcel?.send().map_err(hang_up));
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

/// The writer has stopped.
fn hang_up<T>(_: T) -> ArchiveError {
    ArchiveError::Busy
}

/// Reads one file on behalf of the writer.
fn read(
    taker: &Taker<'_>,
    index: usize,
    take: &Take<'_>,
    parcel: &mut BatchSender<'_, Piece>,
) -> Result<(), ArchiveError> {
    let mut send = |chunk: NewChunk| {
        let bytes = chunk.data.len() as u64;
        parcel.add(Piece::Chunk(chunk), bytes).map_err(hang_up)
    };
    let path = &take.file.path;
    let outcome = match take.file.kind {
        FileKind::PromptLog | FileKind::PromptLogBackup => taker.take_log(path, &mut send),
        FileKind::Conversation { .. } => match antigravity::pieces_of(path) {
            Some(pieces) => taker.take_pieces(take, pieces, &mut send),
            None => taker.take(path, take.previous.as_ref(), &mut send),
        },
        _ if take.is_forgotten => taker.take_if_changed(path, &mut send),
        _ => taker.take(path, take.previous.as_ref(), &mut send),
    };
    parcel.add(Piece::File(index, outcome), 0).map_err(hang_up)
}

/// The writer thread: `SQLite` takes one writer, and everything else runs beside it.
struct Writer<'a> {
    connection: &'a mut Connection,
    found: &'a [Found],
    changes: &'a Changes<'a>,
    options: &'a SyncOptions,
    report: &'a mut SyncReport,
}

impl Writer<'_> {
    /// Writes what the reader threads send until they are done.
    ///
    /// Transactions end between files, never within one: a version, its content and the mark that
    /// makes the views of its directory stale belong together. Chunks may be committed before their
    /// file. If the run is killed then, nothing refers to them, and the next run either finds them
    /// by their digest or drops them as unused.
    fn write(
        self,
        receiver: Receiver<Vec<Piece>>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ArchiveError> {
        let files = &self.changes.take;
        let mut state = Progress {
            phase: Phase::Storing,
            total: files.len() as u64,
            total_bytes: files.iter().map(|take| take.file.bytes).sum(),
            ..Progress::default()
        };
        let mut pieces = receiver.into_iter().flatten();
        // Each new chunk is sent once, by the thread that saw it first. So a file that shares it
        // may arrive here earlier. Such files wait until the threads are done and all chunks are
        // here, even across transactions, because the thread with the chunk may be slow.
        let mut early: Vec<(usize, Taken)> = Vec::new();
        let mut is_first = true;
        loop {
            let transaction = Transaction::new(self.connection, TransactionBehavior::Immediate)?;
            let writer = RawWriter::new(&transaction, self.options.now);
            if is_first {
                writer.presence(&self.changes.gone, &self.changes.back)?;
                is_first = false;
            }
            let homes: Vec<HomeRowId> = self
                .found
                .iter()
                .map(|found| writer.home(found, &self.options.machine))
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
                    // Gemini CLI may delete files at any time; the next run notices that it is
                    // gone.
                    Err(ArchiveError::File { source, .. })
                        if source.kind() == std::io::ErrorKind::NotFound => {}
                    Err(ArchiveError::File { path, source }) => {
                        let what = gemtrail_home::load::unreadable(&path, &source);
                        self.report.diagnostics.push(what);
                    }
                    Err(other) => return Err(other),
                }
                progress(state);
                self.options.interrupt.check()?;
                // By bytes read, not by files: this bounds the write-ahead log and what has to be
                // read again if the run is killed.
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
        // Not earlier: a chunk that lost its last content above may be part of a file that came
        // later, and the thread that read that file did not send it because it existed.
        let transaction = Transaction::new(self.connection, TransactionBehavior::Immediate)?;
        RawWriter::new(&transaction, self.options.now).drop_unused_chunks()?;
        transaction.commit()?;
        Ok(())
    }
}

/// A parcel with this many values is sent.
const MOST_VALUES: usize = 64;
/// So is one whose values add up to this many bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Fails when the writer has stopped; it knows the reason.
pub(crate) type Sent<T> = Result<(), SendError<Vec<T>>>;

/// Sends values to the writing thread, several at a time: waking it for each one would take longer than
/// most of them do.
pub(crate) struct BatchSender<'s, T> {
    sender: &'s SyncSender<Vec<T>>,
    values: Vec<T>,
    bytes: u64,
}

impl<'s, T> BatchSender<'s, T> {
    pub(crate) fn new(sender: &'s SyncSender<Vec<T>>) -> Self {
        Self {
            sender,
            values: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds a value of the given size in bytes. Sends the parcel once it is full.
    pub(crate) fn add(&mut self, value: T, bytes: u64) -> Sent<T> {
        self.values.push(value);
        self.bytes += bytes;
        if self.values.len() < MOST_VALUES && self.bytes < MOST_BYTES {
            return Ok(());
        }
        self.send()
    }

    /// Sends the values collected so far.
    pub(crate) fn send(&mut self) -> Sent<T> {
        self.bytes = 0;
        let values = std::mem::take(&mut self.values);
        if values.is_empty() {
            return Ok(());
        }
        self.sender.send(values)
    }
}
