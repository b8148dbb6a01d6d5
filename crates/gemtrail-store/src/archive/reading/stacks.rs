//! The files of an archive, looked up when somebody asks for them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rusqlite::Connection;

use super::merge::look_elsewhere;
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::HomeRowId;
use crate::archive::db::name::Name;
use crate::archive::db::pool::Pool;
use crate::archive::raw::tree;
use crate::archive::raw::whereabouts::Whereabouts;
use crate::discover::Found;
use crate::project::{Files, Stacks};
use crate::spelled::text_of;

/// An archive that has everything that is on disk.
#[derive(Debug)]
pub(crate) struct ArchiveStacks {
    pool: Arc<Pool>,
    /// The homes on disk, without their files.
    disk: Vec<Found>,
    whereabouts: Whereabouts,
    /// The root of each home of the archive, and whether it is one of those on disk.
    roots: Vec<(PathBuf, bool)>,
    whole: OnceLock<Vec<Found>>,
    besides: OnceLock<Vec<Found>>,
    /// The files of each home that were on disk once.
    gone: OnceLock<Vec<HashSet<String>>>,
    fault: OnceLock<String>,
}

impl ArchiveStacks {
    /// Stacks with these homes of the archive. Some of them are on disk, as the archive has them.
    pub(crate) fn new(
        pool: &Arc<Pool>,
        heads: &[Found],
        mut disk: Vec<Found>,
        whereabouts: &Whereabouts,
    ) -> Self {
        for found in &mut disk {
            found.projects = Vec::new();
        }
        let root = |head: &Found| {
            let is_here = disk.iter().any(|it| whereabouts.are_of(head, it));
            (head.home.root.clone(), is_here)
        };
        let roots = heads.iter().map(root).collect();
        Self {
            pool: Arc::clone(pool),
            roots,
            disk,
            whereabouts: whereabouts.clone(),
            whole: OnceLock::new(),
            besides: OnceLock::new(),
            gone: OnceLock::new(),
            fault: OnceLock::new(),
        }
    }

    /// What the archive answers; nothing if it fails, which is then recorded.
    fn ask<T: Default>(&self, question: impl FnOnce(&Connection) -> Result<T, ArchiveError>) -> T {
        self.pool.with(question).unwrap_or_else(|error| {
            self.fault.get_or_init(|| error.to_string());
            T::default()
        })
    }

    fn besides_journals(&self) -> &[Found] {
        self.besides.get_or_init(|| {
            let mut found = self.ask(|connection| tree::homes_besides(&self.pool, connection));
            look_elsewhere(&mut found, &self.disk, &self.whereabouts);
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

impl Stacks for ArchiveStacks {
    fn homes(&self) -> &[Found] {
        self.whole.get_or_init(|| {
            let homes = self.ask(|connection| tree::homes(&self.pool, connection));
            let (mut found, _): (Vec<Found>, Vec<HomeRowId>) = homes;
            look_elsewhere(&mut found, &self.disk, &self.whereabouts);
            found
        })
    }

    fn all(&self, dirs: &[(usize, String)]) -> Files {
        tree::files_in(self.homes(), dirs)
    }

    fn besides(&self, dirs: &[(usize, String)]) -> Files {
        tree::files_in(self.besides_journals(), dirs)
    }

    fn is_on_disk(&self, dirs: &[(usize, String)], journal: &str) -> bool {
        let path = Path::new(journal);
        dirs.iter().any(|(home, _)| match self.roots.get(*home) {
            Some((root, _)) if !path.starts_with(root) => false,
            Some((_, true)) => !self.is_gone(*home, journal),
            // This home was not scanned.
            _ => path.exists(),
        })
    }

    fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }
}
