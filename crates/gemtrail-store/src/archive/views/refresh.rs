//! Makes the views of everything that changed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use gemtrail_core::LogEntry;
use gemtrail_core::model::Kind;
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::former::Former;
use super::project::{self, Extent};
use super::session::{self, SessionView};
use super::survey::Top;
use super::{known, repeated, taught, write};
use crate::archive::db::vault::Vault;
use crate::archive::db::{ArchiveError, schema};
use crate::archive::raw::tree;
use crate::archive::sync::{Phase, Progress, SyncOptions, SyncReport};
use crate::discover::FoundFile;
use crate::library::Library;
use crate::library::by_session;
use crate::load::Depth;
use crate::outputs::Outputs;
use crate::project::ProjectEntry;

/// How many sessions may wait for the writer; each may be large.
const WAITING: usize = 4;
/// A transaction ends after this many bytes of source.
pub(super) const BATCH_BYTES: u64 = 96 << 20;

/// A project directory: the home's row, and its name.
pub(super) type Dir = (i64, String);

/// Sees to it that the views are of this version, empty if they were not. Gives the sessions that they
/// had then.
pub(crate) fn prepare(connection: &mut Connection, anew: bool) -> Result<Former, ArchiveError> {
    let mut former = Former::default();
    if anew || !schema::has_our_views(connection)? {
        let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
        former = Former::all(&transaction);
        schema::clear_views(&transaction)?;
        transaction.commit()?;
    }
    Ok(former)
}

/// Makes the views of everything that changed.
pub(crate) fn refresh(
    connection: &mut Connection,
    vault: &Arc<Vault>,
    options: &SyncOptions,
    mut former: Former,
    report: &mut SyncReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    former.extend(prepare(connection, false)?);
    let due = Due::read(connection)?;
    if due.is_empty() {
        return Ok(());
    }
    repeated::mark(connection, vault)?;
    let scope = if let Some(scope) = Scope::of_known(connection, vault, &due)? {
        scope
    } else {
        former.extend(Former::all(connection));
        Scope::of_all(connection, vault, options, &due)?
    };
    let touched = scope.projects.iter().map(|(at, _, _)| scope.entry(*at));
    let files = touched.flat_map(|entry| &entry.files);
    let mut so_far = Progress {
        phase: Phase::Indexing,
        total_bytes: files.map(|(_, file)| file.bytes).sum(),
        total: scope.projects.len() as u64,
        ..Progress::default()
    };
    progress(so_far);
    let mut batch = Batch::new(connection);
    for (at, row, extent) in &scope.projects {
        let entry = scope.entry(*at);
        let work = ProjectWork {
            library: &scope.library,
            entry,
            row: *row,
            prompts: Library::read_prompts(entry),
            outputs: Outputs::of(entry),
            extent: *extent,
        };
        work.refresh(&mut batch, &mut former, report, &mut |bytes| {
            so_far.bytes += bytes;
            progress(so_far);
        })?;
        for (home, dir) in &entry.dirs {
            Due::is_done(batch.transaction()?, scope.homes[*home], dir)?;
        }
        batch.end_if_long()?;
        so_far.done += 1;
        progress(so_far);
    }
    // What is left is about homes, and about directories that no longer have a project.
    for (home, dir) in due.stale.union(&due.touched) {
        Due::is_done(batch.transaction()?, *home, dir)?;
    }
    batch.commit()
}

/// What the views no longer fit.
pub(super) struct Due {
    /// Directories whose views are all made anew.
    pub(super) stale: HashSet<Dir>,
    /// Directories in which journals or logs changed.
    pub(super) touched: HashSet<Dir>,
}

impl Due {
    fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let dirs = |sql: &str| -> Result<HashSet<Dir>, ArchiveError> {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Ok(Self {
            stale: dirs("SELECT home, dir FROM stale")?,
            touched: dirs("SELECT home, dir FROM touched")?,
        })
    }

    fn is_empty(&self) -> bool {
        self.stale.is_empty() && self.touched.is_empty()
    }

    fn is_done(transaction: &Transaction<'_>, home: i64, dir: &str) -> Result<(), ArchiveError> {
        for sql in [
            "DELETE FROM stale WHERE home = ?1 AND dir = ?2",
            "DELETE FROM touched WHERE home = ?1 AND dir = ?2",
        ] {
            transaction.prepare_cached(sql)?.execute((home, dir))?;
        }
        Ok(())
    }
}

/// The projects whose views do not fit, with their files.
struct Scope {
    library: Library,
    /// The rows of its homes.
    homes: Vec<i64>,
    /// Positions in the library, rows, and how much of the project must be looked at.
    projects: Vec<(usize, i64, Extent)>,
}

impl Scope {
    fn entry(&self, at: usize) -> &ProjectEntry {
        &self.library.projects()[at]
    }

    /// By what the views know, if nothing can have become another project. This is what happens all
    /// the time while somebody works, so nothing else is looked at.
    fn of_known(
        connection: &Connection,
        vault: &Arc<Vault>,
        due: &Due,
    ) -> Result<Option<Self>, ArchiveError> {
        if !due.stale.is_empty() {
            return Ok(None);
        }
        let mut known = project::known(connection)?;
        known.retain(|project| project.dirs.iter().any(|dir| due.touched.contains(dir)));
        // A project without a path may find it in what is new.
        let are_proven = known.iter().all(|project| project.path().is_some());
        let dirs: HashSet<Dir> = known.iter().flat_map(|it| it.dirs.clone()).collect();
        if !are_proven || !due.touched.is_subset(&dirs) {
            return Ok(None);
        }
        // Another project may have taken over a directory; what it had there stays its own.
        for project in &known {
            if !known::places(connection, project.id)?.is_subset(&dirs) {
                return Ok(None);
            }
        }
        let (found, homes) = tree::homes_with(vault, connection, Some(&dirs))?;
        let entries = known.iter().map(|it| it.entry(&found, &homes)).collect();
        let rows = known.iter().enumerate();
        Ok(Some(Self {
            projects: rows
                .map(|(at, project)| (at, project.id, Extent::Changes))
                .collect(),
            library: Library::of_projects(found, entries),
            homes,
        }))
    }

    /// By looking at all projects.
    fn of_all(
        connection: &mut Connection,
        vault: &Arc<Vault>,
        options: &SyncOptions,
        due: &Due,
    ) -> Result<Self, ArchiveError> {
        let (found, homes) = tree::homes(vault, connection)?;
        let known = project::known(connection)?;
        let mut hints = options.hints.clone();
        hints.taught.extend(taught::paths(connection)?);
        // What was found once is proven again by its digest alone.
        hints
            .taught
            .extend(known.iter().filter_map(|project| project.path().cloned()));
        let library = Library::of(found, &hints);
        let projects = project::settle(connection, &library, &homes, &known, due)?;
        Ok(Self {
            library,
            homes,
            projects,
        })
    }
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

    /// Ends the transaction if it is long. What must not be torn apart does not call this.
    fn end_if_long(&mut self) -> Result<(), ArchiveError> {
        if self.bytes > BATCH_BYTES {
            self.commit()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), ArchiveError> {
        self.bytes = 0;
        match self.open.take() {
            Some(transaction) => {
                schema::note_change(&transaction)?;
                Ok(transaction.commit()?)
            }
            None => Ok(()),
        }
    }
}

/// The views of one project.
pub(super) struct ProjectWork<'a> {
    pub(super) library: &'a Library,
    pub(super) entry: &'a ProjectEntry,
    /// The project's row.
    pub(super) row: i64,
    pub(super) prompts: Vec<LogEntry>,
    pub(super) outputs: Outputs<'a>,
    pub(super) extent: Extent,
}

/// The files of a project by their paths.
pub(super) type Files<'a> = HashMap<&'a str, &'a (usize, FoundFile)>;

impl ProjectWork<'_> {
    fn refresh(
        &self,
        batch: &mut Batch<'_>,
        former: &mut Former,
        report: &mut SyncReport,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ArchiveError> {
        let files: Files<'_> = self
            .entry
            .files
            .iter()
            .filter_map(|file| Some((file.1.path.to_str()?, file)))
            .collect();
        let survey = self.survey(batch.transaction()?, &files)?;
        let home = self.entry.dirs.first().map_or(0, |(home, _)| *home);
        let host = self.library.origin(home).host;
        for (key, known) in survey.gone {
            former.add(host.as_deref(), &key, known.print);
            write::delete(batch.transaction()?, known.id)?;
        }
        let (sender, receiver) = sync_channel::<Vec<SessionView<'_>>>(WAITING);
        std::thread::scope(|scope| {
            let (changed, files) = (&survey.changed, &files);
            let prompts = by_session(&self.prompts);
            scope.spawn(move || {
                // Fails when the writer has given up; it says why.
                let _ = changed
                    .par_iter()
                    .try_for_each(|top| sender.send(self.read(top, files, &prompts)));
            });
            for views in receiver {
                for view in views {
                    former.count(view.outline, report);
                    write::put(batch.transaction()?, self.row, &view)?;
                    let odd = view.session.diagnostics.iter().cloned();
                    report.diagnostics.extend(odd);
                    progress(view.outline.bytes);
                    batch.bytes += view.outline.bytes;
                    if survey.extent == Extent::Whole {
                        batch.end_if_long()?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Reads a session with its subagents in full.
    fn read<'t>(
        &self,
        top: &'t Top,
        files: &Files<'_>,
        prompts: &HashMap<&str, Vec<LogEntry>>,
    ) -> Vec<SessionView<'t>> {
        let paths = top.outlines.iter().flat_map(|outline| &outline.paths);
        let journals: Vec<&(usize, FoundFile)> = paths
            .filter_map(|path| files.get(path.as_str()).copied())
            .collect();
        let sessions = if top.session.kind == Kind::Log {
            vec![top.session.clone()]
        } else {
            let own = prompts.get(top.session.id.as_str());
            let own = own.map(Vec::as_slice).unwrap_or_default();
            self.library
                .assemble(self.entry, &journals, own, Depth::Words)
                .sessions
        };
        let mut views = Vec::new();
        for mut session in sessions {
            if session.id == top.session.id && session.kind == top.session.kind {
                session.logged.clone_from(&top.session.logged);
            }
            session::views_of(session, &top.outlines, &self.outputs, &mut views);
        }
        views
    }
}
