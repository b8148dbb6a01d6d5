//! Sessions to bytes, files and directories.
//!
//! A directory is written by a pipeline of three steps: the first and last run on several threads, the
//! middle one in order.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use gemtrail_core::model::{Session, SessionRow};

use super::privacy::{Cleared, OutputGuard, Privacy};
use super::{SessionFormat, SessionWriter};
use crate::html::IndexEntry;
use crate::redact::Redactor;
use crate::{ExportError, Result, file};

/// Writes sessions in one format, as far as the privacy policy lets them leave.
pub struct Exporter<'f> {
    format: &'f dyn SessionFormat,
    privacy: Privacy,
    redactor: Redactor,
}

impl<'f> Exporter<'f> {
    /// An export in this format. The redactor has the rules that identify secrets.
    pub fn new(format: &'f dyn SessionFormat, privacy: Privacy, redactor: Redactor) -> Self {
        Self {
            format,
            privacy,
            redactor,
        }
    }

    /// The secrets found so far, and what was replaced where.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The privacy policy.
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }

    /// Starts a document of any number of sessions.
    pub fn document<W: Write>(&mut self, out: W) -> Result<OpenDocument<'_, 'f, W>> {
        let mut document = OpenDocument {
            writer: self.format.writer(),
            exporter: self,
            out,
        };
        document.step(|writer, out| writer.begin(out))?;
        Ok(document)
    }

    /// A document of one session.
    pub fn to_bytes(&mut self, session: Session) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut document = self.document(&mut bytes)?;
        document.session(session)?;
        document.finish()?;
        Ok(bytes)
    }

    /// Writes these sessions to a file. An existing one is replaced only if `force` is set.
    pub fn to_file(
        &mut self,
        sessions: impl IntoIterator<Item = Session>,
        path: &Path,
        force: bool,
    ) -> Result {
        file::clean_beside(path);
        file::write(path, force, |out| {
            let mut document = self.document(out)?;
            let mut sessions = sessions.into_iter();
            sessions.try_for_each(|session| document.session(session))?;
            document.finish()
        })
    }

    /// Writes one file per session. `read` returns the session at each position of `target.names`,
    /// and `progress` is told each position in turn.
    pub fn to_directory<E: Send>(
        &mut self,
        target: &DirectoryTarget<'_>,
        read: impl Fn(usize) -> Result<Session, E> + Sync,
        progress: impl Fn(usize) + Sync,
    ) -> Result<Exported<E>> {
        file::make_directory(target.path)?;
        file::clean(target.path);
        let (format, privacy, redactor) = (self.format, &self.privacy, &mut self.redactor);
        let prepare = |at: usize| Ok(privacy.prepared(read(at)?));
        let clear = |at: usize, session: Session| {
            progress(at);
            privacy.cleared(session, redactor)
        };
        let write = |at: usize, Cleared { session, mut guard }: Cleared| {
            let name = format!("{}.{}", target.names[at], format.ending());
            let written = file::write(&target.path.join(&name), target.force, |out| {
                guard.pass(out, |out| {
                    let mut writer = format.writer();
                    writer.begin(out)?;
                    writer.session(&session, out)?;
                    writer.finish(out)
                })
            });
            let has_page = format.index_file().is_some();
            let page = has_page.then(|| (name, SessionRow::from_session(session)));
            (written, guard, page)
        };
        let count = target.names.len();
        let (outcomes, unread) = in_order(count, target.threads, prepare, clear, write);
        let mut exported = Exported {
            files: 0,
            refused: Vec::new(),
            unread,
        };
        let mut pages = Vec::new();
        for (written, guard, page) in outcomes {
            self.note(guard);
            match written {
                Ok(()) => exported.files += 1,
                Err(error) => exported.refused.push(error),
            }
            pages.extend(page);
        }
        self.write_index(&pages, target.path)?;
        Ok(exported)
    }

    /// Writes the index. It lists the current export, so it is always replaced.
    fn write_index(&mut self, pages: &[(String, SessionRow)], dir: &Path) -> Result {
        let format = self.format;
        let Some(name) = format.index_file().filter(|_| !pages.is_empty()) else {
            return Ok(());
        };
        let entries: Vec<IndexEntry<'_>> = pages
            .iter()
            .map(|(file, row)| IndexEntry { row, file })
            .collect();
        let mut guard = self.privacy.guard(&self.redactor);
        let outcome = file::write(&dir.join(name), true, |out| {
            guard.pass(out, |out| format.write_index(&entries, out))
        });
        self.note(guard);
        outcome
    }

    /// Records secrets that were not replaced.
    fn note(&mut self, guard: OutputGuard) {
        if let OutputGuard::Count(tally) = guard {
            self.redactor.note(&tally);
        }
    }
}

/// A document that is being written.
pub struct OpenDocument<'e, 'f, W> {
    exporter: &'e mut Exporter<'f>,
    writer: Box<dyn SessionWriter + 'f>,
    out: W,
}

impl<W: Write> OpenDocument<'_, '_, W> {
    /// Writes a session, or nothing of it if a secret is left that must not leave.
    pub fn session(&mut self, session: Session) -> Result {
        let Exporter {
            privacy, redactor, ..
        } = &mut *self.exporter;
        let Cleared { session, mut guard } = privacy.cleared(privacy.prepared(session), redactor);
        let outcome = guard.pass(&mut self.out, |out| self.writer.session(&session, out));
        self.exporter.note(guard);
        outcome
    }

    /// Ends the document.
    pub fn finish(mut self) -> Result {
        self.step(|writer, out| writer.finish(out))
    }

    fn step(
        &mut self,
        write: impl FnOnce(&mut dyn SessionWriter, &mut dyn Write) -> Result,
    ) -> Result {
        let mut guard = self.exporter.privacy.guard(&self.exporter.redactor);
        let outcome = guard.pass(&mut self.out, |out| write(&mut *self.writer, out));
        self.exporter.note(guard);
        outcome
    }
}

/// The directory that sessions are written to.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryTarget<'a> {
    /// The directory; created if necessary.
    pub path: &'a Path,
    /// The file name of each session without extension, as returned by
    /// [`file_names`](super::file_names).
    pub names: &'a [String],
    /// Replaces existing files. An index is always replaced.
    pub force: bool,
    /// The number of threads that read and write sessions. Each holds one session in memory.
    pub threads: usize,
}

/// The outcome of an export to a directory.
#[derive(Debug)]
pub struct Exported<E> {
    /// The number of files written, without the index.
    pub files: usize,
    /// Files that could not be written, in order. The others were written anyway.
    pub refused: Vec<ExportError>,
    /// The errors of sessions that could not be read, in order. The others were written anyway.
    pub unread: Vec<E>,
}

/// The item whose turn it is, and what failed.
struct PipelineState<M, E> {
    next: usize,
    has_stopped: bool,
    errors: Vec<E>,
    middle: M,
}

/// Takes `count` items through `begin` and `end` on several threads and through `middle` in order.
/// Each thread holds one item. Items whose `begin` fails are left out; their errors are returned,
/// in order.
pub(super) fn in_order<A, B, C, E>(
    count: usize,
    threads: usize,
    begin: impl Fn(usize) -> Result<A, E> + Sync,
    middle: impl FnMut(usize, A) -> B + Send,
    end: impl Fn(usize, B) -> C + Sync,
) -> (Vec<C>, Vec<E>)
where
    C: Send,
    E: Send,
{
    let turns = Mutex::new(PipelineState {
        next: 0,
        has_stopped: false,
        errors: Vec::new(),
        middle,
    });
    let changed = Condvar::new();
    let unclaimed = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, C)>> = Mutex::new(Vec::with_capacity(count));
    let work = || {
        let _panics_stop_all = StopOnPanic(|| {
            let mut turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.has_stopped = true;
            changed.notify_all();
        });
        loop {
            let at = unclaimed.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            let outcome = begin(at);
            let Ok(guard) = turns.lock() else { return };
            let wait = |turns: &mut PipelineState<_, E>| turns.next != at && !turns.has_stopped;
            let Ok(mut turns) = changed.wait_while(guard, wait) else {
                return;
            };
            if turns.has_stopped {
                return;
            }
            let passed = match outcome {
                Ok(thing) => Some((turns.middle)(at, thing)),
                Err(error) => {
                    turns.errors.push(error);
                    None
                }
            };
            turns.next += 1;
            changed.notify_all();
            drop(turns);
            let Some(passed) = passed else { continue };
            let ended = end(at, passed);
            if let Ok(mut done) = done.lock() {
                done.push((at, ended));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results = done.into_iter().map(|(_, ended)| ended).collect();
    (results, turns.errors)
}

/// Runs if its thread panics, so that the others do not wait forever for its turn.
struct StopOnPanic<F: FnMut()>(F);

impl<F: FnMut()> Drop for StopOnPanic<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn the_middle_is_in_order_and_so_are_the_results() {
        for threads in [1, 2, 5] {
            let mut seen = Vec::new();
            let (ended, errors) = in_order(
                100,
                threads,
                |at| Ok::<_, ()>(at * 2),
                |at, begun| {
                    seen.push(at);
                    begun + 1
                },
                |at, cleared| (at, cleared),
            );
            assert!(seen.iter().copied().eq(0..100));
            assert!(
                ended
                    .iter()
                    .copied()
                    .eq((0..100).map(|at| (at, at * 2 + 1)))
            );
            assert_eq!(errors, []);
        }
    }

    #[test]
    fn what_fails_does_not_stop_the_others() {
        for threads in [1, 3] {
            let (ended, errors) = in_order(
                50,
                threads,
                |at| if at % 20 == 19 { Err(at) } else { Ok(()) },
                |at, ()| at,
                |_, at| at,
            );
            assert!(ended.into_iter().eq((0..50).filter(|at| at % 20 != 19)));
            assert_eq!(errors, [19, 39]);
        }
    }

    #[test]
    fn a_panic_keeps_no_thread_waiting() {
        let outcome = std::panic::catch_unwind(|| {
            in_order(
                20,
                3,
                |at| {
                    assert_ne!(at, 7, "on purpose");
                    Ok::<_, ()>(())
                },
                |_, ()| (),
                |_, ()| (),
            )
        });
        assert!(outcome.is_err());
    }
}
