//! A library of everything that an archive holds, and of what the disk has beyond that.

use std::sync::Arc;

use rusqlite::Connection;

use super::merge::{look_elsewhere, merge};
use super::shelf::Shelf;
use super::snapshot::Snapshot;
use crate::Hints;
use crate::archive::db::ids::HomeRowId;
use crate::archive::db::mark::Mark;
use crate::archive::db::pool::Pool;
use crate::archive::db::{ArchiveError, schema};
use crate::archive::raw::whereabouts::Whereabouts;
use crate::archive::views;
use crate::archive::views::rows::Prefetcher;
use crate::discover::Found;
use crate::library::Library;

/// Everything that the archive holds and that the disk has. Quick if both say the same; otherwise
/// sessions are put together from both.
pub(crate) fn library(
    pool: &Arc<Pool>,
    prefetcher: &Prefetcher,
    snapshot: Snapshot,
    disk: Vec<Found>,
    whereabouts: &Whereabouts,
    hints: &Hints,
) -> Result<Library, ArchiveError> {
    let library = pool.with(|connection| {
        // As all of it is at one moment, whatever is written meanwhile.
        let _moment = connection.unchecked_transaction()?;
        let snapshot = if snapshot.mark == Mark::read(connection)? {
            snapshot
        } else {
            Snapshot::read(pool, connection)?
        };
        let is_same = snapshot.behind(&disk, whereabouts).is_none() && snapshot.knows_paths(hints);
        let disk = snapshot.without_forgotten(disk, whereabouts);
        let Snapshot {
            mut found, homes, ..
        } = snapshot;
        look_elsewhere(&mut found, &disk, whereabouts);
        if is_same && is_fresh(connection)? {
            return by_views(pool, prefetcher, connection, found, &homes);
        }
        merge(&mut found, disk, whereabouts);
        Ok::<_, ArchiveError>(Library::of(found, hints))
    })?;
    Ok(library.of_archive(pool.path(), whereabouts.host.as_deref()))
}

fn by_views(
    pool: &Arc<Pool>,
    prefetcher: &Prefetcher,
    connection: &Connection,
    found: Vec<Found>,
    homes: &[HomeRowId],
) -> Result<Library, ArchiveError> {
    let known = views::known_projects(connection)?;
    let projects = known.iter().map(|it| it.entry(&found, homes)).collect();
    let rows = known.iter().map(|project| project.id).collect();
    let shelf = Shelf::new(Arc::clone(pool), prefetcher.clone(), rows);
    Ok(Library::with_views(found, projects, Box::new(shelf)))
}

/// Whether the views fit the files.
pub(crate) fn is_fresh(connection: &Connection) -> Result<bool, ArchiveError> {
    // Views of another version may have other tables.
    Ok(schema::has_our_views(connection)?
        && !connection
            .prepare_cached("SELECT 1 FROM stale UNION ALL SELECT 1 FROM touched")?
            .exists([])?)
}
