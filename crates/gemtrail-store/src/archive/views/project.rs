//! The projects: their rows, and which of them must be examined again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gemtrail_core::model::Project;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::due::{Due, Extent};
use super::known;
use super::words::word;
use super::write;
use crate::archive::db::ids::{Dir, HomeRowId, ProjectRowId};
use crate::archive::db::{ArchiveError, schema};
use crate::archive::raw::tree;
use crate::discover::Found;
use crate::library::Library;
use crate::project::{ProjectEntry, Stacks};

/// A project as the views know it.
pub(crate) struct KnownProject {
    pub(crate) id: ProjectRowId,
    pub(super) dirs: Vec<Dir>,
    project: (Option<String>, Option<String>, Option<String>, String),
}

impl KnownProject {
    /// Its directories.
    pub(crate) fn dirs(&self) -> &[Dir] {
        &self.dirs
    }

    /// Its root path, if that was found.
    pub(crate) fn path(&self) -> Option<&String> {
        self.project.2.as_ref()
    }

    /// Adds its files, from the homes with these rows.
    pub(crate) fn entry(&self, found: &[Found], homes: &[HomeRowId]) -> ProjectEntry {
        tree::project(self.project(), &self.dirs, found, homes)
    }

    /// With its files in stacks that have the homes with these rows.
    pub(crate) fn in_stacks(&self, stacks: Arc<dyn Stacks>, homes: &[HomeRowId]) -> ProjectEntry {
        ProjectEntry::in_stacks(self.project(), tree::places(&self.dirs, homes), stacks)
    }

    fn project(&self) -> Project {
        let (dir, hash, path, source) = self.project.clone();
        Project {
            dir,
            hash,
            path,
            path_source: serde_json::from_value(source.into()).unwrap_or_default(),
        }
    }
}

/// The projects in the views.
pub(crate) fn known(connection: &Connection) -> Result<Vec<KnownProject>, ArchiveError> {
    let mut statement = connection
        .prepare_cached("SELECT id, dirs, dir, hash, path, path_source FROM project ORDER BY id")?;
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

/// Gives every project its row. Returns those that need work because they or one of their
/// directories changed.
pub(super) fn settle(
    connection: &mut Connection,
    library: &Library,
    homes: &[HomeRowId],
    known: &[KnownProject],
    due: &Due,
) -> Result<Vec<(usize, ProjectRowId, Extent)>, ArchiveError> {
    let by_dir: HashMap<&Dir, &KnownProject> = known
        .iter()
        .flat_map(|project| project.dirs.iter().map(move |dir| (dir, project)))
        .collect();
    let mut used: HashSet<ProjectRowId> = HashSet::new();
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let mut rows = Vec::new();
    for (at, entry) in library.projects().iter().enumerate() {
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
        let is_stale = dirs.iter().any(|dir| due.stale.contains(dir));
        let is_touched = dirs.iter().any(|dir| due.touched.contains(dir));
        let columns = match row {
            // Its files have been searched in vain and have not changed.
            Some(row) if !is_stale && !is_touched && entry.needs_search() => row.project.clone(),
            _ => columns(entry.project()),
        };
        match row {
            Some(row) if row.dirs == dirs && row.project == columns && !is_stale => {
                if is_touched {
                    rows.push((at, row.id, Extent::Changes));
                }
                continue;
            }
            _ => {}
        }
        let (dir, hash, path, source) = columns;
        let mut insert = transaction.prepare_cached(
            "INSERT OR REPLACE INTO project(id, host, dir, hash, path, path_source, dirs)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let places = serde_json::to_string(&dirs).unwrap_or_default();
        let row = insert.insert((
            row.map(|row| row.id),
            host.unwrap_or_default(),
            dir,
            hash,
            path,
            source,
            places,
        ))?;
        rows.push((at, ProjectRowId(row), Extent::Whole));
        // If the run is killed from here on, the project looks settled. Its sessions are not.
        let mut mark =
            transaction.prepare_cached("INSERT OR IGNORE INTO stale(home, dir) VALUES(?1, ?2)")?;
        for (home, dir) in &dirs {
            mark.execute((home, dir))?;
        }
    }
    for project in known.iter().filter(|project| !used.contains(&project.id)) {
        for session in known::sessions(&transaction, project.id)?.into_values() {
            write::delete(&transaction, session.id)?;
        }
        transaction.execute("DELETE FROM project WHERE id = ?1", [project.id])?;
    }
    schema::note_change(&transaction)?;
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
