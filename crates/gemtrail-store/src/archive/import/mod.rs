//! Merges another archive into this one.
//!
//! Only the raw layer and the facts are taken: homes with their machines, files, every version, what
//! was forgotten and taught. The views are then rebuilt for what is new. Every byte that comes in is
//! verified first. Each transaction ends between files, so a killed import leaves a valid archive,
//! and the next one finds what is there and goes on.

mod carve;
mod file;
mod marks;
mod report;
mod salvage;
mod source;

use std::collections::HashMap;

use gemtrail_home::paths::text_of;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::file::Importer;
pub(super) use self::marks::take as take_marks;
pub use self::report::{IMPORT_SCHEMA, ImportReport};
pub(super) use self::salvage::with_first_page;
pub use self::source::ImportSource;
use self::source::SourceFile;
use super::forget::wipe;
use super::info;
use super::open::ArchiveWriter;
use crate::db::ArchiveError;
use crate::db::ids::HomeRowId;
use crate::db::index_file;
use crate::db::pool::Pool;
use crate::index::{self, PriorSessions, taught};
use crate::raw::options::SyncOptions;
use crate::raw::options::{Phase, Progress, SyncReport};
use crate::raw::writer::RawWriter;
use crate::raw::writer::forgotten;

/// A transaction is committed after this many bytes.
const BATCH_BYTES: u64 = 64 << 20;

impl ArchiveWriter {
    /// Merges another archive into this one.
    pub fn import(
        &mut self,
        source: &ImportSource,
        options: &SyncOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ImportReport, ArchiveError> {
        let connection = &mut self.connection;
        let mut report = ImportReport::new(&text_of(source.path()));
        let mut prior = PriorSessions::default();
        if !index_file::is_complete(connection)? {
            prior = PriorSessions::of_files(connection)?;
        }
        take_facts(connection, source, options, &mut report)?;
        take_files(connection, source, options, &mut report, progress)?;
        let pool = Pool::open(&self.path)?;
        let mut indexed = SyncReport::default();
        index::refresh(connection, &pool, options, prior, &mut indexed, progress)?;
        drop(pool);
        report.marks_added = marks::take(connection, source, false, &mut report)?;
        wipe(connection)?;
        report.sessions_added = indexed.sessions_added;
        report.sessions_changed = indexed.sessions_changed;
        report.archive_bytes = info::size(connection)?;
        report.ok = report.diagnostics.is_empty();
        Ok(report)
    }
}

/// Takes in what the other archive was taught and told to forget. First, so that nothing of the latter comes
/// in, even if the run is killed.
fn take_facts(
    connection: &mut Connection,
    source: &ImportSource,
    options: &SyncOptions,
    report: &mut ImportReport,
) -> Result<(), ArchiveError> {
    taught::teach(connection, &source.taught()?, options.now)?;
    let facts = source.forgotten(report)?;
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for (hash, session, time) in facts {
        // What this archive still has was not forgotten here.
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO forgotten(hash, session, time) SELECT ?1, ?2, ?3
                 WHERE NOT EXISTS (SELECT 1 FROM content WHERE hash = ?1)",
            )?
            .execute((hash.as_slice(), session, time))?;
    }
    transaction.commit()?;
    Ok(())
}

fn take_files(
    connection: &mut Connection,
    source: &ImportSource,
    options: &SyncOptions,
    report: &mut ImportReport,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ArchiveError> {
    let homes = source.homes(report)?;
    let files = source.files(report)?;
    let digests = forgotten(connection)?;
    let mut state = Progress {
        phase: Phase::Storing,
        total: files.len() as u64,
        total_bytes: files.iter().map(SourceFile::bytes).sum(),
        ..Progress::default()
    };
    let mut files = files.into_iter().peekable();
    while files.peek().is_some() {
        let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
        let writer = RawWriter::new(&transaction, options.now);
        let mut rows: HashMap<i64, HomeRowId> = HashMap::new();
        for (id, home) in &homes {
            let (row, is_new) = writer.home_row(home)?;
            rows.insert(*id, row);
            report.homes_added += u64::from(is_new);
        }
        let mut importer = Importer {
            source,
            writer: &writer,
            forgotten: &digests,
            report: &mut *report,
        };
        let mut batch = 0;
        while batch < BATCH_BYTES
            && let Some(file) = files.next()
        {
            if let Some(home) = rows.get(&file.home) {
                batch += importer.take(*home, &homes[&file.home], &file)?;
            }
            state.done += 1;
            state.bytes += file.bytes();
            progress(state);
        }
        transaction.commit()?;
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    RawWriter::new(&transaction, options.now).drop_unused_chunks()?;
    transaction.commit()?;
    Ok(())
}
