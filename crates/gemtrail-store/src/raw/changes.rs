//! What changed on disk since the last sync, and which projects are excluded from the archive.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::{Found, FoundFile};
use gemtrail_home::source::Stat;
use rusqlite::{Connection, OptionalExtension as _, Transaction};

use super::homes::{Machine, home_of};
use super::options::SyncOptions;
use super::take::Previous;
use super::tree::forgotten;
use crate::db::ArchiveError;
use crate::db::columns::Name;
use crate::db::ids::{Dir, FileRowId};

/// The work that brings the archive up to date.
#[derive(Debug, Default)]
pub(crate) struct Changes<'a> {
    /// Files that are new or changed.
    pub(crate) take: Vec<Take<'a>>,
    /// Files that are no longer there, by id.
    pub(crate) gone: Vec<FileRowId>,
    /// Files that are there again, by id.
    pub(crate) back: Vec<FileRowId>,
    /// Files whose inode's time is not known yet.
    pub(crate) restat: Vec<(FileRowId, i64)>,
    /// The number of files that were seen, and their total size.
    pub(crate) seen: u64,
    pub(crate) source_bytes: u64,
}

impl Changes<'_> {
    /// True if there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.take.is_empty() && self.gone.is_empty() && self.back.is_empty()
    }
}

/// A file to read.
#[derive(Debug)]
pub(crate) struct Take<'a> {
    /// The index of its home.
    pub(crate) home: usize,
    /// The project directory.
    pub(crate) dir: Option<&'a str>,
    pub(crate) file: &'a FoundFile,
    pub(crate) previous: Option<Previous>,
    /// True if it is known, but its content was forgotten.
    pub(crate) is_forgotten: bool,
}

/// Files on disk that an archive lacks, or has in another state.
#[derive(Clone, Debug)]
pub struct Lacking {
    /// All of them.
    pub paths: HashSet<PathBuf>,
    /// Those that a sync would take in.
    pub to_take: Vec<PathBuf>,
    /// The number of new bytes in these.
    pub bytes: u64,
    /// True if files are gone, or back.
    pub has_moved: bool,
}

impl Lacking {
    pub(crate) fn of(
        connection: &Connection,
        disk: &[Found],
        machine: &Machine,
    ) -> Result<Self, ArchiveError> {
        let changes = compare(connection, disk, machine, false)?;
        let (excluded, forgotten) = (excluded(connection)?, forgotten(connection)?);
        let mut lacking = Self {
            paths: HashSet::new(),
            to_take: Vec::new(),
            bytes: 0,
            has_moved: !(changes.gone.is_empty() && changes.back.is_empty()),
        };
        let mut homes = Vec::new();
        for found in disk {
            let home = home_of(connection, found, machine)?;
            let files = home.and_then(|home| forgotten.get(&home));
            let root = &found.home.root;
            let files = files.into_iter().flatten();
            lacking
                .paths
                .extend(files.map(|(below, _)| root.join(below)));
            homes.push(home);
        }
        for take in changes.take {
            lacking.paths.insert(take.file.path.clone());
            let dir = homes[take.home].zip(take.dir.map(str::to_owned));
            if dir.is_none_or(|dir| !excluded.contains(&dir)) {
                let stored = take.previous.map_or(0, |previous| previous.bytes);
                let bytes = take.file.bytes;
                lacking.to_take.push(take.file.path.clone());
                lacking.bytes += bytes.checked_sub(stored).unwrap_or(bytes);
            }
        }
        Ok(lacking)
    }
}

/// A file in the archive.
struct Known {
    id: FileRowId,
    stat: Stat,
    is_gone: bool,
    previous: Option<Previous>,
}

/// Compares size, times and identity; opens no file. A full run takes all of them.
pub(crate) fn compare<'a>(
    connection: &Connection,
    found: &'a [Found],
    machine: &Machine,
    is_full: bool,
) -> Result<Changes<'a>, ArchiveError> {
    let mut changes = Changes::default();
    for (index, found) in found.iter().enumerate() {
        let mut known = known_files(connection, found, machine)?;
        let mut seen = HashSet::new();
        for (dir, file) in found.files() {
            changes.seen += 1;
            changes.source_bytes += file.bytes;
            let path = found.below(&file.path);
            let known = known.remove(path);
            if !seen.insert(path) {
                continue;
            }
            match known {
                Some(known) if known.stat.is(&file.stat) && !is_full => {
                    if known.stat.changed.is_none() {
                        changes
                            .restat
                            .extend(file.stat.changed.map(|it| (known.id, it)));
                    }
                    if known.is_gone {
                        changes.back.push(known.id);
                    }
                }
                known => changes.take.push(Take {
                    home: index,
                    dir,
                    file,
                    is_forgotten: known.as_ref().is_some_and(|it| it.previous.is_none()),
                    previous: known.and_then(|known| known.previous),
                }),
            }
        }
        let root = &found.home.root;
        let left = known
            .into_iter()
            .filter(|(below, known)| !known.is_gone && found.is_gone(&root.join(below)));
        changes.gone.extend(left.map(|(_, known)| known.id));
    }
    Ok(changes)
}

fn known_files(
    connection: &Connection,
    found: &Found,
    machine: &Machine,
) -> Result<HashMap<PathBuf, Known>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT file.id, file.path, file.bytes, file.modified, file.inode, file.gone,
                version.content, version.bytes, file.changed
         FROM file LEFT JOIN version
           ON version.id = (SELECT max(id) FROM version WHERE file = file.id)
         WHERE file.home = ?1",
    )?;
    let Some(home) = home_of(connection, found, machine)? else {
        return Ok(HashMap::new());
    };
    let rows = statement.query_map([home], |row| {
        let stat = Stat {
            bytes: row.get(2)?,
            modified: row.get(3)?,
            inode: row.get(4)?,
            changed: row.get(8)?,
        };
        let previous = match row.get(6)? {
            Some(content) => Some(Previous {
                content,
                bytes: row.get(7)?,
                inode: stat.inode,
            }),
            None => None,
        };
        let known = Known {
            id: row.get(0)?,
            stat,
            is_gone: row.get::<_, Option<i64>>(5)?.is_some(),
            previous,
        };
        let Name(path) = row.get(1)?;
        Ok((path, known))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

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

/// True if a path is a directory or below it, for paths of any system.
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
