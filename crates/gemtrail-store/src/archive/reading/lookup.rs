//! Finds sessions by the start of their ids, and only their files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rusqlite::Connection;

use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{FileRowId, ProjectRowId};
use crate::archive::db::pool::Pool;
use crate::archive::raw::tree;
use crate::discover::FoundFile;
use crate::group::SessionKey;
use crate::library::{Handle, sessions_of};
use crate::project::ProjectEntry;
use crate::spelled::text_of;

/// The ids that start so, in any case, by project.
pub(super) fn families(
    connection: &Connection,
    start: &str,
) -> Result<BTreeMap<ProjectRowId, BTreeSet<String>>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT project, session FROM session
         WHERE session COLLATE NOCASE >= ?1 AND session COLLATE NOCASE < ?1 || char(1114111)",
    )?;
    let mut rows = statement.query([start])?;
    let mut families: BTreeMap<ProjectRowId, BTreeSet<String>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        families.entry(row.get(0)?).or_default().insert(row.get(1)?);
    }
    Ok(families)
}

/// The sessions of a project with these ids, and their subagents.
pub(super) fn handles(
    pool: &Arc<Pool>,
    connection: &Connection,
    (row, project, entry): (ProjectRowId, usize, &ProjectEntry),
    ids: &BTreeSet<String>,
) -> Result<Vec<Handle>, ArchiveError> {
    // A journal with the id of the session that it is of.
    let mut named: Vec<(FileRowId, String)> = Vec::new();
    let mut logged: Vec<&str> = Vec::new();
    let mut of_family = connection.prepare_cached(
        "SELECT session.session, journal.file FROM session JOIN journal ON journal.session = session.id
         WHERE session.project = ?1 AND (session.session = ?2 OR session.parent = ?2)",
    )?;
    let mut in_log = connection.prepare_cached(
        "SELECT 1 FROM session WHERE project = ?1 AND session = ?2 AND kind = 'log'",
    )?;
    for id in ids {
        let mut rows = of_family.query((row, id))?;
        while let Some(row) = rows.next()? {
            let journal = (row.get(1)?, row.get(0)?);
            if !named.contains(&journal) {
                named.push(journal);
            }
        }
        if in_log.exists((row, id))? {
            logged.push(id);
        }
    }
    let wanted: Vec<FileRowId> = named.iter().map(|(file, _)| *file).collect();
    let (_, homes) = tree::heads(connection)?;
    let mut keyed: Vec<(SessionKey, (usize, FoundFile))> = Vec::new();
    for (home, file) in tree::files(pool, connection, &wanted)? {
        let Some(home) = homes.iter().position(|known| *known == home) else {
            continue;
        };
        let is_it = |named: &&(FileRowId, String)| {
            file.versions.archived.is_some_and(|it| it.file == named.0)
        };
        for (_, id) in named.iter().filter(is_it) {
            let key = SessionKey::known(&file.kind, id.clone(), &text_of(&file.path));
            keyed.push((key, (home, file.clone())));
        }
    }
    // In the order of the disk, whatever was taken in first.
    let place = |home: usize| entry.dirs.iter().position(|(of_dir, _)| *of_dir == home);
    keyed.sort_by(|(_, (a, one)), (_, (b, other))| {
        let by_home = place(*a).cmp(&place(*b));
        by_home.then_with(|| one.path.cmp(&other.path))
    });
    let keyed = keyed
        .iter()
        .map(|(key, file)| (key.clone(), file))
        .collect();
    Ok(sessions_of(project, keyed, logged))
}
