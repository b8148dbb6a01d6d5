//! A library of everything that an archive holds, and of what the disk has beyond that.

use rusqlite::Connection;

use super::merge::{look_elsewhere, merge};
use super::shelf::Shelf;
use super::snapshot::{Mark, Snapshot};
use crate::Hints;
use crate::archive::db::{ArchiveError, schema};
use crate::archive::raw::changes::Whereabouts;
use crate::archive::{Archive, views};
use crate::discover::Found;
use crate::library::Library;

impl Archive {
    /// Whether its views fit its files. They do not after a run was interrupted, and after gemtrail
    /// was upgraded.
    pub fn is_fresh(&self) -> Result<bool, ArchiveError> {
        self.vault.with(is_fresh)
    }

    /// What it knows now.
    pub fn snapshot(&self) -> Result<Snapshot, ArchiveError> {
        self.vault.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Snapshot::read(&self.vault, connection)
        })
    }

    /// Everything that it holds and that the disk has. Quick if both say the same; otherwise
    /// sessions are put together from both.
    pub fn library(
        &self,
        snapshot: Snapshot,
        disk: Vec<Found>,
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Library, ArchiveError> {
        let library = self.vault.with(|connection| {
            // As all of it is at one moment, whatever is written meanwhile.
            let _moment = connection.unchecked_transaction()?;
            let snapshot = if snapshot.mark == Mark::read(connection)? {
                snapshot
            } else {
                Snapshot::read(&self.vault, connection)?
            };
            let is_same =
                snapshot.behind(&disk, whereabouts).is_none() && snapshot.knows_paths(hints);
            let disk = snapshot.without_forgotten(disk, whereabouts);
            let Snapshot {
                mut found, homes, ..
            } = snapshot;
            look_elsewhere(&mut found, &disk, whereabouts);
            if is_same && is_fresh(connection)? {
                return self.by_views(connection, found, &homes);
            }
            merge(&mut found, disk, whereabouts);
            Ok::<_, ArchiveError>(Library::of(found, hints))
        })?;
        Ok(library.of_archive(self.path(), whereabouts.host.as_deref()))
    }

    fn by_views(
        &self,
        connection: &Connection,
        found: Vec<Found>,
        homes: &[i64],
    ) -> Result<Library, ArchiveError> {
        let known = views::known_projects(connection)?;
        let projects = known.iter().map(|it| it.entry(&found, homes)).collect();
        let rows = known.iter().map(|project| project.id).collect();
        let known = Shelf::new(self.clone(), rows);
        Ok(Library::with_views(found, projects, Box::new(known)))
    }
}

fn is_fresh(connection: &Connection) -> Result<bool, ArchiveError> {
    // Views of another version may have other tables.
    Ok(schema::has_our_views(connection)?
        && !connection
            .prepare_cached("SELECT 1 FROM stale UNION ALL SELECT 1 FROM touched")?
            .exists([])?)
}
