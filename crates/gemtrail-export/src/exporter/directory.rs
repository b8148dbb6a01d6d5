//! Many sessions to a directory, a file each.

use std::path::{Path, PathBuf};

use gemtrail_core::model::{Session, SessionRow};

use super::export::{Exporter, Written};
use super::in_order::in_order;
use super::privacy::{Cleared, Guard};
use crate::html::IndexEntry;
use crate::{ExportError, file};

/// Where the sessions go.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryTarget<'a> {
    /// The directory; created if necessary.
    pub path: &'a Path,
    /// The file name of each session without extension, as returned by
    /// [`file_names`](super::file_names).
    pub names: &'a [String],
    /// Whether existing files are replaced. An index always is.
    pub force: bool,
    /// How many threads read and write sessions. Each holds one session in memory.
    pub threads: usize,
}

/// What became of the sessions.
#[derive(Debug)]
pub struct Exported<E> {
    /// How many files were written, without the index.
    pub files: usize,
    /// Files that look like parts of what was written, but are not.
    pub strays: Vec<PathBuf>,
    /// Files that could not be written, in order. The others were written anyway.
    pub refused: Vec<ExportError>,
    /// Why sessions could not be read, in order. The others were written anyway.
    pub unread: Vec<E>,
}

/// What became of one session.
struct Outcome {
    written: Result<Written, ExportError>,
    guard: Guard,
    /// Its file and its row, for the index.
    page: Option<(String, SessionRow)>,
}

impl Exporter<'_> {
    /// Writes one file per session. `read` returns the session at each position of `target.names`,
    /// and `progress` is told each position in turn.
    pub fn to_directory<E: Send>(
        &mut self,
        target: &DirectoryTarget<'_>,
        read: impl Fn(usize) -> Result<Session, E> + Sync,
        progress: impl Fn(usize) + Sync,
    ) -> Result<Exported<E>, ExportError> {
        file::make_directory(target.path)?;
        file::clean(target.path);
        let (rules, redactor) = (&self.rules, &mut self.redactor);
        let ending = rules.format.ending();
        let prepare = |at: usize| Ok(rules.privacy.prepared(read(at)?));
        let clear = |at: usize, session: Session| {
            progress(at);
            rules.privacy.cleared(session, redactor)
        };
        let write = |at: usize, mut cleared: Cleared| {
            let name = format!("{}.{ending}", target.names[at]);
            let written = rules.write(&mut cleared, &target.path.join(&name), target.force);
            let Cleared { session, guard } = cleared;
            let has_page = rules.format.index_file().is_some();
            Outcome {
                written,
                guard,
                page: has_page.then(|| (name, SessionRow::from_session(session))),
            }
        };
        let count = target.names.len();
        let (outcomes, unread) = in_order(count, target.threads, prepare, clear, write);
        let mut exported = Exported {
            files: 0,
            strays: Vec::new(),
            refused: Vec::new(),
            unread,
        };
        let mut pages = Vec::new();
        for outcome in outcomes {
            self.note(outcome.guard);
            match outcome.written {
                Ok(written) => {
                    exported.files += written.files;
                    exported.strays.extend(written.stray);
                }
                Err(error) => exported.refused.push(error),
            }
            pages.extend(outcome.page);
        }
        self.write_index(&pages, target.path)?;
        Ok(exported)
    }

    /// Writes the index. It lists the current export, so it is always replaced.
    fn write_index(
        &mut self,
        pages: &[(String, SessionRow)],
        dir: &Path,
    ) -> Result<(), ExportError> {
        let format = self.rules.format;
        let Some(name) = format.index_file().filter(|_| !pages.is_empty()) else {
            return Ok(());
        };
        let entries: Vec<IndexEntry<'_>> = pages
            .iter()
            .map(|(file, row)| IndexEntry { row, file })
            .collect();
        let mut guard = self.rules.privacy.guard(&self.redactor);
        let outcome = file::write(&dir.join(name), true, |out| {
            guard.pass(out, |out| format.write_index(&entries, out))
        });
        self.note(guard);
        outcome
    }
}
