//! The projects: which rows they have, and which of them must be looked at again.

use std::collections::{HashMap, HashSet};

use gemtrail_core::model::Project;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::super::ArchiveError;
use super::Dir;
use super::write::{self, word};
use crate::library::Library;

/// A project as the views have it.
pub(super) struct KnownProject {
    id: i64,
    dirs: Vec<Dir>,
    project: (Option<String>, Option<String>, Option<String>, String),
}

pub(super) fn known(connection: &Connection) -> Result<Vec<KnownProject>, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT id, dirs, dir, hash, path, path_source FROM project")?;
    let rows = statement.query_map([], |row| {
        let dirs: String = row.get(1)?;
        Ok(KnownProject {
            id: row.get(0)?,
            dirs: serde_json::from_str(&dirs).unwrap_or_default(),
            project: (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Gives every project its row. Those that are as they were and have no stale directory need no
/// work and get none.
pub(super) fn settle(
    connection: &mut Connection,
    library: &Library,
    homes: &[i64],
    known: &[KnownProject],
    stale: &HashSet<Dir>,
) -> Result<Vec<Option<i64>>, ArchiveError> {
    let by_dir: HashMap<&Dir, &KnownProject> = known
        .iter()
        .flat_map(|project| project.dirs.iter().map(move |dir| (dir, project)))
        .collect();
    let mut used: HashSet<i64> = HashSet::new();
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let mut rows = Vec::new();
    for entry in library.projects() {
        let dirs: Vec<Dir> = entry
            .dirs
            .iter()
            .map(|(home, dir)| (homes[*home], dir.clone()))
            .collect();
        let row = dirs.iter().find_map(|dir| {
            let project = by_dir.get(dir)?;
            used.insert(project.id).then_some(*project)
        });
        let host = entry
            .dirs
            .first()
            .and_then(|(home, _)| library.homes()[*home].host.clone());
        let columns = columns(entry.project());
        let is_same = row.is_some_and(|row| row.dirs == dirs && row.project == columns);
        if is_same && !dirs.iter().any(|dir| stale.contains(dir)) {
            rows.push(None);
            continue;
        }
        let (dir, hash, path, source) = columns;
        let mut insert = transaction.prepare_cached(
            "INSERT OR REPLACE INTO project(id, host, dir, hash, path, path_source, dirs)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let places = serde_json::to_string(&dirs).unwrap_or_default();
        let id = insert.insert((
            row.map(|row| row.id),
            host.unwrap_or_default(),
            dir,
            hash,
            path,
            source,
            places,
        ))?;
        rows.push(Some(id));
        // Whoever is killed from here on has a project that looks settled. Its sessions are not.
        let mut mark =
            transaction.prepare_cached("INSERT OR IGNORE INTO stale(home, dir) VALUES(?1, ?2)")?;
        for (home, dir) in &dirs {
            mark.execute((home, dir))?;
        }
    }
    for project in known.iter().filter(|project| !used.contains(&project.id)) {
        for session in write::known(&transaction, project.id)?.into_values() {
            write::delete(&transaction, session.id)?;
        }
        transaction.execute("DELETE FROM project WHERE id = ?1", [project.id])?;
    }
    transaction.commit()?;
    Ok(rows)
}

fn columns(project: &Project) -> (Option<String>, Option<String>, Option<String>, String) {
    (
        project.dir.clone(),
        project.hash.clone(),
        project.path.clone(),
        word(&project.path_source),
    )
}
