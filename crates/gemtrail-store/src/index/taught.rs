//! Root paths that the archive was taught. Digests cannot be reversed into paths, and the next run,
//! perhaps on another machine, may not get these hints again.

use std::collections::HashSet;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::db::ArchiveError;

/// The paths.
pub(crate) fn paths(connection: &Connection) -> Result<HashSet<String>, ArchiveError> {
    let mut statement = connection.prepare_cached("SELECT path FROM taught")?;
    let paths = statement.query_map([], |row| row.get(0))?;
    Ok(paths.collect::<Result<_, _>>()?)
}

/// The paths, if any project lacks a known path.
pub(crate) fn if_it_matters(
    connection: &Connection,
) -> Result<Option<HashSet<String>>, ArchiveError> {
    let is_unknown = connection
        .prepare_cached(
            "SELECT 1 FROM project
             WHERE path_source IN ('none', 'directories', 'context', 'mapping')",
        )?
        .exists([])?;
    is_unknown.then(|| paths(connection)).transpose()
}

/// Adds new paths. Projects without a path, or with an unproven one, are examined again.
pub(crate) fn teach(
    connection: &mut Connection,
    learned: &[String],
    now: i64,
) -> Result<(), ArchiveError> {
    let known = paths(connection)?;
    let new: Vec<&String> = learned.iter().filter(|it| !known.contains(*it)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for path in new {
        transaction
            .prepare_cached("INSERT OR IGNORE INTO taught(path, time) VALUES(?1, ?2)")?
            .execute((path, now))?;
    }
    transaction.execute(
        "UPDATE dir SET stale = 1 + (SELECT max(max(touched, stale)) FROM dir)
         WHERE (home, dir) IN (
           SELECT json_extract(place.value, '$[0]'), json_extract(place.value, '$[1]')
           FROM project, json_each(project.dirs) AS place
           WHERE project.path_source IN ('none', 'directories', 'context', 'mapping'))",
        [],
    )?;
    transaction.commit()?;
    Ok(())
}
