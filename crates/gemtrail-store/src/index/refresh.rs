//! Brings the index up to date with the raw layer, or fills one in memory from the files of a home.

use std::collections::HashMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, LazyLock};

use gemtrail_core::LogEntry;
use gemtrail_core::model::Kind;
use gemtrail_home::catalog::{Catalog, by_session};
use gemtrail_home::discover::FoundFile;
use gemtrail_home::load::Depth;
use gemtrail_home::outputs::Outputs;
use gemtrail_home::project::ProjectEntry;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rusqlite::Connection;

use super::batch::Batch;
use super::long::LongSession;
use super::prior::PriorSessions;
use super::scope::{Due, Extent, Scope};
use super::session::{self, Delivery, SessionView, TextFilter};
use super::survey::Top;
use super::work::{Files, ProjectWork};
use super::{project, repeated, write};
use crate::db::pool::Pool;
use crate::db::{ArchiveError, index_file};
use crate::raw::options::SyncOptions;
use crate::raw::options::{Phase, Progress, SyncReport};
use crate::raw::store::{BatchSender, Sent};

/// Capacity of the channel to the writer, in parcels: enough to go on reading while the writer
/// commits. The sessions in one may be large.
const WAITING: usize = 8;

/// Threads that read what is indexed. They are not those of the global pool: these may all be waiting
/// for the index.
static READERS: LazyLock<Option<ThreadPool>> =
    LazyLock::new(|| ThreadPoolBuilder::new().build().ok());

/// Runs `work` on the threads that read.
fn on_readers<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*READERS {
        Some(readers) => readers.install(work),
        None => work(),
    }
}

/// True if the index has everything that the raw layer has.
pub(crate) fn is_fresh(connection: &Connection) -> Result<bool, ArchiveError> {
    Ok(index_file::is_complete(connection).unwrap_or(false) && Due::read(connection)?.is_empty())
}

/// Indexes everything that changed in the raw layer.
pub(crate) fn refresh(
    connection: &mut Connection,
    pool: &Arc<Pool>,
    options: &SyncOptions,
    mut prior: PriorSessions,
    report: &mut SyncReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    let due = Due::read(connection)?;
    let is_complete = index_file::is_complete(connection)?;
    if due.is_empty() && is_complete {
        return Ok(());
    }
    repeated::mark(connection, pool, &due)?;
    let scope = if let Some(scope) = Scope::of_known(connection, pool, &due)? {
        scope
    } else {
        prior.extend(PriorSessions::all(connection));
        Scope::of_all(connection, pool, options, &due)?
    };
    let touched = scope.projects.iter().map(|(at, _, _)| scope.entry(*at));
    let files = touched.flat_map(ProjectEntry::files);
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
            catalog: &scope.catalog,
            entry,
            pool: Some(pool),
            row: *row,
            prompts: Catalog::read_prompts(entry),
            outputs: Outputs::of(entry),
            extent: *extent,
            long_from: options.long_from,
            with_facts: true,
            interrupt: options.interrupt.clone(),
        };
        work.refresh(&mut batch, &mut prior, report, &mut |bytes| {
            so_far.bytes += bytes;
            progress(so_far);
        })?;
        for (home, dir) in &entry.dirs {
            let dir = (scope.homes[*home], dir.clone());
            Due::is_done(&batch.open()?.transaction, &dir)?;
        }
        batch.end_if_long()?;
        so_far.done += 1;
        progress(so_far);
    }
    // The rest concerns homes, and directories without a project.
    let transaction = &batch.open()?.transaction;
    for dir in due.dirs() {
        Due::is_done(transaction, dir)?;
    }
    index_file::set_complete(transaction)?;
    batch.commit()?;
    index_file::publish(connection, pool.path())
}

impl ProjectWork<'_> {
    fn refresh(
        &self,
        batch: &mut Batch<'_>,
        prior: &mut PriorSessions,
        report: &mut SyncReport,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ArchiveError> {
        let files = self.files();
        let open = batch.open()?;
        let survey = self.survey(&open.transaction, &files)?;
        let home = self.entry.dirs.first().map_or(0, |(home, _)| *home);
        let host = self.catalog.origin(home).host;
        for (key, known) in survey.gone {
            prior.add(host.as_deref(), &key, known.fingerprint);
            write::delete(&open.transaction, known.id, open.change)?;
        }
        self.read_all(&survey.changed, &files, None, |view| {
            self.interrupt.check()?;
            prior.count(view.outline, report);
            let open = batch.open()?;
            write::put(&open.transaction, self.row, &view, open.change)?;
            if !view.session.is_damaged() {
                let (session, _, _) = &view.outline.key;
                for (file, _) in &view.outline.files {
                    batch.name(*file, session);
                }
            }
            let odd = view.session.diagnostics.iter().cloned();
            report.diagnostics.extend(odd);
            progress(view.outline.bytes);
            batch.bytes += view.outline.bytes;
            if survey.extent == Extent::Whole {
                batch.end_if_long()?;
            }
            Ok(())
        })
    }

    /// Reads sessions in full, several at a time, and hands them to the writer.
    fn read_all(
        &self,
        sessions: &[Top],
        files: &Files<'_>,
        wanted: Option<&TextFilter>,
        mut write: impl FnMut(SessionView<'_>) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let (sender, receiver) = sync_channel::<Vec<Delivery<'_>>>(WAITING);
        std::thread::scope(|scope| {
            let prompts = by_session(&self.prompts);
            scope.spawn(move || {
                // Fails when the writer has stopped; it returns the reason.
                let _ = on_readers(|| {
                    sessions
                        .par_iter()
                        .try_fold(
                            || BatchSender::new(&sender),
                            |mut parcel, top| {
                                match LongSession::of(self, top, files) {
                                    Some(long) => long.send(&mut parcel)?,
                                    None => {
                                        self.send(top, files, (&prompts, wanted), &mut parcel)?;
                                    }
                                }
                                Ok(parcel)
                            },
                        )
                        .try_for_each(|parcel| parcel?.send())
                });
            });
            receiver
                .into_iter()
                .flatten()
                .try_for_each(|view| write(view?))
        })
    }

    /// Sends a session with its subagents to the writer.
    fn send<'t>(
        &self,
        top: &'t Top,
        files: &Files<'_>,
        how: (&HashMap<&str, Vec<LogEntry>>, Option<&TextFilter>),
        writer: &mut BatchSender<'_, Delivery<'t>>,
    ) -> Sent<Delivery<'t>> {
        let views = self.read(top, files, how);
        views.into_iter().try_for_each(|view| {
            let bytes = view.outline.bytes;
            writer.add(Ok(view), bytes)
        })
    }

    /// Reads a session with its subagents in full.
    fn read<'t>(
        &self,
        top: &'t Top,
        files: &Files<'_>,
        (prompts, wanted): (&HashMap<&str, Vec<LogEntry>>, Option<&TextFilter>),
    ) -> Vec<SessionView<'t>> {
        let paths = top.outlines.iter().flat_map(|outline| &outline.paths);
        let journals: Vec<&(usize, FoundFile)> = paths
            .filter_map(|path| files.get(path.as_str()).copied())
            .collect();
        // The head of a long session has the digest of its file.
        let is_long = journals
            .iter()
            .any(|(_, file)| file.bytes >= self.long_from);
        let depth = if is_long {
            Depth::Document
        } else {
            Depth::Words
        };
        let sessions = if top.session.kind == Kind::Log {
            vec![top.session.clone()]
        } else {
            let own = prompts.get(top.session.id.as_str());
            let own = own.map(Vec::as_slice).unwrap_or_default();
            let read = self.catalog.assemble(self.entry, &journals, own, depth);
            read.sessions
        };
        let mut views = Vec::new();
        for mut session in sessions {
            if session.id == top.session.id && session.kind == top.session.kind {
                session.logged.clone_from(&top.session.logged);
            }
            let sources = (top.outlines.as_slice(), &self.outputs, wanted);
            session::views_of(session, sources, &mut views);
        }
        views
    }
}

/// The part of a project that is put into an index in memory.
#[derive(Clone, Copy)]
pub(crate) enum Filling<'a> {
    /// The rows of its sessions.
    Rows {
        /// Also what statistics need of them.
        with_facts: bool,
    },
    /// Also their messages, and the texts that a query may find.
    Texts(&'a TextFilter),
}

/// Indexes projects from their files. What the index had of them before is replaced.
pub(crate) fn fill(
    connection: &Connection,
    catalog: &Catalog,
    projects: &[usize],
    filling: Filling<'_>,
) -> Result<(), ArchiveError> {
    match filling {
        Filling::Rows { with_facts } => fill_rows(connection, catalog, projects, with_facts),
        Filling::Texts(wanted) => {
            let mut batch = Batch::new(connection);
            for at in projects {
                let work = ProjectWork {
                    outputs: Outputs::of(&catalog.projects()[*at]),
                    ..ProjectWork::of_files(catalog, *at)
                };
                let (files, open) = (work.files(), batch.open()?);
                project::put(&open.transaction, catalog, *at)?;
                let tops = on_readers(|| work.tops(work.examine_all().sessions, &files));
                work.read_all(&tops, &files, Some(wanted), |view| {
                    if view.units.is_empty() {
                        return Ok(());
                    }
                    let open = batch.open()?;
                    write::put(&open.transaction, work.row, &view, open.change)
                })?;
            }
            batch.commit()
        }
    }
}

fn fill_rows(
    connection: &Connection,
    catalog: &Catalog,
    projects: &[usize],
    with_facts: bool,
) -> Result<(), ArchiveError> {
    let mut changed = Vec::new();
    for at in projects {
        if !project::is_indexed(connection, catalog, *at, with_facts)? {
            changed.push(*at);
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let mut batch = Batch::new(connection);
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Fails when the writer has stopped; it returns the reason.
            let _ = on_readers(|| {
                changed.par_iter().try_for_each(|at| {
                    let work = ProjectWork {
                        with_facts,
                        ..ProjectWork::of_files(catalog, *at)
                    };
                    let tops = work.tops(work.examine_all().sessions, &work.files());
                    sender.send((work, *at, tops)).map_err(|_| ())
                })
            });
        });
        for (work, at, tops) in receiver {
            let open = batch.open()?;
            project::put(&open.transaction, catalog, at)?;
            let is_all_new = with_facts && project::drop_facts(&open.transaction, catalog, at)?;
            let survey = work.compare(&open.transaction, tops, None, is_all_new)?;
            for (_, known) in survey.gone {
                write::delete(&open.transaction, known.id, open.change)?;
            }
            for outline in survey.changed.iter().flat_map(|top| &top.outlines) {
                write::put_outline(&open.transaction, work.row, outline, open.change)?;
            }
            project::note_indexed(&open.transaction, catalog, at, with_facts)?;
        }
        batch.commit()
    })
}
