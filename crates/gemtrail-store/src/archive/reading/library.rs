//! A library of everything in an archive, and of what the disk has beyond that.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::Connection;

use super::merge::{look_elsewhere, merge};
use super::snapshot::{Compared, Snapshot, is_fresh};
use super::stacks::ArchiveStacks;
use super::views::ArchiveViews;
use crate::Hints;
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{Dir, HomeRowId};
use crate::archive::db::mark::{Generation, Mark};
use crate::archive::db::pool::Pool;
use crate::archive::raw::whereabouts::Whereabouts;
use crate::archive::raw::{exclude, listing, tree};
use crate::archive::views::rows::Prefetcher;
use crate::archive::views::{self, KnownProject};
use crate::discover::Found;
use crate::library::Library;
use crate::project::Stacks;

/// Everything in the archive and on disk. Fast if both agree; otherwise sessions are assembled from
/// both.
pub(crate) fn library(
    pool: &Arc<Pool>,
    prefetcher: &Prefetcher,
    compared: Compared,
    disk: Vec<Found>,
    whereabouts: &Whereabouts,
    hints: &Hints,
) -> Result<Library, ArchiveError> {
    let library = pool.with(|connection| {
        // A consistent snapshot, whatever is written meanwhile.
        let _moment = connection.unchecked_transaction()?;
        let Compared {
            snapshot,
            is_current,
        } = if compared.snapshot.mark == Mark::read(connection)? {
            compared
        } else {
            let snapshot = Snapshot::read(pool, connection)?;
            snapshot.compared(connection, &disk, whereabouts, hints)?
        };
        let excluded = snapshot.excluded_on_disk(&disk, whereabouts);
        let places = disk.iter().flat_map(Found::unreadable).cloned().collect();
        let disk = snapshot.without_forgotten(disk, whereabouts);
        let Snapshot {
            mut found, homes, ..
        } = snapshot;
        look_elsewhere(&mut found, &disk, whereabouts);
        if is_current {
            let mut known = views::known_projects(connection)?;
            let mut beside = Library::default();
            if !excluded.is_empty() {
                let mut merged = found.clone();
                merge(&mut merged, disk, whereabouts);
                beside = beside_views(&mut known, excluded, merged, &homes, hints);
            }
            let rows = known.iter().map(|project| project.id).collect();
            let generation = Generation::read(connection)?;
            let views = ArchiveViews::new((Arc::clone(pool), prefetcher.clone()), generation, rows);
            let library = by_views(views, &known, found, &homes, &beside);
            return Ok(library.with_diagnostics(places));
        }
        merge(&mut found, disk, whereabouts);
        Ok::<_, ArchiveError>(Library::of(found, hints))
    })?;
    Ok(library.of_archive(pool.path(), whereabouts.host.as_deref(), pool.damage()))
}

/// A library that looks up what it is asked for. `None` if the disk may have something that the
/// archive does not have. The homes come with their digests.
pub(crate) fn looked_up(
    pool: &Arc<Pool>,
    prefetcher: &Prefetcher,
    homes: &[(&Found, &[u8])],
    whereabouts: &Whereabouts,
    hints: &Hints,
) -> Result<Option<Library>, ArchiveError> {
    pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        let knows_paths = || -> Result<bool, ArchiveError> {
            let known = views::taught::if_it_matters(connection)?;
            Ok(known.is_none_or(|known| hints.taught.iter().all(|it| known.contains(it))))
        };
        let is_current = can_be_looked_up(connection)?
            && listing::is_as_noted(connection, homes, whereabouts)?
            && knows_paths()?;
        if !is_current {
            return Ok(None);
        }
        let homes = homes.iter().map(|(found, _)| found.without_projects());
        in_stacks((pool, connection), prefetcher, homes.collect(), whereabouts).map(Some)
    })
}

/// A library that looks up what it is asked for, whatever the homes on disk have now. `None` if that
/// is not possible.
pub(crate) fn as_it_was(
    pool: &Arc<Pool>,
    prefetcher: &Prefetcher,
    homes: Vec<Found>,
    whereabouts: &Whereabouts,
) -> Result<Option<Library>, ArchiveError> {
    pool.with(|connection| {
        let _moment = connection.unchecked_transaction()?;
        if can_be_looked_up(connection)? {
            in_stacks((pool, connection), prefetcher, homes, whereabouts).map(Some)
        } else {
            Ok(None)
        }
    })
}

/// Whether the archive has every file of these homes as it is: the disk looks as it did when that was
/// noted, and nothing was left out or forgotten, which does not count as lacking.
pub(crate) fn has_everything(
    connection: &Connection,
    disk: &[Found],
    whereabouts: &Whereabouts,
) -> Result<bool, ArchiveError> {
    let _moment = connection.unchecked_transaction()?;
    if !exclude::excluded(connection)?.is_empty() || !tree::forgotten(connection)?.is_empty() {
        return Ok(false);
    }
    let digests: Vec<Vec<u8>> = disk.iter().map(listing::digest).collect();
    let homes = disk.iter().zip(digests.iter().map(Vec::as_slice));
    listing::is_as_noted(connection, &homes.collect::<Vec<_>>(), whereabouts)
}

/// Whether the views have everything that the files have.
fn can_be_looked_up(connection: &Connection) -> Result<bool, ArchiveError> {
    Ok(is_fresh(connection)? && exclude::excluded(connection)?.is_empty())
}

/// A library of everything in the views. Files are fetched when they are asked for.
fn in_stacks(
    (pool, connection): (&Arc<Pool>, &Connection),
    prefetcher: &Prefetcher,
    disk: Vec<Found>,
    whereabouts: &Whereabouts,
) -> Result<Library, ArchiveError> {
    let places = disk.iter().flat_map(Found::unreadable).cloned().collect();
    let known = views::known_projects(connection)?;
    let (heads, homes) = tree::heads(connection)?;
    let stacks: Arc<dyn Stacks> = Arc::new(ArchiveStacks::new(pool, &heads, disk, whereabouts));
    let in_stacks = known
        .iter()
        .map(|it| it.in_stacks(Arc::clone(&stacks), &homes));
    let projects = in_stacks.collect();
    let rows = known.iter().map(|project| project.id).collect();
    let mark = Mark::read(connection)?;
    let generation = mark.generation();
    let views = ArchiveViews::new((Arc::clone(pool), prefetcher.clone()), generation, rows);
    let library = Library::with_views(heads, projects, Box::new(views));
    let library = library.with_stacks(stacks, mark.to_text());
    let library = library.with_diagnostics(places);
    Ok(library.of_archive(pool.path(), whereabouts.host.as_deref(), pool.damage()))
}

/// A library of projects from the views, and of others.
fn by_views(
    views: ArchiveViews,
    known: &[KnownProject],
    mut found: Vec<Found>,
    homes: &[HomeRowId],
    beside: &Library,
) -> Library {
    let covered = known.iter().map(|it| it.entry(&found, homes));
    let projects = covered.chain(beside.projects().iter().cloned()).collect();
    for (found, beside) in found.iter_mut().zip(beside.homes()) {
        let is_beside = |name: &String| beside.projects.iter().any(|it| it.name == *name);
        found.projects.retain(|project| !is_beside(&project.name));
        found.projects.extend(beside.projects.iter().cloned());
    }
    Library::with_views(found, projects, Box::new(views))
}

/// The excluded projects that have changed on disk, assembled from archive and disk. Removes them
/// from the projects that the views know.
fn beside_views(
    known: &mut Vec<KnownProject>,
    mut excluded: HashSet<Dir>,
    mut merged: Vec<Found>,
    homes: &[HomeRowId],
    hints: &Hints,
) -> Library {
    // All directories of a project are handled together.
    known.retain(|project| {
        let is_excluded = project.dirs().iter().any(|dir| excluded.contains(dir));
        if is_excluded {
            excluded.extend(project.dirs().iter().cloned());
        }
        !is_excluded
    });
    for (found, home) in merged.iter_mut().zip(homes) {
        let is_excluded = |dir: &str| excluded.contains(&(*home, dir.to_owned()));
        found.projects.retain(|project| is_excluded(&project.name));
    }
    let mut hints = hints.clone();
    let paths = known.iter().filter_map(KnownProject::path);
    hints.taught.extend(paths.cloned());
    Library::of(merged, &hints)
}
