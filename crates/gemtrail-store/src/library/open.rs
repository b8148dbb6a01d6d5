//! Opens a library: from the disk alone, or from an archive.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use gemtrail_core::Fingerprint;
use gemtrail_core::model::Diagnostic;
use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::{Found, FoundFile, discover};
use gemtrail_home::source::begins_with;
use rusqlite::Connection;

use super::Library;
use super::marks::MarkedSessions;
use super::tables::Tables;
use crate::db::ArchiveError;
use crate::db::ids::{Dir, HomeRowId};
use crate::db::index_file::last_change;
use crate::db::pool::Pool;
use crate::index::{self, KnownProject};
use crate::raw::changes::excluded;
use crate::raw::files::{ArchivedFiles, look_elsewhere};
use crate::raw::homes::Machine;
use crate::raw::tree;
use crate::{Hints, Places, ProjectEntry, StoreError};

impl Library {
    /// Scans the homes. Reads names and headers, and the starts of files in projects whose root
    /// path is neither in a marker nor in a registry.
    pub fn open(places: &Places) -> Result<Self, StoreError> {
        Self::open_with(places, &Hints::default())
    }

    /// Scans the homes, with hints for finding root paths.
    pub fn open_with(places: &Places, hints: &Hints) -> Result<Self, StoreError> {
        let found = places.homes()?.iter().map(discover).collect();
        Ok(Self::of_files(Catalog::of(found, hints), None))
    }

    /// Adds what was odd about the disk.
    pub(crate) fn with_diagnostics(mut self, more: Vec<Diagnostic>) -> Self {
        self.catalog = self.catalog.with_diagnostics(more);
        self
    }

    /// A library of files, with an index in memory: this one, or else a new one.
    pub(crate) fn of_files(catalog: Catalog, memory: Option<Arc<Pool>>) -> Self {
        let mut library = Self::default();
        let pool = memory.map_or_else(Pool::in_memory, Ok);
        match pool {
            Ok(pool) => {
                let projects = 0..catalog.projects().len();
                library.tables = vec![Tables::on_demand(pool, &catalog, projects)];
            }
            Err(error) => library.note_fault(&error),
        }
        Self { catalog, ..library }
    }

    /// Everything in an archive, and the excluded projects that are on disk. Without a usable index,
    /// one is made in memory from the stored files.
    pub(crate) fn of_archive(
        pool: &Arc<Pool>,
        disk: &[Found],
        machine: &Machine,
        hints: &Hints,
    ) -> Result<Self, ArchiveError> {
        let here = machine.host.as_deref();
        let library = pool.with(|connection| {
            // A consistent state, whatever is written meanwhile.
            let _moment = connection.unchecked_transaction()?;
            let marked = MarkedSessions::read(connection, here)?;
            let places = disk.iter().flat_map(Found::unreadable).cloned().collect();
            let known = pool.has_index().then(|| index::known_projects(connection));
            let known = match known.transpose() {
                // It is made anew when the archive is next written.
                Err(ArchiveError::Damaged { .. }) => None,
                known => known?,
            };
            let Some(mut known) = known else {
                let (mut found, _) = tree::homes(pool, connection)?;
                look_elsewhere(&mut found, disk, machine);
                let catalog = Catalog::of(found, hints).with_diagnostics(places);
                let library = Self::of_files(catalog.seen_from(here), None);
                return Ok(Self { marked, ..library });
            };
            let (mut heads, homes) = tree::heads(connection)?;
            let files = ArchivedFiles::new(pool, (&heads, &homes), disk, machine);
            let found = (heads.as_slice(), disk);
            let beside = Beside::new(pool, connection, found, machine, (&known, hints))?;
            heads.extend(beside.strangers.iter().map(Found::without_projects));
            let beside = beside.take_from(&mut known, &homes, hints);
            let lazy = known.iter().map(|it| it.lazy(files.loader(), &homes));
            let catalog = Catalog::of_projects(heads, lazy.collect());
            let rows = known.iter().map(|it| it.id);
            let mut tables = vec![Tables::of_archive(pool, rows, last_change(connection)?)];
            let (first, count) = (known.len(), beside.projects().len());
            let catalog = catalog.with_projects(beside).with_diagnostics(places);
            let catalog = catalog.seen_from(here);
            if count > 0 {
                let memory = Pool::in_memory()?;
                tables.push(Tables::on_demand(memory, &catalog, first..first + count));
            }
            Ok::<_, ArchiveError>(Self {
                catalog,
                tables,
                files: Some(files),
                raw_state: raw_state(connection)?,
                marked,
                ..Self::default()
            })
        })?;
        Ok(Self {
            archive: Some(pool.path().to_owned()),
            damage: pool.damage().clone(),
            ..library
        })
    }
}

/// Changes with everything that a reader of the raw layer may notice.
fn raw_state(connection: &Connection) -> Result<i64, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(max(max(touched, stale)), 0), (SELECT count(*) FROM forgotten),
                (SELECT coalesce(sum(id), 0) FROM file WHERE gone IS NOT NULL) FROM dir",
    )?;
    let state = statement.query_row([], |row| {
        Ok([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?])
    })?;
    let parts = state.map(i64::to_le_bytes);
    Ok(Fingerprint::of_parts(parts).short().cast_signed())
}

/// Projects that are read from files although there is an archive: excluded ones of which the disk has
/// files that the archive lacks or has in another state, and those of homes that the archive does not
/// know. Only `sync` takes in a home.
struct Beside {
    /// The homes of the archive with the files of these directories, from the disk as far as they are
    /// there.
    found: Vec<Found>,
    dirs: Vec<Dir>,
    /// Homes that the archive does not know.
    strangers: Vec<Found>,
}

impl Beside {
    fn new(
        pool: &Arc<Pool>,
        connection: &Connection,
        (heads, disk): (&[Found], &[Found]),
        machine: &Machine,
        (known, hints): (&[KnownProject], &Hints),
    ) -> Result<Self, ArchiveError> {
        let is_stranger = |now: &&Found| {
            let is_known = heads.iter().any(|it| machine.are_of(it, now));
            !is_known && !now.projects.is_empty()
        };
        let mut strangers: Vec<Found> = disk.iter().filter(is_stranger).cloned().collect();
        for found in &mut strangers {
            Machine {
                host: found.host,
                user: found.user,
            } = machine.of(found);
        }
        let excluded = excluded(connection)?;
        if excluded.is_empty() && strangers.is_empty() {
            return Ok(Self {
                found: heads.to_vec(),
                dirs: Vec::new(),
                strangers,
            });
        }
        // A project of which a stranger has something is put together from both.
        let mut shared: Vec<Dir> = Vec::new();
        if !strangers.is_empty() {
            let catalog = Catalog::of(strangers.clone(), hints);
            let hashes = catalog
                .projects()
                .iter()
                .filter_map(ProjectEntry::known_hash);
            let hashes: HashSet<&String> = hashes.collect();
            let is_shared =
                |it: &&KnownProject| it.hash().is_some_and(|hash| hashes.contains(hash));
            let projects = known.iter().filter(is_shared);
            shared.extend(projects.flat_map(|it| it.dirs().iter().cloned()));
        }
        let wanted: HashSet<Dir> = excluded.iter().chain(&shared).cloned().collect();
        let (mut found, homes) = tree::homes_with(pool, connection, Some(&wanted))?;
        let forgotten = tree::forgotten(connection)?;
        let mut changed = shared;
        for (found, home) in found.iter_mut().zip(homes) {
            found
                .projects
                .retain(|it| wanted.contains(&(home, it.name.clone())));
            let now = disk.iter().find(|now| machine.are_of(found, now));
            let projects = now.into_iter().flat_map(|now| &now.projects);
            for now in projects.filter(|it| excluded.contains(&(home, it.name.clone()))) {
                let at = found.projects.iter().position(|it| it.name == now.name);
                let at = at.unwrap_or_else(|| {
                    let mut empty = now.clone();
                    empty.files.clear();
                    found.projects.push(empty);
                    found.projects.len() - 1
                });
                let is_forgotten = |file: &FoundFile| {
                    let below = file.path.strip_prefix(&found.home.root);
                    let files = forgotten.get(&home);
                    let then = below.ok().and_then(|below| files?.get(below));
                    then.is_some_and(|then| then.is(&file.stat))
                };
                let mut files = now.files.clone();
                files.retain(|file| !is_forgotten(file));
                let known = &mut found.projects[at];
                if add_disk(&mut known.files, files) {
                    known.markers.clone_from(&now.markers);
                    changed.push((home, now.name.clone()));
                }
            }
        }
        Ok(Self {
            found,
            dirs: changed,
            strangers,
        })
    }

    /// These projects. Removes them from those that the index knows.
    fn take_from(
        mut self,
        known: &mut Vec<KnownProject>,
        homes: &[HomeRowId],
        hints: &Hints,
    ) -> Catalog {
        if self.dirs.is_empty() && self.strangers.is_empty() {
            return Catalog::default();
        }
        // All directories of a project are handled together.
        known.retain(|project| {
            let is_excluded = project.dirs().iter().any(|dir| self.dirs.contains(dir));
            if is_excluded {
                self.dirs.extend(project.dirs().iter().cloned());
            }
            !is_excluded
        });
        for (found, home) in self.found.iter_mut().zip(homes) {
            let is_excluded = |dir: &str| self.dirs.contains(&(*home, dir.to_owned()));
            found.projects.retain(|project| is_excluded(&project.name));
        }
        let mut hints = hints.clone();
        let paths = known.iter().filter_map(KnownProject::path);
        hints.taught.extend(paths.cloned());
        self.found.extend(self.strangers);
        Catalog::of(self.found, &hints)
    }
}

/// Adds the files of the disk to those of the archive. False if the archive has all of them as they
/// are.
fn add_disk(known: &mut Vec<FoundFile>, disk: Vec<FoundFile>) -> bool {
    let mut is_changed = false;
    let places = known.iter().enumerate();
    let places = places.map(|(at, file)| (file.path.clone(), at));
    let places: HashMap<_, _> = places.collect();
    for mut now in disk {
        let Some(&at) = places.get(Path::new(&now.path)) else {
            is_changed = true;
            known.push(now);
            continue;
        };
        let then = &mut known[at];
        if then.stat.is(&now.stat) {
            continue;
        }
        is_changed = true;
        // A file that grew has all that it had.
        let mut earlier = std::mem::take(&mut then.versions.earlier);
        if let Some(latest) = &then.versions.latest {
            let has_grown = || begins_with(now.open()?, latest.open()?);
            if !has_grown().unwrap_or(false) {
                earlier.push(Arc::clone(latest));
            }
        }
        now.versions.earlier = earlier;
        now.versions.archived = then.versions.archived;
        now.versions.session.clone_from(&then.versions.session);
        *then = now;
    }
    known.sort_by(|one, other| one.path.cmp(&other.path));
    is_changed
}
