//! Brings an archive up to date with the disk.
//!
//! First the raw layer takes in what is new, then the views of what changed are rebuilt from it.
//! Each transaction leaves the archive consistent: a killed run loses nothing, and the next one
//! continues where it stopped.

use std::collections::HashSet;
use std::sync::Arc;

use gemtrail_core::model::{Code, Diagnostic};
use gemtrail_home::discover::Found;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::forget::wipe;
use super::open::ArchiveWriter;
use super::{info, retention};
use crate::db::ArchiveError;
use crate::db::error::damaged;
use crate::db::ids::{Dir, HomeRowId};
use crate::db::index_file;
use crate::db::pool::Pool;
use crate::index::{self, PriorSessions, taught};
use crate::raw::options::SyncOptions;
use crate::raw::options::{Progress, SYNC_SCHEMA, SyncReport};
use crate::raw::writer::RawWriter;
use crate::raw::{changes, homes, scrub, store};

impl ArchiveWriter {
    /// Takes in what changed.
    pub fn sync(
        &mut self,
        found: &[Found],
        options: &SyncOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<SyncReport, ArchiveError> {
        let connection = &mut self.connection;
        let pool = Pool::open(&self.path)?;
        let mut report = match run(connection, &pool, found, options, progress) {
            // Most of it can be made anew.
            Err(ArchiveError::Damaged { .. }) if !options.rebuild => {
                let options = SyncOptions {
                    rebuild: true,
                    ..options.clone()
                };
                run(connection, &pool, found, &options, progress)
            }
            outcome => outcome,
        }?;
        drop(pool);
        refuse_malformed(connection, &report)?;
        wipe(connection)?;
        info::note_sync(connection, options.now)?;
        report.archive_bytes = info::size(connection)?;
        Ok(report)
    }
}

/// Runs both phases.
fn run(
    connection: &mut Connection,
    pool: &Arc<Pool>,
    found: &[Found],
    options: &SyncOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<SyncReport, ArchiveError> {
    let mut report = SyncReport {
        schema: SYNC_SCHEMA.to_owned(),
        ..SyncReport::default()
    };
    let mut prior = PriorSessions::default();
    if options.rebuild {
        prior = PriorSessions::all(connection);
        index_file::start_anew(connection, pool.path())?;
    } else if !index_file::is_complete(connection)? {
        prior = PriorSessions::of_files(connection)?;
    }
    taught::teach(connection, &options.hints.taught, options.now)?;
    note_homes(connection, found, options)?;
    let mut changes = changes::compare(connection, found, &options.machine, options.full)?;
    let excluded = changes::leave_out(&mut changes, found, options);
    report.files_seen = changes.seen;
    report.source_bytes = changes.source_bytes;
    note_excluded(connection, found, &excluded, options)?;
    if !changes.is_empty() {
        store::store(
            connection,
            pool,
            found,
            &changes,
            options,
            &mut report,
            progress,
        )?;
    }
    if !changes.restat.is_empty() {
        let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
        RawWriter::new(&transaction, options.now).restat(&changes.restat)?;
        transaction.commit()?;
    }
    retention::drop_old(connection, found, options)?;
    if options.check_bytes > 0 {
        scrub::scrub(connection, options.check_bytes, options.now, &mut report)?;
    }
    index::refresh(connection, pool, options, prior, &mut report, progress)?;
    report.sessions_gone = retention::count_gone(connection, &changes.gone)?;
    let places = found.iter().flat_map(|found| found.diagnostics.clone());
    report.diagnostics.extend(places);
    let key = |it: &Diagnostic| (it.journal.clone(), it.line);
    report.diagnostics.sort_by_key(key);
    say_damage_once(&mut report.diagnostics);
    Ok(report)
}

/// Where something is damaged, more may be: if the tables are, the archive has to be repaired.
fn refuse_malformed(connection: &Connection, report: &SyncReport) -> Result<(), ArchiveError> {
    let is_damage = |it: &Diagnostic| it.code == Code::DamagedArchive;
    if !report.diagnostics.iter().any(is_damage) {
        return Ok(());
    }
    let check = "PRAGMA main.quick_check(1)";
    let finding: String = connection.query_row(check, [], |row| row.get(0))?;
    if finding == "ok" {
        Ok(())
    } else {
        Err(damaged(finding))
    }
}

/// A damaged file may have been found twice: by the check, and when it was read.
fn say_damage_once(diagnostics: &mut Vec<Diagnostic>) {
    let mut damaged = HashSet::new();
    diagnostics.retain(|it| it.code != Code::DamagedArchive || damaged.insert(it.journal.clone()));
}

/// Records the homes, with host and user, if they are new. Even if they are empty: readers take in
/// what is new in homes that the archive knows.
fn note_homes(
    connection: &mut Connection,
    found: &[Found],
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    for found in found {
        if homes::is_news(connection, found, &options.machine)? {
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            RawWriter::new(&transaction, options.now).home(found, &options.machine)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

/// Records what is excluded, if that changed.
fn note_excluded(
    connection: &mut Connection,
    found: &[Found],
    excluded: &HashSet<(usize, &str)>,
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    let known = changes::excluded(connection)?;
    if known.is_empty() && excluded.is_empty() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let writer = RawWriter::new(&transaction, options.now);
    let homes: Vec<HomeRowId> = found
        .iter()
        .map(|found| writer.home(found, &options.machine))
        .collect::<Result<_, _>>()?;
    // Other homes were not scanned this time.
    let others = known.iter().filter(|(home, _)| !homes.contains(home));
    let here = excluded.iter();
    let here = here.map(|(home, dir)| (homes[*home], (*dir).to_owned()));
    let dirs: HashSet<Dir> = others.cloned().chain(here).collect();
    if dirs != known {
        changes::note_excluded(&transaction, &dirs)?;
        transaction.commit()?;
    }
    Ok(())
}
