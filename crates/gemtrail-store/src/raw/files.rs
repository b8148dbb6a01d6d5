//! The files of an archive, loaded when somebody asks for them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gemtrail_home::discover::Found;
use gemtrail_home::paths::text_of;
use gemtrail_home::project::{FileLoader, Files, Load};
use gemtrail_home::source::Stat;
use rusqlite::Connection;

use super::homes::Machine;
use super::tree;
use crate::db::ArchiveError;
use crate::db::columns::Name;
use crate::db::ids::HomeRowId;
use crate::db::pool::Pool;

/// The files of an archive.
#[derive(Debug)]
pub(crate) struct ArchivedFiles {
    pool: Arc<Pool>,
    /// The homes on disk, without their files.
    disk: Vec<Found>,
    machine: Machine,
    /// The rows of the homes of the archive.
    homes: Vec<HomeRowId>,
    /// Their roots, and whether each is one of those on disk.
    roots: Vec<(PathBuf, bool)>,
    all: OnceLock<Vec<Found>>,
    besides: OnceLock<Vec<Found>>,
    /// The files of each home that were on disk once.
    gone: OnceLock<Vec<HashSet<String>>>,
    fault: OnceLock<String>,
}

impl ArchivedFiles {
    /// The files of these homes of the archive, which come with their rows. Some of them are on disk.
    pub(crate) fn new(
        pool: &Arc<Pool>,
        (heads, homes): (&[Found], &[HomeRowId]),
        disk: &[Found],
        machine: &Machine,
    ) -> Arc<Self> {
        let root = |head: &Found| {
            let is_here = disk.iter().any(|it| machine.are_of(head, it));
            (head.home.root.clone(), is_here)
        };
        Arc::new(Self {
            pool: Arc::clone(pool),
            roots: heads.iter().map(root).collect(),
            homes: homes.to_vec(),
            disk: disk.iter().map(Found::without_projects).collect(),
            machine: machine.clone(),
            all: OnceLock::new(),
            besides: OnceLock::new(),
            gone: OnceLock::new(),
            fault: OnceLock::new(),
        })
    }

    /// Returns a loader for the files of a project.
    pub(crate) fn loader(self: &Arc<Self>) -> FileLoader {
        let files = Arc::clone(self);
        FileLoader(Arc::new(move |dirs, load| match load {
            Load::All => tree::files_in(files.all(), dirs),
            Load::Besides => tree::files_in(files.besides(), dirs),
            Load::Rows(rows) => {
                let found = files.ask(|connection| tree::files(&files.pool, connection, rows));
                let mut found = files.placed(found);
                // In the order of the disk, whatever was taken in first.
                let place = |home: usize| dirs.iter().position(|(of_dir, _)| *of_dir == home);
                found.sort_by(|(a, one), (b, other)| {
                    let by_home = place(*a).cmp(&place(*b));
                    by_home.then_with(|| one.path.cmp(&other.path))
                });
                found
            }
        }))
    }

    /// The reason why something could not be loaded, if so.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// True if a journal in one of these directories exists on disk.
    pub(crate) fn is_on_disk(&self, dirs: &[(usize, String)], journal: &str) -> bool {
        let path = Path::new(journal);
        dirs.iter().any(|(home, _)| match self.roots.get(*home) {
            Some((root, _)) if !path.starts_with(root) => false,
            Some((_, true)) => !self.is_gone(*home, journal),
            // This home was not scanned.
            _ => path.exists(),
        })
    }

    /// The answer of the archive; nothing if it fails, which is then recorded.
    fn ask<T: Default>(&self, question: impl FnOnce(&Connection) -> Result<T, ArchiveError>) -> T {
        self.pool.with(question).unwrap_or_else(|error| {
            self.fault.get_or_init(|| error.to_string());
            T::default()
        })
    }

    fn placed(&self, found: Vec<(HomeRowId, crate::FoundFile)>) -> Files {
        let placed = |(home, file)| {
            let home = self.homes.iter().position(|known| *known == home)?;
            Some((home, file))
        };
        found.into_iter().filter_map(placed).collect()
    }

    fn all(&self) -> &[Found] {
        self.all.get_or_init(|| {
            let homes = self.ask(|connection| tree::homes(&self.pool, connection));
            let (mut found, _): (Vec<Found>, Vec<HomeRowId>) = homes;
            look_elsewhere(&mut found, &self.disk, &self.machine);
            found
        })
    }

    fn besides(&self) -> &[Found] {
        self.besides.get_or_init(|| {
            let mut found = self.ask(|connection| tree::homes_besides(&self.pool, connection));
            look_elsewhere(&mut found, &self.disk, &self.machine);
            found
        })
    }

    fn is_gone(&self, home: usize, journal: &str) -> bool {
        let gone = self.gone.get_or_init(|| self.ask(gone));
        gone.get(home).is_some_and(|gone| gone.contains(journal))
    }
}

/// The files of each home that were on disk once.
fn gone(connection: &Connection) -> Result<Vec<HashSet<String>>, ArchiveError> {
    let (found, ids) = tree::heads(connection)?;
    let mut statement =
        connection.prepare_cached("SELECT path FROM file WHERE home = ?1 AND gone IS NOT NULL")?;
    let mut gone = Vec::new();
    for (found, id) in found.iter().zip(ids) {
        let path = |name: Name| text_of(&found.home.root.join(name.0)).into_owned();
        let names = statement.query_map([id], |row| row.get(0))?;
        gone.push(names.map(|name| name.map(path)).collect::<Result<_, _>>()?);
    }
    Ok(gone)
}

/// Checks whether files of homes that were not scanned still exist, as far as this machine can
/// tell.
pub(crate) fn look_elsewhere(archived: &mut [Found], disk: &[Found], machine: &Machine) {
    let is_here = |found: &Found| disk.iter().any(|it| machine.are_of(found, it));
    for found in archived.iter_mut().filter(|found| !is_here(found)) {
        // Another machine may have another file at the same path, unless its disk is mounted here;
        // but the name of a journal identifies its session.
        let is_ours = found.host == machine.host;
        for project in &mut found.projects {
            for file in &mut project.files {
                let is_sure = is_ours || file.kind.is_journal();
                let now = std::fs::metadata(&file.path).map(|now| Stat::of(&now));
                file.on_disk = now.is_ok_and(|now| is_sure || now.is(&file.stat));
            }
        }
    }
}
