//! What is kept, and for how long.

use std::collections::HashSet;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::ArchiveError;
use super::changes::Changes;
use super::raw::RawWriter;
use super::sync::SyncOptions;
use crate::discover::Found;
use crate::library::Library;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Drops from the changes what belongs to excluded projects.
pub(super) fn leave_out(changes: &mut Changes<'_>, found: &[Found], options: &SyncOptions) {
    if options.exclude.is_empty() || changes.take.is_empty() {
        return;
    }
    let library = Library::of(found.to_vec(), &options.hints);
    let mut excluded: HashSet<(usize, &str)> = HashSet::new();
    for entry in library.projects() {
        let path = entry.project().path.as_deref();
        if path.is_some_and(|path| options.exclude.iter().any(|it| is_below(path, it))) {
            excluded.extend(entry.dirs.iter().map(|(home, dir)| (*home, dir.as_str())));
        }
    }
    changes.take.retain(|take| {
        let dir = take.dir.map(|dir| (take.home, dir));
        dir.is_none_or(|dir| !excluded.contains(&dir))
    });
}

/// Whether a path is a directory or lies in it, whatever system the paths are of.
fn is_below(path: &str, dir: &str) -> bool {
    let rest = path.strip_prefix(dir.trim_end_matches(['/', '\\']));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// How many sessions lost their last file.
pub(super) fn count_gone(connection: &Connection, gone: &[i64]) -> Result<u64, ArchiveError> {
    let mut sessions: HashSet<i64> = HashSet::new();
    let mut of_file = connection.prepare_cached("SELECT session FROM journal WHERE file = ?1")?;
    for file in gone {
        for session in of_file.query_map([file], |row| row.get(0))? {
            sessions.insert(session?);
        }
    }
    let mut is_there = connection.prepare_cached(
        "SELECT 1 FROM journal JOIN file ON file.id = journal.file
         WHERE journal.session = ?1 AND file.gone IS NULL",
    )?;
    let mut count = 0;
    for session in sessions {
        count += u64::from(!is_there.exists([session])?);
    }
    Ok(count)
}

/// Takes out sessions that have been gone from the disk for longer than they are to be kept. Should
/// they come back, they are taken in again.
pub(super) fn drop_old(
    connection: &mut Connection,
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    if options.keep_days == 0 {
        return Ok(());
    }
    let oldest = options.now - i64::from(options.keep_days) * DAY_MS;
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let files: Vec<i64> = transaction
        .prepare(
            "SELECT DISTINCT journal.file FROM session JOIN journal ON journal.session = session.id
             WHERE session.updated_ms < ?1 AND NOT EXISTS (
               SELECT 1 FROM journal AS other JOIN file ON file.id = other.file
               WHERE other.session = session.id AND file.gone IS NULL)",
        )?
        .query_map([oldest], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let writer = RawWriter::new(&transaction, options.now);
    for file in files {
        writer.drop_file(file)?;
    }
    writer.drop_unused_chunks()?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn a_directory_and_what_is_in_it() {
        assert!(is_below("/a/b", "/a/b") && is_below("/a/b/c", "/a/b/"));
        assert!(is_below("C:\\a\\b", "C:\\a"));
        assert!(!is_below("/a/bc", "/a/b"));
    }
}
