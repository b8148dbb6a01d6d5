//! Removes sessions for good.

mod plan;

use std::path::Path;

use gemtrail_core::Detail;
use gemtrail_core::model::Session;
use gemtrail_home::load::load_from;
use gemtrail_home::prompts::{digests_of, scrubbed};
use gemtrail_home::source::read_small;
use rusqlite::{Connection, OptionalExtension as _, Params, Transaction, TransactionBehavior};

use self::plan::Plan;
pub use self::plan::{FORGET_SCHEMA, Forgotten};
use super::open::ArchiveWriter;
use crate::db::ArchiveError;
use crate::db::columns::Name;
use crate::db::ids::{ContentRowId, FileRowId, SessionRowId, VersionRowId};
use crate::db::index_file;
use crate::db::pool::Pool;
use crate::index::{self, unit};
use crate::raw::marks;
use crate::raw::options::SyncOptions;
use crate::raw::options::SyncReport;
use crate::raw::writer::RawWriter;
use crate::raw::writer::forgotten;

impl ArchiveWriter {
    /// Returns everything that would be removed with a session.
    pub fn plan_to_forget(
        &mut self,
        session: &Session,
        options: &SyncOptions,
    ) -> Result<Forgotten, ArchiveError> {
        refresh_index(&mut self.connection, &self.path, options)?;
        Ok(Plan::of(&self.connection, session)?.report)
    }

    /// Removes a session with its subagents and everything else that is its own. The bytes are not
    /// taken in again unless they change.
    pub fn forget(
        &mut self,
        session: &Session,
        options: &SyncOptions,
    ) -> Result<Forgotten, ArchiveError> {
        let (connection, path) = (&mut self.connection, self.path.as_path());
        refresh_index(connection, path, options)?;
        let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
        let plan = Plan::of(&transaction, session)?;
        let eraser = Eraser {
            transaction: &transaction,
            writer: RawWriter::new(&transaction, options.now),
            plan: &plan,
            now: options.now,
        };
        eraser.run()?;
        transaction.commit()?;
        // The index takes it out because its directory changed.
        let finished = refresh_index(connection, path, options).and_then(|()| wipe(connection));
        finished.map_err(|error| {
            // No room even for that: what still has it must not be asked.
            let _ = index_file::remove(connection, path);
            ArchiveError::NotWiped(error.into())
        })?;
        Ok(plan.report)
    }
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

/// A version whose bytes are removed or replaced.
type Erased = (VersionRowId, ContentRowId, usize);

/// Removes what belongs to a session from the raw layer, within one transaction.
struct Eraser<'a> {
    transaction: &'a Transaction<'a>,
    writer: RawWriter<'a>,
    plan: &'a Plan,
    now: i64,
}

impl Eraser<'_> {
    fn run(&self) -> Result<(), ArchiveError> {
        for file in &self.plan.files {
            self.file(*file)?;
        }
        if self.plan.has_log {
            self.prompts()?;
        }
        let sessions: Vec<i64> = self.plan.sessions.iter().map(|it| it.0).collect();
        marks::forget(self.transaction, &sessions)?;
        for (home, dir) in &self.plan.places {
            self.writer.mark_stale(*home, dir)?;
        }
        self.writer.drop_unused_chunks()?;
        // If the process is killed from here on, the next run finishes this.
        self.transaction.execute(
            "INSERT OR REPLACE INTO setting(name, value) VALUES('wipe', 1)",
            [],
        )?;
        Ok(())
    }

    /// Removes all versions of a file and remembers their digests. The row of the file stays: it may
    /// still be on disk and must not be read at every run.
    fn file(&self, file: FileRowId) -> Result<(), ArchiveError> {
        let is_shared = self
            .writer
            .prepare("SELECT session FROM journal WHERE file = ?1")?
            .query_map([file], |row| row.get::<_, SessionRowId>(0))?
            .any(|session| session.is_ok_and(|session| !self.plan.sessions.contains(&session)));
        // Outputs and plans belong to the session whose directory they are in.
        let owner: Option<Option<String>> = self
            .writer
            .prepare("SELECT detail FROM file WHERE id = ?1 AND kind IN ('tool-output', 'plan')")?
            .query_row([file], |row| row.get(0))
            .optional()?;
        let owner = owner.flatten().unwrap_or_else(|| self.plan.name.clone());
        let sql = "SELECT id, content, bytes FROM version WHERE file = ?1";
        for erased in self.versions(sql, [file])? {
            let (version, content, _) = erased;
            // The file may have held another session before.
            if is_shared && !self.is_of_session(&self.read(&erased)?) {
                continue;
            }
            self.writer
                .prepare(
                    "INSERT OR IGNORE INTO forgotten(hash, session, time)
                     SELECT hash, ?2, ?3 FROM content WHERE id = ?1",
                )?
                .execute((content, &owner, self.now))?;
            self.writer
                .prepare("DELETE FROM version WHERE id = ?1")?
                .execute([version])?;
            self.writer.drop_content(content)?;
        }
        self.writer.mark_stale_of(file)
    }

    fn is_of_session(&self, bytes: &[u8]) -> bool {
        load_from(bytes, "", Detail::Counts).is_ok_and(|journal| {
            let id = journal.log.metadata().session_id.as_deref();
            id.is_none_or(|id| id == self.plan.id)
        })
    }

    /// Removes the prompts of a session from the logs that its project's sessions share, and
    /// remembers their digests.
    fn prompts(&self) -> Result<(), ArchiveError> {
        let (mut logs, mut texts) = (Vec::new(), Vec::new());
        for place in &self.plan.places {
            logs.extend(self.versions(
                "SELECT version.id, version.content, version.bytes FROM version
                 JOIN file ON file.id = version.file
                 WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('log', 'log-backup')",
                (place.0, &place.1),
            )?);
            // The current logs on disk may have prompts that were not taken in yet.
            let mut statement = self.writer.prepare(
                "SELECT home.path, file.path FROM file JOIN home ON home.id = file.home
                 WHERE file.home = ?1 AND file.dir = ?2 AND file.kind IN ('log', 'log-backup')",
            )?;
            let mut rows = statement.query((place.0, &place.1))?;
            while let Some(row) = rows.next()? {
                let (Name(home), Name(below)) = (row.get(0)?, row.get(1)?);
                texts.extend(read_small(&home.join(below)));
            }
        }
        for log in &logs {
            texts.push(self.read(log)?);
        }
        let mut remember = self
            .writer
            .prepare("INSERT OR IGNORE INTO forgotten(hash, session, time) VALUES(?1, ?2, ?3)")?;
        for digest in texts
            .iter()
            .flat_map(|text| digests_of(text, &self.plan.id))
        {
            remember.execute((digest.as_slice(), &self.plan.name, self.now))?;
        }
        let forgotten = forgotten(self.transaction)?;
        for log in &logs {
            let Some(rest) = scrubbed(&self.read(log)?, &forgotten) else {
                continue;
            };
            let taken = self.writer.store(&rest)?;
            let new = self.writer.content(&taken.hash(), &taken)?;
            self.writer
                .prepare("UPDATE version SET content = ?2, bytes = ?3 WHERE id = ?1")?
                .execute((log.0, new, taken.bytes))?;
            self.writer.drop_content(log.1)?;
        }
        Ok(())
    }

    fn versions(&self, sql: &str, of: impl Params) -> Result<Vec<Erased>, ArchiveError> {
        let mut statement = self.writer.prepare(sql)?;
        let rows = statement.query_map(of, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The bytes of a version.
    fn read(&self, (_, content, bytes): &Erased) -> Result<Vec<u8>, ArchiveError> {
        let mut whole = self.writer.read(*content)?;
        whole.truncate(*bytes);
        Ok(whole)
    }
}

/// Wipes deleted data from pages, the word index and the write-ahead log, if requested and not done
/// yet.
pub(super) fn wipe(connection: &mut Connection) -> Result<(), ArchiveError> {
    let is_due = connection
        .prepare_cached("SELECT 1 FROM setting WHERE name = 'wipe'")?
        .exists([])?;
    if !is_due {
        return Ok(());
    }
    // Deleted words stay in the full-text index until its segments are merged; references are not
    // needed by those who look again anyway.
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    unit::purge(&transaction)?;
    transaction.execute("DELETE FROM removed", [])?;
    transaction.commit()?;
    connection.execute_batch("VACUUM main; VACUUM ix")?;
    let mut is_busy = false;
    for schema in ["main", "ix"] {
        let sql = format!("PRAGMA {schema}.wal_checkpoint(TRUNCATE)");
        is_busy |= connection.query_row(&sql, [], |row| row.get::<_, bool>(0))?;
    }
    // A reader still needs the old pages; the next run tries again.
    if !is_busy {
        connection.execute("DELETE FROM setting WHERE name = 'wipe'", [])?;
    }
    Ok(())
}
