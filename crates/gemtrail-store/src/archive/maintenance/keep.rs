//! What is kept, and for how long.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use crate::archive::db::ArchiveError;
use crate::archive::raw::changes::{Changes, Whereabouts, files_of, path_below};
use crate::archive::raw::writer::RawWriter;
use crate::archive::sync::SyncOptions;
use crate::discover::Found;
use crate::library::Library;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The row of a home. Whose it is may have been said only once.
pub(crate) fn home_of(
    connection: &Connection,
    found: &Found,
    whereabouts: &Whereabouts,
) -> Result<Option<i64>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM home WHERE path = ?1 AND host = ?2 AND (user = ?3 OR user = '' OR ?3 = '')
         ORDER BY user = ?3 DESC, id LIMIT 1",
    )?;
    let whereabouts = whereabouts.of(found);
    let host = whereabouts.host.as_deref().unwrap_or_default();
    let user = whereabouts.user.as_deref().unwrap_or_default();
    let root = found.home.root.to_string_lossy();
    let id = statement.query_row((root, host, user), |row| row.get(0));
    Ok(id.optional()?)
}

/// Homes on disk that the archive knows from one other machine only are taken for that machine's if
/// they are the very same files, as those of a mount. At the same path another machine has others.
pub(crate) fn adopt(
    connection: &Connection,
    disk: &mut [Found],
    whereabouts: &Whereabouts,
) -> Result<(), ArchiveError> {
    for now in disk {
        if home_of(connection, now, whereabouts)?.is_some() {
            continue;
        }
        let mut statement =
            connection.prepare_cached("SELECT id, host, user FROM home WHERE path = ?1")?;
        let root = now.home.root.to_string_lossy().into_owned();
        let known: Vec<(i64, String, String)> = statement
            .query_map([root], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        if let [(id, host, user)] = known.as_slice()
            && has_these_files(connection, *id, now)?
        {
            let told = |text: &String| Some(text.clone()).filter(|it| !it.is_empty());
            now.is_adopted = true;
            (now.host, now.user) = (told(host), told(user));
        }
    }
    Ok(())
}

/// Whether most files that a home has on disk and in the archive are the same ones.
fn has_these_files(connection: &Connection, home: i64, now: &Found) -> Result<bool, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT path, inode FROM file WHERE home = ?1")?;
    let inodes: HashMap<String, i64> = statement
        .query_map([home], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let both = files_of(now).filter_map(|(_, file)| {
        let then = inodes.get(&path_below(now, file))?;
        Some(*then == file.stat.inode && *then != 0)
    });
    let both: Vec<bool> = both.collect();
    let same = both.iter().filter(|is_same| **is_same).count();
    Ok(same * 2 > both.len())
}

/// Whether a home, or whose it is, was not known.
pub(crate) fn is_news(
    connection: &Connection,
    found: &Found,
    whereabouts: &Whereabouts,
) -> Result<bool, ArchiveError> {
    let Some(id) = home_of(connection, found, whereabouts)? else {
        return Ok(true);
    };
    let mut statement = connection.prepare_cached("SELECT user FROM home WHERE id = ?1")?;
    let user: String = statement.query_row([id], |row| row.get(0))?;
    Ok(user.is_empty() && whereabouts.of(found).user.is_some())
}

/// Project directories that were not taken in when the archive was written last.
pub(crate) fn excluded(connection: &Connection) -> Result<HashSet<(i64, String)>, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM setting WHERE name = 'excluded'")?;
    let list: Option<String> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(list
        .and_then(|list| serde_json::from_str(&list).ok())
        .unwrap_or_default())
}

/// Notes which directories are not taken in, so that readers do not take them for new.
pub(crate) fn note_excluded(
    transaction: &Transaction<'_>,
    dirs: &HashSet<(i64, String)>,
) -> Result<(), ArchiveError> {
    let list = serde_json::to_string(dirs).unwrap_or_default();
    transaction
        .prepare_cached("INSERT OR REPLACE INTO setting(name, value) VALUES('excluded', ?1)")?
        .execute([list])?;
    Ok(())
}

/// Drops from the changes what belongs to excluded projects, and says which directories these have.
pub(crate) fn leave_out<'a>(
    changes: &mut Changes<'_>,
    found: &'a [Found],
    options: &SyncOptions,
) -> HashSet<(usize, &'a str)> {
    if options.exclude.is_empty() {
        return HashSet::new();
    }
    let library = Library::of(found.to_vec(), &options.hints);
    let mut names: HashSet<(usize, &str)> = HashSet::new();
    for entry in library.projects() {
        let path = entry.project().path.as_deref();
        if path.is_some_and(|path| options.exclude.iter().any(|it| is_below(path, it))) {
            names.extend(entry.dirs.iter().map(|(home, dir)| (*home, dir.as_str())));
        }
    }
    let dirs = found.iter().enumerate().flat_map(|(home, found)| {
        let dirs = found.projects.iter();
        dirs.map(move |project| (home, project.name.as_str()))
    });
    let excluded: HashSet<(usize, &str)> = dirs.filter(|dir| names.contains(dir)).collect();
    changes.take.retain(|take| {
        let dir = take.dir.map(|dir| (take.home, dir));
        dir.is_none_or(|dir| !excluded.contains(&dir))
    });
    excluded
}

/// Whether a path is a directory or lies in it, whatever system the paths are of.
fn is_below(path: &str, dir: &str) -> bool {
    let rest = path.strip_prefix(dir.trim_end_matches(['/', '\\']));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// How many sessions lost their last file.
pub(crate) fn count_gone(connection: &Connection, gone: &[i64]) -> Result<u64, ArchiveError> {
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
/// they come back, they are taken in again. What is in a home that is not there itself may be on a
/// disk that is not mounted, so nobody can say that it is gone.
pub(crate) fn drop_old(
    connection: &mut Connection,
    found: &[Found],
    options: &SyncOptions,
) -> Result<(), ArchiveError> {
    if options.keep_days == 0 {
        return Ok(());
    }
    let oldest = options.now - i64::from(options.keep_days) * DAY_MS;
    let there: Vec<i64> = found
        .iter()
        .filter(|found| found.home.sessions.is_dir())
        .filter_map(|found| home_of(connection, found, &options.whereabouts).transpose())
        .collect::<Result<_, _>>()?;
    let there = serde_json::to_string(&there).unwrap_or_default();
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let files: Vec<i64> = transaction
        .prepare(
            "WITH there AS (SELECT value AS home FROM json_each(?2)), old AS (
               SELECT id, session FROM session
               WHERE EXISTS (SELECT 1 FROM journal WHERE journal.session = session.id)
                 AND NOT EXISTS (
                   SELECT 1 FROM journal JOIN file ON file.id = journal.file
                   WHERE journal.session = session.id AND (
                     file.gone IS NULL OR file.gone >= ?1 OR file.home NOT IN there)))
             SELECT file FROM journal WHERE session IN (SELECT id FROM old) AND NOT EXISTS (
               SELECT 1 FROM journal AS other
               WHERE other.file = journal.file AND other.session NOT IN (SELECT id FROM old))
             UNION SELECT id FROM file WHERE gone < ?1 AND home IN there
               AND kind IN ('tool-output', 'plan') AND detail IN (SELECT session FROM old)
               AND detail NOT IN (SELECT session FROM session WHERE id NOT IN (SELECT id FROM old))",
        )?
        .query_map((oldest, there), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let writer = RawWriter::new(&transaction, options.now);
    for file in files {
        writer.drop_file(file)?;
        // Should it come back, it must not look like one that is known.
        transaction
            .prepare_cached("UPDATE file SET bytes = 0, modified = 0, inode = 0 WHERE id = ?1")?
            .execute([file])?;
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
