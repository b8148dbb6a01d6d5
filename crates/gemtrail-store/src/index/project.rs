//! The projects: their rows, and which of them must be examined again.

use std::collections::{HashMap, HashSet};

use gemtrail_core::Fingerprint;
use gemtrail_core::model::Project;
use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::Found;
use gemtrail_home::project::{FileLoader, ProjectEntry};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::names::name_of;
use super::scope::{Due, Extent};
use super::{known, sums, write};
use crate::db::ids::{Dir, HomeRowId, ProjectRowId};
use crate::db::{ArchiveError, index_file};
use crate::raw::tree;

/// A project as the index knows it.
pub(crate) struct KnownProject {
    pub(crate) id: ProjectRowId,
    pub(super) dirs: Vec<Dir>,
    project: Columns,
}

/// Directory, hash, path, and how the path was found.
type Columns = (Option<String>, Option<String>, Option<String>, String);

impl KnownProject {
    /// Its directories.
    pub(crate) fn dirs(&self) -> &[Dir] {
        &self.dirs
    }

    /// The hash of its root path, if that is known.
    pub(crate) fn hash(&self) -> Option<&String> {
        self.project.1.as_ref()
    }

    /// Its root path, if that was found.
    pub(crate) fn path(&self) -> Option<&String> {
        self.project.2.as_ref()
    }

    /// Adds its files, from the homes with these rows.
    pub(crate) fn entry(&self, found: &[Found], homes: &[HomeRowId]) -> ProjectEntry {
        tree::project(self.project(), &self.dirs, found, homes)
    }

    /// With its files to be loaded when asked for, from the homes with these rows.
    pub(crate) fn lazy(&self, loader: FileLoader, homes: &[HomeRowId]) -> ProjectEntry {
        ProjectEntry::lazy(self.project(), tree::places(&self.dirs, homes), loader)
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
    // In the order of homes and directories, whatever their rows are.
    let mut statement = connection.prepare_cached(
        "SELECT id, dirs, dir, hash, path, path_source FROM project
         ORDER BY json_extract(dirs, '$[0][0]'), json_extract(dirs, '$[0][1]')",
    )?;
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
    catalog: &Catalog,
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
    let change = index_file::next_change(&transaction)?;
    let mut rows = Vec::new();
    for (at, entry) in catalog.projects().iter().enumerate() {
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
            .and_then(|(home, _)| catalog.homes()[*home].host.clone());
        let is_stale = dirs.iter().any(|dir| due.stale.contains(dir));
        let is_touched = dirs.iter().any(|dir| due.contains(dir));
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
        let id = row.map_or_else(
            || {
                let mut id = row_of(catalog, at);
                while !used.insert(id) {
                    id = ProjectRowId(id.0.wrapping_add(1) & i64::MAX);
                }
                id
            },
            |row| row.id,
        );
        write_row(&transaction, id, host.as_deref(), columns, &dirs)?;
        rows.push((at, id, Extent::Whole));
        // If the run is killed from here on, the project looks settled. Its sessions are not.
        let mut forget =
            transaction.prepare_cached("DELETE FROM indexed WHERE home = ?1 AND dir = ?2")?;
        for (home, dir) in &dirs {
            forget.execute((home, dir))?;
        }
    }
    for project in known.iter().filter(|project| !used.contains(&project.id)) {
        for session in known::sessions(&transaction, project.id)?.into_values() {
            write::delete(&transaction, session.id, change)?;
        }
        transaction.execute("DELETE FROM project WHERE id = ?1", [project.id])?;
    }
    transaction.commit()?;
    Ok(rows)
}

fn columns(project: &Project) -> Columns {
    (
        project.dir.clone(),
        project.hash.clone(),
        project.path.clone(),
        name_of(&project.path_source),
    )
}

/// The row of a project that has none yet. The same project gets the same row in every index.
pub(crate) fn row_of(catalog: &Catalog, at: usize) -> ProjectRowId {
    let entry = &catalog.projects()[at];
    let host = catalog.host_of(at).unwrap_or_default();
    let identity = catalog.identity_of(entry);
    let number = Fingerprint::of_parts([host, &identity])
        .short()
        .cast_signed();
    ProjectRowId(number & i64::MAX)
}

/// Writes the row of a project that was found on disk.
pub(super) fn put(
    transaction: &Transaction<'_>,
    catalog: &Catalog,
    at: usize,
) -> Result<(), ArchiveError> {
    let entry = &catalog.projects()[at];
    let id = row_of(catalog, at);
    write_row(
        transaction,
        id,
        catalog.host_of(at),
        columns(entry.project()),
        &[],
    )
}

fn write_row(
    transaction: &Transaction<'_>,
    id: ProjectRowId,
    host: Option<&str>,
    (dir, hash, path, source): Columns,
    dirs: &[Dir],
) -> Result<(), ArchiveError> {
    let places = serde_json::to_string(dirs).unwrap_or_default();
    transaction
        .prepare_cached(
            "INSERT INTO project(id, host, dir, hash, path, path_source, dirs)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE
             SET host = ?2, dir = ?3, hash = ?4, path = ?5, path_source = ?6, dirs = ?7",
        )?
        .execute((
            id,
            host.unwrap_or_default(),
            dir,
            hash,
            path,
            source,
            places,
        ))?;
    sums::put_project(transaction, id)
}

/// The name under which an index in memory notes the state of a project.
fn part(with_facts: bool) -> &'static str {
    if with_facts { "facts" } else { "" }
}

/// True if the index has a project from the files that it has now.
pub(super) fn is_indexed(
    connection: &Connection,
    catalog: &Catalog,
    at: usize,
    with_facts: bool,
) -> Result<bool, ArchiveError> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM indexed WHERE home = ?1 AND dir >= ?2 AND up_to = ?3")?;
    let state = catalog.projects()[at].state().cast_signed();
    Ok(statement.exists((row_of(catalog, at), part(with_facts), state))?)
}

/// Notes that the index has a project from the files that it has now.
pub(super) fn note_indexed(
    transaction: &Transaction<'_>,
    catalog: &Catalog,
    at: usize,
    with_facts: bool,
) -> Result<(), ArchiveError> {
    let state = catalog.projects()[at].state().cast_signed();
    transaction
        .prepare_cached("INSERT OR REPLACE INTO indexed(home, dir, up_to) VALUES(?1, ?2, ?3)")?
        .execute((row_of(catalog, at), part(with_facts), state))?;
    Ok(())
}

/// True if a project was indexed without facts, which is forgotten then.
pub(super) fn drop_facts(
    transaction: &Transaction<'_>,
    catalog: &Catalog,
    at: usize,
) -> Result<bool, ArchiveError> {
    let dropped = transaction
        .prepare_cached("DELETE FROM indexed WHERE home = ?1 AND dir = ''")?
        .execute([row_of(catalog, at)])?;
    Ok(dropped > 0)
}

/// Removes projects that an index in memory has no longer any use for.
pub(crate) fn retain(
    connection: &Connection,
    wanted: impl Fn(ProjectRowId) -> bool,
) -> Result<(), ArchiveError> {
    let transaction = connection.unchecked_transaction()?;
    for project in known(&transaction)?.iter().filter(|it| !wanted(it.id)) {
        let change = index_file::next_change(&transaction)?;
        for session in known::sessions(&transaction, project.id)?.into_values() {
            write::delete(&transaction, session.id, change)?;
        }
        transaction.execute("DELETE FROM project WHERE id = ?1", [project.id])?;
        transaction.execute("DELETE FROM indexed WHERE home = ?1", [project.id])?;
    }
    Ok(transaction.commit()?)
}
