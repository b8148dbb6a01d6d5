//! Which projects have stale views.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::Connection;

use super::due::{Due, Extent};
use super::{known, project, taught};
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{Dir, HomeRowId, ProjectRowId};
use crate::archive::db::pool::Pool;
use crate::archive::raw::current::read_from_disk;
use crate::archive::raw::options::SyncOptions;
use crate::archive::raw::tree;
use crate::library::Library;
use crate::project::ProjectEntry;

/// The projects with stale views, and their files.
pub(super) struct Scope {
    pub(super) library: Library,
    /// The rows of its homes.
    pub(super) homes: Vec<HomeRowId>,
    /// Indices in the library, rows, and how much of each project must be examined.
    pub(super) projects: Vec<(usize, ProjectRowId, Extent)>,
}

impl Scope {
    pub(super) fn entry(&self, at: usize) -> &ProjectEntry {
        &self.library.projects()[at]
    }

    /// Finds them through the views, if no directory can have become another project. This is the
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
        known.retain(|project| project.dirs.iter().any(|dir| due.touched.contains(dir)));
        // A project without a path may find one in what is new.
        let are_proven = known.iter().all(|project| project.path().is_some());
        let dirs: HashSet<Dir> = known.iter().flat_map(|it| it.dirs.clone()).collect();
        if !are_proven || !due.touched.is_subset(&dirs) {
            return Ok(None);
        }
        // Another project may have taken over a directory; what the former one had there stays its
        // own.
        for project in &known {
            if !known::places(connection, project.id)?.is_subset(&dirs) {
                return Ok(None);
            }
        }
        let (mut found, homes) = tree::homes_with(pool, connection, Some(&dirs))?;
        read_from_disk(&mut found);
        let entries = known.iter().map(|it| it.entry(&found, &homes)).collect();
        let rows = known.iter().enumerate();
        Ok(Some(Self {
            projects: rows
                .map(|(at, project)| (at, project.id, Extent::Changes))
                .collect(),
            library: Library::of_projects(found, entries),
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
        let library = Library::of(found, &hints);
        let projects = project::settle(connection, &library, &homes, &known, due)?;
        Ok(Self {
            library,
            homes,
            projects,
        })
    }
}
