//! Removes a session for good.

use std::path::Path;

use gemtrail_core::Detail;
use gemtrail_core::model::Session;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::plan::{Forgotten, Plan};
use super::{prompts, wipe};
use crate::db::ArchiveError;
use crate::db::ids::{ContentRowId, FileRowId, SessionRowId, VersionRowId};
use crate::db::index_file;
use crate::db::pool::Pool;
use crate::index;
use crate::load::load_from;
use crate::raw::options::SyncOptions;
use crate::raw::report::SyncReport;
use crate::raw::writer::RawWriter;

/// What would be removed with a session.
pub(crate) fn plan(
    connection: &mut Connection,
    path: &Path,
    session: &Session,
    options: &SyncOptions,
) -> Result<Forgotten, ArchiveError> {
    refresh_index(connection, path, options)?;
    Ok(Plan::of(connection, session)?.report)
}

/// Removes a session with its subagents and everything else that is its own. The bytes are not
/// taken in again unless they change.
pub(crate) fn forget(
    connection: &mut Connection,
    path: &Path,
    session: &Session,
    options: &SyncOptions,
) -> Result<Forgotten, ArchiveError> {
    refresh_index(connection, path, options)?;
    let now = options.now;
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let plan = Plan::of(&transaction, session)?;
    let writer = RawWriter::new(&transaction, now);
    for file in &plan.files {
        forget_file(&transaction, &writer, *file, &plan, now)?;
    }
    if plan.has_log {
        prompts::take_out(&transaction, &writer, &plan, now)?;
    }
    for (home, dir) in &plan.places {
        writer.mark_stale(*home, dir)?;
    }
    writer.drop_unused_chunks()?;
    // If the process is killed from here on, the next run finishes this.
    wipe::request(&transaction)?;
    transaction.commit()?;
    // The index takes it out because its directory changed.
    let finished = refresh_index(connection, path, options).and_then(|()| wipe::finish(connection));
    finished.map_err(|error| {
        // No room even for that: what still has it must not be asked.
        let _ = index_file::remove(connection, path);
        ArchiveError::NotWiped(error.into())
    })?;
    Ok(plan.report)
}

/// Brings the index up to date: it says what belongs to a session.
fn refresh_index(
    connection: &mut Connection,
    path: &Path,
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    let pool = Pool::open(path)?;
    let mut report = SyncReport::default();
    let prior = index::PriorSessions::default();
    index::refresh(connection, &pool, options, prior, &mut report, &mut |_| {})
}

/// Removes all versions of a file and remembers their digests. The row of the file stays: it may
/// still be on disk and must not be read at every run.
fn forget_file(
    transaction: &Transaction<'_>,
    writer: &RawWriter<'_>,
    file: FileRowId,
    plan: &Plan,
    now: i64,
) -> Result<(), ArchiveError> {
    let is_shared = transaction
        .prepare_cached("SELECT session FROM journal WHERE file = ?1")?
        .query_map([file], |row| row.get::<_, SessionRowId>(0))?
        .any(|session| session.is_ok_and(|session| !plan.sessions.contains(&session)));
    let mut remember = transaction.prepare_cached(
        "INSERT OR IGNORE INTO forgotten(hash, session, time)
         SELECT hash, ?2, ?3 FROM content WHERE id = ?1",
    )?;
    // Outputs and plans belong to the session whose directory they are in.
    let owner: Option<String> = transaction
        .prepare_cached(
            "SELECT detail FROM file WHERE id = ?1 AND kind IN ('tool-output', 'plan')",
        )?
        .query_row([file], |row| row.get(0))
        .optional()?
        .flatten();
    let owner = owner.as_ref().unwrap_or(&plan.name);
    let versions: Vec<(VersionRowId, ContentRowId, usize)> = transaction
        .prepare_cached("SELECT id, content, bytes FROM version WHERE file = ?1")?
        .query_map([file], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    for (version, content, bytes) in versions {
        // The file may have held another session before.
        if is_shared && !is_of(&writer.read(content)?, bytes, plan) {
            continue;
        }
        remember.execute((content, owner, now))?;
        transaction
            .prepare_cached("DELETE FROM version WHERE id = ?1")?
            .execute([version])?;
        writer.drop_content(content)?;
    }
    writer.mark_stale_of(file)
}

/// Whether a journal belongs to the session.
fn is_of(content: &[u8], bytes: usize, plan: &Plan) -> bool {
    let bytes = &content[..bytes.min(content.len())];
    let journal = load_from(bytes, "", Detail::Counts);
    journal.is_ok_and(|journal| {
        let id = journal.log.metadata().session_id.as_deref();
        id.is_none_or(|id| id == plan.id)
    })
}
