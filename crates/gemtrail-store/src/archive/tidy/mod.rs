//! Removes session files from the disk that the archive has proven to hold.
//!
//! A plan names sessions by what the archive knows. Then, under the lock of its writer, each file of a
//! session is read back from the archive alone and compared; only if all of them are equal they go,
//! the journals first: whatever a killed run leaves is not listed by Gemini CLI, and the next run removes it.

mod options;
mod plan;
mod proof;
mod report;

use std::fs::File;
use std::path::{Path, PathBuf};

use gemtrail_core::model::SessionRef;
use gemtrail_home::paths::text_of;
use gemtrail_home::source::Stat;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use self::options::TidyOptions;
use self::plan::{KnownFile, Plan};
pub use self::report::{
    LeftSession, TIDIED_SCHEMA, TIDY_SCHEMA, TidiedFile, TidyReport, TidySession, WhyLeft,
};
use super::open::{Archive, ArchiveWriter};
use crate::Library;
use crate::db::ArchiveError;
use crate::db::private::beside;

/// Locks of Gemini CLI for a home, and for a project directory. They may be left behind, so that
/// only young ones count.
const HOME_LOCK: &str = "projects.json.lock";
const PROJECT_LOCK: &str = "memory/.extraction.lock";

impl Archive {
    /// What [`ArchiveWriter::tidy`] would remove, as far as the archive knows. Opens no session file.
    pub fn plan_to_tidy(
        &self,
        library: &Library,
        options: &TidyOptions,
    ) -> Result<TidyReport, ArchiveError> {
        let plan = self.pool.with(|it| Plan::of(it, library, options))?;
        Ok(plan.into_report())
    }

    /// What was removed so far, of one session or of all, the oldest first.
    pub fn tidied(&self, session: Option<SessionRef>) -> Result<Vec<TidiedFile>, ArchiveError> {
        self.pool.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT time, ref, path, bytes FROM tidied WHERE ref = coalesce(?1, ref) ORDER BY id",
            )?;
            let session = session.as_ref().map(SessionRef::as_str);
            let files = statement.query_map([session], |row| {
                Ok(TidiedFile {
                    schema: TIDIED_SCHEMA,
                    time: row.get(0)?,
                    reference: row.get::<_, String>(1)?.parse().unwrap_or_default(),
                    path: row.get(2)?,
                    bytes: row.get(3)?,
                })
            })?;
            Ok(files.collect::<Result<_, _>>()?)
        })
    }
}

/// A file that the archive has proven to hold, and its state on disk.
type Proven<'f> = (&'f KnownFile, Stat);

/// Why something stays, and the file because of which it does.
type Left = (WhyLeft, PathBuf);

impl ArchiveWriter {
    /// Removes the files of old sessions from the disk. `progress` is told how many sessions are done,
    /// and how many there are.
    pub fn tidy(
        &mut self,
        library: &Library,
        options: &TidyOptions,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<TidyReport, ArchiveError> {
        let plan = Plan::of(&self.connection, library, options)?;
        let mut report = plan.report;
        report.done = true;
        if !plan.sessions.is_empty() {
            self.make_durable()?;
        }
        let total = plan.sessions.len();
        for (at, (mut session, files)) in plan.sessions.into_iter().enumerate() {
            if options.interrupt.is_set() {
                break;
            }
            progress(at, total);
            let proven = self.prove(&files, options)?;
            let removed = match proven {
                Ok(proven) => self.remove(session.reference, &proven, options)?,
                Err(left) => (Vec::new(), Some(left)),
            };
            let (removed, left) = removed;
            if let Some((why, path)) = left {
                report.left.push(LeftSession {
                    reference: session.reference,
                    session: session.session.clone(),
                    why,
                    path: text_of(&path).into_owned(),
                });
            }
            if !removed.is_empty() {
                session.bytes = removed.iter().map(|file| file.stat.bytes).sum();
                let paths = removed.iter().map(|file| text_of(&file.path).into_owned());
                session.files = paths.collect();
                report.sessions.push(session);
            }
        }
        report.add_up();
        Ok(report)
    }

    /// Waits until everything that the archive has is on its disk: what is removed must survive a power
    /// cut.
    fn make_durable(&self) -> Result<(), ArchiveError> {
        for path in [beside(&self.path, "-wal"), self.path.clone()] {
            match File::options().read(true).write(true).open(&path) {
                Ok(file) => file.sync_all()?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(ArchiveError::of_own_file(&path, error)),
            }
        }
        Ok(())
    }

    /// Compares all files of a session. Gives those that are there, each with its state, or why the
    /// session stays.
    fn prove<'f>(
        &self,
        files: &'f [KnownFile],
        options: &TidyOptions,
    ) -> Result<Result<Vec<Proven<'f>>, Left>, ArchiveError> {
        let mut proven = Vec::new();
        for file in files {
            if is_locked(file, options) {
                return Ok(Err((WhyLeft::InUse, file.path.clone())));
            }
            match proof::prove(&self.connection, file, options)? {
                None => {}
                Some(Ok(stat)) => proven.push((file, stat)),
                Some(Err(why)) => return Ok(Err((why, file.path.clone()))),
            }
        }
        Ok(Ok(proven))
    }

    /// Removes files that were compared, unless they changed since. Ends with the first that cannot go.
    fn remove<'f>(
        &mut self,
        session: SessionRef,
        files: &[Proven<'f>],
        options: &TidyOptions,
    ) -> Result<(Vec<&'f KnownFile>, Option<Left>), ArchiveError> {
        let host = options.machine.host.as_deref().unwrap_or_default();
        let last = log(&mut self.connection, (session, host), files, options.now)?;
        let mut removed = Vec::new();
        let mut left = None;
        for (file, stat) in files {
            if !proof::is_still(&file.path, stat) {
                left = Some((WhyLeft::Changed, file.path.clone()));
                break;
            }
            if std::fs::remove_file(&file.path).is_err() {
                left = Some((WhyLeft::Unreadable, file.path.clone()));
                break;
            }
            removed.push(*file);
        }
        if removed.len() < files.len() {
            let left_over = files.len() - removed.len();
            let first_left = last + 1 - i64::try_from(left_over).unwrap_or(i64::MAX);
            let sql = "DELETE FROM tidied WHERE id BETWEEN ?1 AND ?2";
            self.connection.execute(sql, (first_left, last))?;
        }
        remove_empty_directories(&removed);
        Ok((removed, left))
    }
}

/// Writes down what is about to be removed. Gives the row of the last file; the rows are in the order of the files.
fn log(
    connection: &mut Connection,
    (session, host): (SessionRef, &str),
    files: &[(&KnownFile, Stat)],
    now: i64,
) -> Result<i64, ArchiveError> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for (file, stat) in files {
        transaction
            .prepare_cached(
                "INSERT INTO tidied(time, ref, host, path, bytes) VALUES(?1, ?2, ?3, ?4, ?5)",
            )?
            .execute((now, session.as_str(), host, text_of(&file.path), stat.bytes))?;
    }
    let last = transaction.last_insert_rowid();
    transaction.commit()?;
    Ok(last)
}

/// True if Gemini CLI locked the home or the project of a file a short while ago.
fn is_locked(file: &KnownFile, options: &TidyOptions) -> bool {
    let sessions = file.root.join("tmp");
    let below = file.path.strip_prefix(&sessions).ok();
    let project = below.and_then(|it| it.components().next());
    let project = project.map(|dir| sessions.join(dir).join(PROJECT_LOCK));
    let locks = [Some(file.root.join(HOME_LOCK)), project];
    locks.into_iter().flatten().any(|lock| {
        let metadata = std::fs::symlink_metadata(lock);
        metadata.is_ok_and(|it| options.is_recent(&Stat::of(&it)))
    })
}

/// Removes the directories of agents and outputs that have become empty; never those that Gemini CLI
/// expects.
fn remove_empty_directories(removed: &[&KnownFile]) {
    let mut dirs: Vec<&Path> = removed.iter().filter_map(|it| it.path.parent()).collect();
    dirs.sort_unstable();
    dirs.dedup();
    for dir in dirs {
        let is_own = |parent: &Path| {
            ["chats", "tool-outputs"]
                .iter()
                .any(|name| parent.ends_with(name))
        };
        if dir.parent().is_some_and(is_own) {
            // One that has anything in it stays.
            let _ = std::fs::remove_dir(dir);
        }
    }
}
