//! Updates the views of everything that changed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use gemtrail_core::LogEntry;
use gemtrail_core::model::Kind;
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::batch::Batch;
use super::checkup::{self, Conditions};
use super::due::{Due, Extent};
use super::long::LongSession;
use super::prior::PriorSessions;
use super::scope::Scope;
use super::session::{self, Delivery, SessionView};
use super::survey::Top;
use super::work::{Files, ProjectWork};
use super::{repeated, write};
use crate::archive::db::pool::Pool;
use crate::archive::db::{ArchiveError, schema};
use crate::archive::parcel::{Parcel, Sent};
use crate::archive::raw::options::SyncOptions;
use crate::archive::raw::report::{Phase, Progress, SyncReport};
use crate::discover::FoundFile;
use crate::library::Library;
use crate::library::by_session;
use crate::load::Depth;
use crate::outputs::Outputs;
use crate::project::ProjectEntry;
use crate::spelled::text_of;
use crate::versions::LoadedJournal;

/// Capacity of the channel to the writer, in parcels: enough to go on reading while the writer
/// commits. The sessions in one may be large.
const WAITING: usize = 8;

/// Makes sure that the views have the current version, emptying them if not. Returns the sessions
/// that they had before.
pub(crate) fn prepare(
    connection: &mut Connection,
    anew: bool,
) -> Result<PriorSessions, ArchiveError> {
    let mut prior = PriorSessions::default();
    if anew || !schema::has_our_views(connection)? {
        let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
        prior = PriorSessions::all(&transaction);
        schema::remember_sessions(&transaction);
        schema::clear_views(&transaction)?;
        transaction.commit()?;
    }
    Ok(prior)
}

/// Updates the views of everything that changed.
pub(crate) fn refresh(
    connection: &mut Connection,
    pool: &Arc<Pool>,
    options: &SyncOptions,
    mut prior: PriorSessions,
    report: &mut SyncReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    prior.extend(prepare(connection, false)?);
    let due = Due::read(connection)?;
    if due.is_empty() {
        return Ok(());
    }
    repeated::mark(connection, pool)?;
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
            library: &scope.library,
            entry,
            pool,
            row: *row,
            prompts: Library::read_prompts(entry),
            outputs: Outputs::of(entry),
            extent: *extent,
            long_from: options.long_from,
        };
        work.refresh(&mut batch, &mut prior, report, &mut |bytes| {
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
    // The rest concerns homes, and directories without a project.
    for (home, dir) in due.stale.union(&due.touched) {
        Due::is_done(batch.transaction()?, *home, dir)?;
    }
    batch.commit()
}

impl ProjectWork<'_> {
    fn refresh(
        &self,
        batch: &mut Batch<'_>,
        prior: &mut PriorSessions,
        report: &mut SyncReport,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ArchiveError> {
        let files: Files<'_> = self
            .entry
            .files()
            .iter()
            .map(|file| (text_of(&file.1.path), file))
            .collect();
        let survey = self.survey(batch.transaction()?, &files)?;
        let home = self.entry.dirs.first().map_or(0, |(home, _)| *home);
        let host = self.library.origin(home).host;
        for (key, known) in survey.gone {
            prior.add(host.as_deref(), &key, known.fingerprint);
            write::delete(batch.transaction()?, known.id)?;
        }
        let (sender, receiver) = sync_channel::<Vec<Delivery<'_>>>(WAITING);
        std::thread::scope(|scope| {
            let (changed, files) = (&survey.changed, &files);
            let prompts = by_session(&self.prompts);
            scope.spawn(move || {
                // Fails when the writer has stopped; it returns the reason.
                let _ = changed
                    .par_iter()
                    .try_fold(
                        || Parcel::new(&sender),
                        |mut parcel, top| {
                            match LongSession::of(self, top, files) {
                                Some(long) => long.send(&mut parcel)?,
                                None => self.send(top, files, &prompts, &mut parcel)?,
                            }
                            Ok(parcel)
                        },
                    )
                    .try_for_each(|parcel| parcel?.send());
            });
            for view in receiver.into_iter().flatten() {
                let view = view?;
                prior.count(view.outline, report);
                write::put(batch.open()?, self.row, &view)?;
                let odd = view.session.diagnostics.iter().cloned();
                report.diagnostics.extend(odd);
                progress(view.outline.bytes);
                batch.bytes += view.outline.bytes;
                if survey.extent == Extent::Whole {
                    batch.end_if_long()?;
                }
            }
            Ok(())
        })
    }

    /// Sends a session with its subagents to the writer.
    fn send<'t>(
        &self,
        top: &'t Top,
        files: &Files<'_>,
        prompts: &HashMap<&str, Vec<LogEntry>>,
        writer: &mut Parcel<'_, Delivery<'t>>,
    ) -> Sent<Delivery<'t>> {
        match self.read(top, files, prompts) {
            Ok(views) => views.into_iter().try_for_each(|view| {
                let bytes = view.outline.bytes;
                writer.add(Ok(view), bytes)
            }),
            Err(error) => writer.add(Err(error), 0),
        }
    }

    /// Reads a session with its subagents in full.
    fn read<'t>(
        &self,
        top: &'t Top,
        files: &Files<'_>,
        prompts: &HashMap<&str, Vec<LogEntry>>,
    ) -> Result<Vec<SessionView<'t>>, ArchiveError> {
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
        let (sessions, conditions) = if top.session.kind == Kind::Log {
            (vec![top.session.clone()], Conditions::default())
        } else {
            let own = prompts.get(top.session.id.as_str());
            let own = own.map(Vec::as_slice).unwrap_or_default();
            let look = |loaded: &[LoadedJournal<'_>]| checkup::conditions_of(loaded);
            let (read, conditions) = self
                .library
                .assemble_after(look, self.entry, &journals, own, depth);
            (read.sessions, conditions)
        };
        let mut views = Vec::new();
        for mut session in sessions {
            if session.id == top.session.id && session.kind == top.session.kind {
                session.logged.clone_from(&top.session.logged);
            }
            let (outlines, outputs) = (&top.outlines, &self.outputs);
            session::views_of(session, outlines, outputs, &conditions, &mut views)?;
        }
        Ok(views)
    }
}
