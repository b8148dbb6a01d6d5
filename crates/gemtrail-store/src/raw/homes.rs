//! The homes that the archive knows, and the machines that they are on.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use gemtrail_core::internal::is_restored;
use gemtrail_home::discover::{Found, Returned};
use rusqlite::{Connection, OptionalExtension as _};

use crate::db::ArchiveError;
use crate::db::columns::Name;
use crate::db::ids::HomeRowId;

/// The machine and account of a home, as told by the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The machine.
    pub host: Option<String>,
    /// The account.
    pub user: Option<String>,
}

impl Machine {
    /// Those of a home on disk: these, unless the archive attributes it to another machine.
    pub(crate) fn of(&self, disk: &Found) -> Self {
        if disk.is_adopted {
            Self {
                host: disk.host.clone(),
                user: disk.user.clone(),
            }
        } else {
            self.clone()
        }
    }

    /// True if a home of the archive is this one on disk.
    pub(crate) fn are_of(&self, archived: &Found, disk: &Found) -> bool {
        let Self { host, user } = self.of(disk);
        // An unknown user matches any.
        let is_user = archived.user == user || archived.user.is_none() || user.is_none();
        archived.home.root == disk.home.root && archived.host == host && is_user
    }
}

/// The row of a home on disk.
pub(crate) fn home_of(
    connection: &Connection,
    found: &Found,
    machine: &Machine,
) -> Result<Option<HomeRowId>, ArchiveError> {
    let machine = machine.of(found);
    let host = machine.host.as_deref().unwrap_or_default();
    let user = machine.user.as_deref().unwrap_or_default();
    home_with(connection, &found.home.root, host, user)
}

/// The row of a home by its columns. An unknown user matches any.
pub(crate) fn home_with(
    connection: &Connection,
    root: &Path,
    host: &str,
    user: &str,
) -> Result<Option<HomeRowId>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM home WHERE path = ?1 AND host = ?2 AND (user = ?3 OR user = '' OR ?3 = '')
         ORDER BY user = ?3 DESC, id LIMIT 1",
    )?;
    let id = statement.query_row((Name::of(root), host, user), |row| row.get(0));
    Ok(id.optional()?)
}

/// Those of the homes on disk that the archive has seen before.
pub(crate) fn known(
    connection: &Connection,
    disk: &[Found],
    at: &Machine,
) -> Result<Vec<Found>, ArchiveError> {
    let mut known = Vec::new();
    for found in disk {
        if home_of(connection, found, at)?.is_some() {
            known.push(found.clone());
        }
    }
    Ok(known)
}

/// Attributes homes on disk to another machine if the archive knows them from that one only and
/// they have the very same files, as on a mount. Another machine with the same path has other
/// files.
pub(crate) fn adopt(
    connection: &Connection,
    disk: &mut [Found],
    machine: &Machine,
) -> Result<(), ArchiveError> {
    for now in disk {
        if let Some(home) = home_of(connection, now, machine)? {
            bring_back(connection, home, now)?;
            continue;
        }
        let mut statement =
            connection.prepare_cached("SELECT id, host, user FROM home WHERE path = ?1")?;
        let root = Name::of(&now.home.root);
        let known: Vec<(HomeRowId, String, String)> = statement
            .query_map([root], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        if let [(id, host, user)] = known.as_slice()
            && has_these_files(connection, *id, now)?
        {
            let told = |text: &String| Some(text.clone()).filter(|it| !it.is_empty());
            now.is_adopted = true;
            (now.host, now.user) = (told(host), told(user));
        }
    }
    Ok(())
}

/// Gives journals that put a session back into another directory to the one that the archive knows
/// the session from.
fn bring_back(
    connection: &Connection,
    home: HomeRowId,
    now: &mut Found,
) -> Result<(), ArchiveError> {
    for returned in now.returned() {
        let path = Name::of(
            returned
                .path
                .strip_prefix(&now.home.root)
                .unwrap_or(&returned.path),
        );
        let stored = "SELECT dir FROM file WHERE home = ?1 AND path = ?2";
        let stored = connection
            .prepare_cached(stored)?
            .query_row((home, path), |row| row.get(0))
            .optional()?;
        let dir = match stored {
            Some(dir) => dir,
            None => origin_of(connection, home, &returned)?,
        };
        if let Some(dir) = dir.filter(|dir| *dir != returned.dir) {
            now.give(&returned, &dir);
        }
    }
    Ok(())
}

/// The one directory that the session came from.
fn origin_of(
    connection: &Connection,
    home: HomeRowId,
    returned: &Returned,
) -> Result<Option<String>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT dir, session FROM file
         WHERE home = ?1 AND kind = 'journal' AND dir IS NOT NULL AND session LIKE ?2 || '%'",
    )?;
    let mut rows = statement.query((home, &returned.start))?;
    let mut dirs = BTreeSet::new();
    while let Some(row) = rows.next()? {
        if is_restored(&returned.stem, row.get_ref(1)?.as_str().unwrap_or_default()) {
            dirs.insert(row.get::<_, String>(0)?);
        }
    }
    Ok(dirs.pop_first().filter(|_| dirs.is_empty()))
}

/// True if most files that a home has both on disk and in the archive are the same.
fn has_these_files(
    connection: &Connection,
    home: HomeRowId,
    now: &Found,
) -> Result<bool, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT path, inode FROM file WHERE home = ?1")?;
    let inodes: HashMap<Name, i64> = statement
        .query_map([home], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let both = now.files().filter_map(|(_, file)| {
        let then = inodes.get(&Name::of(now.below(&file.path)))?;
        Some(*then == file.stat.inode && *then != 0)
    });
    let both: Vec<bool> = both.collect();
    let same = both.iter().filter(|is_same| **is_same).count();
    Ok(same * 2 > both.len())
}

/// True if a home, or its host or user, is new to the archive.
pub(crate) fn is_news(
    connection: &Connection,
    found: &Found,
    machine: &Machine,
) -> Result<bool, ArchiveError> {
    let Some(id) = home_of(connection, found, machine)? else {
        return Ok(true);
    };
    let mut statement = connection.prepare_cached("SELECT user FROM home WHERE id = ?1")?;
    let user: String = statement.query_row([id], |row| row.get(0))?;
    Ok(user.is_empty() && machine.of(found).user.is_some())
}
