//! Projects that are excluded from the archive.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension as _, Transaction};

use super::changes::Changes;
use super::options::SyncOptions;
use crate::catalog::Catalog;
use crate::db::ArchiveError;
use crate::db::ids::Dir;
use crate::discover::Found;

/// Project directories that were excluded at the last sync.
pub(crate) fn excluded(connection: &Connection) -> Result<HashSet<Dir>, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM setting WHERE name = 'excluded'")?;
    let list: Option<String> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(list
        .and_then(|list| serde_json::from_str(&list).ok())
        .unwrap_or_default())
}

/// Records which directories are excluded, so that readers do not treat them as new.
pub(crate) fn note_excluded(
    transaction: &Transaction<'_>,
    dirs: &HashSet<Dir>,
) -> Result<(), ArchiveError> {
    let list = serde_json::to_string(dirs).unwrap_or_default();
    transaction
        .prepare_cached("INSERT OR REPLACE INTO setting(name, value) VALUES('excluded', ?1)")?
        .execute([list])?;
    Ok(())
}

/// Removes changes that belong to excluded projects, and returns the directories of these.
pub(crate) fn leave_out<'a>(
    changes: &mut Changes<'_>,
    found: &'a [Found],
    options: &SyncOptions,
) -> HashSet<(usize, &'a str)> {
    if options.exclude.is_empty() {
        return HashSet::new();
    }
    let catalog = Catalog::of(found.to_vec(), &options.hints);
    let mut names: HashSet<(usize, &str)> = HashSet::new();
    for entry in catalog.projects() {
        let path = entry.project().path.as_deref();
        if path.is_some_and(|path| options.exclude.iter().any(|it| is_below(path, it))) {
            names.extend(entry.dirs.iter().map(|(home, dir)| (*home, dir.as_str())));
        }
    }
    let dirs = found.iter().enumerate().flat_map(|(home, found)| {
        let dirs = found.projects.iter();
        dirs.map(move |project| (home, project.name.as_str()))
    });
    let excluded: HashSet<(usize, &str)> = dirs.filter(|dir| names.contains(dir)).collect();
    changes.take.retain(|take| {
        let dir = take.dir.map(|dir| (take.home, dir));
        dir.is_none_or(|dir| !excluded.contains(&dir))
    });
    excluded
}

/// Whether a path is a directory or below it, for paths of any system.
fn is_below(path: &str, dir: &str) -> bool {
    let rest = path.strip_prefix(dir.trim_end_matches(['/', '\\']));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn a_directory_and_what_is_in_it() {
        assert!(is_below("/a/b", "/a/b") && is_below("/a/b/c", "/a/b/"));
        assert!(is_below("C:\\a\\b", "C:\\a"));
        assert!(!is_below("/a/bc", "/a/b"));
    }
}
