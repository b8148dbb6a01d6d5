//! The homes that the archive knows.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};

use super::found::{files_of, path_below};
use super::whereabouts::Whereabouts;
use crate::db::ArchiveError;
use crate::db::ids::HomeRowId;
use crate::db::name::Name;
use crate::discover::Found;

/// The row of a home on disk.
pub(crate) fn home_of(
    connection: &Connection,
    found: &Found,
    whereabouts: &Whereabouts,
) -> Result<Option<HomeRowId>, ArchiveError> {
    let whereabouts = whereabouts.of(found);
    let host = whereabouts.host.as_deref().unwrap_or_default();
    let user = whereabouts.user.as_deref().unwrap_or_default();
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
    at: &Whereabouts,
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
    whereabouts: &Whereabouts,
) -> Result<(), ArchiveError> {
    for now in disk {
        if home_of(connection, now, whereabouts)?.is_some() {
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

/// Whether most files that a home has both on disk and in the archive are the same.
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
    let both = files_of(now).filter_map(|(_, file)| {
        let then = inodes.get(&Name::of(path_below(now, file)))?;
        Some(*then == file.stat.inode && *then != 0)
    });
    let both: Vec<bool> = both.collect();
    let same = both.iter().filter(|is_same| **is_same).count();
    Ok(same * 2 > both.len())
}

/// Whether a home, or its host or user, is new to the archive.
pub(crate) fn is_news(
    connection: &Connection,
    found: &Found,
    whereabouts: &Whereabouts,
) -> Result<bool, ArchiveError> {
    let Some(id) = home_of(connection, found, whereabouts)? else {
        return Ok(true);
    };
    let mut statement = connection.prepare_cached("SELECT user FROM home WHERE id = ?1")?;
    let user: String = statement.query_row([id], |row| row.get(0))?;
    Ok(user.is_empty() && whereabouts.of(found).user.is_some())
}
