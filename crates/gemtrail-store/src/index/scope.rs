//! The projects that the index lacks something of.

use std::collections::HashSet;
use std::sync::Arc;

use gemtrail_home::antigravity::is_conversation_dir;
use gemtrail_home::catalog::Catalog;
use gemtrail_home::conversations;
use gemtrail_home::discover::ProjectDir;
use gemtrail_home::project::ProjectEntry;
use rusqlite::{Connection, Transaction};

use super::{project, taught};
use crate::db::ArchiveError;
use crate::db::ids::{Dir, HomeRowId, ProjectRowId};
use crate::db::pool::Pool;
use crate::raw::current::read_from_disk;
use crate::raw::options::SyncOptions;
use crate::raw::tree;

/// The extent to which a project must be examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// What changed, and what that affects.
    Changes,
    /// Everything: it may be another project now.
    Whole,
}

/// Directories that changed since they were indexed.
pub(super) struct Due {
    all: HashSet<Dir>,
    /// Those that may be of another project now.
    pub(super) stale: HashSet<Dir>,
}

impl Due {
    pub(super) fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT dir.home, dir.dir, stale > coalesce(up_to, -1)
             FROM dir LEFT JOIN indexed ON indexed.home = dir.home AND indexed.dir = dir.dir
             WHERE max(touched, stale) > coalesce(up_to, -1)",
        )?;
        let mut rows = statement.query([])?;
        let (mut all, mut stale) = (HashSet::new(), HashSet::new());
        while let Some(row) = rows.next()? {
            let dir: Dir = (row.get(0)?, row.get(1)?);
            if row.get(2)? {
                stale.insert(dir.clone());
            }
            all.insert(dir);
        }
        Ok(Self { all, stale })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn contains(&self, dir: &Dir) -> bool {
        self.all.contains(dir)
    }

    pub(super) fn dirs(&self) -> impl Iterator<Item = &Dir> {
        self.all.iter()
    }

    /// Notes that a directory is indexed as it is. Whoever indexes is the only writer.
    pub(super) fn is_done(transaction: &Transaction<'_>, dir: &Dir) -> Result<(), ArchiveError> {
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO indexed(home, dir, up_to)
                 SELECT home, dir, max(touched, stale) FROM dir WHERE home = ?1 AND dir = ?2",
            )?
            .execute((dir.0, &dir.1))?;
        Ok(())
    }
}

/// The projects that the index lacks something of, and their files.
pub(super) struct Scope {
    pub(super) catalog: Catalog,
    /// The rows of its homes.
    pub(super) homes: Vec<HomeRowId>,
    /// Indices in the catalog, rows, and how much of each project must be examined.
    pub(super) projects: Vec<(usize, ProjectRowId, Extent)>,
}

impl Scope {
    pub(super) fn entry(&self, at: usize) -> &ProjectEntry {
        &self.catalog.projects()[at]
    }

    /// Finds them through the index, if no directory can have become another project. This is the
    /// common case while someone works, so it looks at nothing else.
    pub(super) fn of_known(
        connection: &Connection,
        pool: &Arc<Pool>,
        due: &Due,
    ) -> Result<Option<Self>, ArchiveError> {
        if !due.stale.is_empty() {
            return Ok(None);
        }
        let mut known = project::known(connection)?;
        known.retain(|project| project.dirs.iter().any(|dir| due.contains(dir)));
        // A project without a path may find one in what is new.
        let are_proven = known.iter().all(|project| project.path().is_some());
        let dirs: HashSet<Dir> = known.iter().flat_map(|it| it.dirs.clone()).collect();
        if !are_proven || !due.dirs().all(|dir| dirs.contains(dir)) {
            return Ok(None);
        }
        let (mut found, homes) = tree::homes_with(pool, connection, Some(&dirs))?;
        for project in &known {
            let path = project.path().map(String::as_str).unwrap_or_default();
            let places = tree::places(&project.dirs, &homes);
            let dirs = places.iter().filter_map(|(home, dir)| {
                let is_due = due.contains(&(*homes.get(*home)?, dir.clone()));
                let is_it = |it: &&ProjectDir| it.name == *dir && is_due;
                found.get(*home)?.projects.iter().find(is_it)
            });
            let dirs = dirs.filter(|it| is_conversation_dir(&it.name));
            if conversations::has_moved(path, dirs) {
                return Ok(None);
            }
        }
        read_from_disk(&mut found);
        let entries = known.iter().map(|it| it.entry(&found, &homes)).collect();
        let rows = known.iter().enumerate();
        Ok(Some(Self {
            projects: rows
                .map(|(at, project)| (at, project.id, Extent::Changes))
                .collect(),
            catalog: Catalog::of_projects(found, entries),
            homes,
        }))
    }

    /// Finds them by examining all projects.
    pub(super) fn of_all(
        connection: &mut Connection,
        pool: &Arc<Pool>,
        options: &SyncOptions,
        due: &Due,
    ) -> Result<Self, ArchiveError> {
        let (mut found, homes) = tree::homes(pool, connection)?;
        read_from_disk(&mut found);
        let known = project::known(connection)?;
        let mut hints = options.hints.clone();
        hints.taught.extend(taught::paths(connection)?);
        // A path found once is proven again by its digest alone.
        hints
            .taught
            .extend(known.iter().filter_map(|project| project.path().cloned()));
        let catalog = Catalog::of(found, &hints);
        let projects = project::settle(connection, &catalog, &homes, &known, due)?;
        Ok(Self {
            catalog,
            homes,
            projects,
        })
    }
}
