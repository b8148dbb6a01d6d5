//! Makes the views: what can be asked without reading whole sessions.

mod project;
mod repeated;
mod session;
mod write;

pub(super) use write::delete;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::{Detail, LogEntry};
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::sync::{Phase, Progress, SyncOptions, SyncReport};
use super::vault::Vault;
use super::{ArchiveError, schema, tree};
use crate::discover::FoundFile;
use crate::library::Library;
use crate::load::Depth;
use crate::project::ProjectEntry;
use session::{Outline, SessionView};

/// How many sessions may wait for the writer; each may be large.
const WAITING: usize = 4;
/// A transaction ends after this many bytes of source.
const BATCH_BYTES: u64 = 96 << 20;

/// A project directory: the home's row, and its name.
type Dir = (i64, String);

/// Makes the views of everything that changed.
pub(super) fn refresh(
    connection: &mut Connection,
    vault: &Arc<Vault>,
    options: &SyncOptions,
    report: &mut SyncReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    start_anew_if_needed(connection, options.rebuild)?;
    let stale = stale(connection)?;
    if stale.is_empty() {
        return Ok(());
    }
    repeated::mark(connection, vault, &stale)?;
    let (found, homes) = tree::homes(vault, connection)?;
    let library = Library::of(found, &options.hints);
    let known = project::known(connection)?;
    let matched = project::settle(connection, &library, &homes, &known, &stale)?;
    let touched: Vec<(&ProjectEntry, i64)> = library
        .projects()
        .iter()
        .zip(matched)
        .filter_map(|(entry, row)| row.map(|row| (entry, row)))
        .collect();
    let sizes = touched.iter().flat_map(|(entry, _)| &entry.files);
    let mut so_far = Progress {
        phase: Phase::Indexing,
        total_bytes: sizes.map(|(_, file)| file.bytes).sum(),
        total: touched.len() as u64,
        ..Progress::default()
    };
    progress(so_far);
    let mut batch = Batch::new(connection);
    for (entry, row) in touched {
        let work = ProjectWork {
            library: &library,
            entry,
            row,
            prompts: Library::read_prompts(entry),
        };
        work.refresh(&mut batch, report, &mut |bytes| {
            so_far.bytes += bytes;
            progress(so_far);
        })?;
        let transaction = batch.transaction()?;
        for (home, dir) in &entry.dirs {
            transaction
                .prepare_cached("DELETE FROM stale WHERE home = ?1 AND dir = ?2")?
                .execute((homes[*home], dir))?;
        }
        so_far.done += 1;
        progress(so_far);
    }
    let transaction = batch.transaction()?;
    // What is left is about homes, and about directories that no longer have a project.
    for (home, dir) in &stale {
        transaction
            .prepare_cached("DELETE FROM stale WHERE home = ?1 AND dir = ?2")?
            .execute((home, dir))?;
    }
    batch.commit()
}

/// A reader that has learned something makes all views anew.
fn start_anew_if_needed(connection: &mut Connection, is_asked: bool) -> Result<(), ArchiveError> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let version: Option<i64> = transaction
        .prepare_cached("SELECT value FROM setting WHERE name = 'views'")?
        .query_map([], |row| row.get(0))?
        .next()
        .transpose()?;
    if is_asked || version != Some(schema::VIEWS_VERSION) {
        schema::clear_views(&transaction)?;
        transaction.execute(
            "INSERT INTO setting(name, value) VALUES('views', ?1)",
            [schema::VIEWS_VERSION],
        )?;
    }
    transaction.commit()?;
    Ok(())
}

fn stale(connection: &Connection) -> Result<HashSet<Dir>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT home, dir FROM stale")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One transaction after the other, each long enough to be worth it.
struct Batch<'c> {
    connection: &'c Connection,
    open: Option<Transaction<'c>>,
    bytes: u64,
}

impl<'c> Batch<'c> {
    fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            open: None,
            bytes: 0,
        }
    }

    fn transaction(&mut self) -> Result<&Transaction<'c>, ArchiveError> {
        if self.open.is_none() {
            let begin = TransactionBehavior::Immediate;
            self.open = Some(Transaction::new_unchecked(self.connection, begin)?);
        }
        self.open.as_ref().ok_or(ArchiveError::Busy)
    }

    fn add(&mut self, bytes: u64) -> Result<(), ArchiveError> {
        self.bytes += bytes;
        if self.bytes > BATCH_BYTES {
            self.commit()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), ArchiveError> {
        self.bytes = 0;
        match self.open.take() {
            Some(transaction) => Ok(transaction.commit()?),
            None => Ok(()),
        }
    }
}

/// The views of one project.
struct ProjectWork<'a> {
    library: &'a Library,
    entry: &'a ProjectEntry,
    /// The project's row.
    row: i64,
    prompts: Vec<LogEntry>,
}

impl ProjectWork<'_> {
    fn refresh(
        &self,
        batch: &mut Batch<'_>,
        report: &mut SyncReport,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ArchiveError> {
        let files: HashMap<&str, &(usize, FoundFile)> = self
            .entry
            .files
            .iter()
            .filter_map(|file| Some((file.1.path.to_str()?, file)))
            .collect();
        let sessions = self
            .library
            .read_project(self.entry, Detail::Counts)
            .sessions;
        let tops: Vec<Top> = sessions
            .into_iter()
            .map(|session| Top::new(session, &files))
            .collect();
        let known = write::known(batch.transaction()?, self.row)?;
        let mut gone: HashMap<_, _> = known.iter().map(|(key, known)| (key, known.id)).collect();
        let mut work: Vec<&Top> = Vec::new();
        for top in &tops {
            let mut is_new = false;
            for outline in &top.outlines {
                let seen = gone.remove(&outline.key);
                let is_same = seen.is_some()
                    && known
                        .get(&outline.key)
                        .is_some_and(|it| it.print == outline.print);
                is_new |= !is_same;
            }
            if is_new {
                work.push(top);
            }
        }
        for id in gone.into_values() {
            write::delete(batch.transaction()?, id)?;
        }
        let (sender, receiver) = sync_channel::<Vec<SessionView<'_>>>(WAITING);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let sender = sender;
                // Fails when the writer has given up; it says why.
                let _ = work
                    .par_iter()
                    .try_for_each(|top| sender.send(self.read(top, &files)));
            });
            for views in receiver {
                for view in views {
                    let transaction = batch.transaction()?;
                    match known.get(&view.outline.key) {
                        Some(known) => {
                            write::delete(transaction, known.id)?;
                            report.sessions_changed += 1;
                        }
                        None => report.sessions_added += 1,
                    }
                    write::insert(transaction, self.row, &view)?;
                    progress(view.outline.bytes);
                    batch.add(view.outline.bytes)?;
                }
            }
            Ok(())
        })
    }

    /// Reads a session with its subagents in full.
    fn read<'t>(
        &self,
        top: &'t Top,
        files: &HashMap<&str, &(usize, FoundFile)>,
    ) -> Vec<SessionView<'t>> {
        let paths = top.outlines.iter().flat_map(|outline| &outline.paths);
        let journals: Vec<&(usize, FoundFile)> = paths
            .filter_map(|path| files.get(path.as_str()).copied())
            .collect();
        let sessions = if top.session.kind == Kind::Log {
            vec![top.session.clone()]
        } else {
            let is_its = |prompt: &&LogEntry| prompt.session_id == top.session.id.as_str();
            let prompts: Vec<LogEntry> = self.prompts.iter().filter(is_its).cloned().collect();
            self.library
                .assemble(self.entry, &journals, &prompts, Depth::Words)
                .sessions
        };
        let mut views = Vec::new();
        for mut session in sessions {
            if session.id == top.session.id && session.kind == top.session.kind {
                session.logged.clone_from(&top.session.logged);
            }
            session::views_of(session, &top.outlines, &mut views);
        }
        views
    }
}

/// A session that stands for itself, with its subagents.
struct Top {
    session: Session,
    /// Its own, and those of its subagents.
    outlines: Vec<Outline>,
}

impl Top {
    fn new(mut session: Session, files: &HashMap<&str, &(usize, FoundFile)>) -> Self {
        let mut outlines = Vec::new();
        session::outlines_of(&session, files, &mut outlines);
        // Only what the full reading cannot tell is needed later.
        session.messages = Vec::new();
        session.subagents = Vec::new();
        Self { session, outlines }
    }
}
