//! The homes as the archive knows them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gemtrail_core::model::Project;
use gemtrail_home::discover::{FileKind, Found, FoundFile, ProjectDir};
use gemtrail_home::home::Home;
use gemtrail_home::project::{Files, ProjectEntry};
use gemtrail_home::source::{Archived, Kept, Stat, Versions};
use rusqlite::{Connection, Row, Rows};

use super::stored;
use crate::db::ArchiveError;
use crate::db::columns::{LONGEST_FILE, Name, kind_from_columns};
use crate::db::ids::{ContentRowId, Dir, FileRowId, HomeRowId, VersionRowId};
use crate::db::pool::Pool;

/// All homes with all files that were ever seen, and the rows of the homes.
pub(crate) fn homes(
    pool: &Arc<Pool>,
    connection: &Connection,
) -> Result<(Vec<Found>, Vec<HomeRowId>), ArchiveError> {
    homes_with(pool, connection, None)
}

/// All homes, with only the files of these project directories.
pub(crate) fn homes_with(
    pool: &Arc<Pool>,
    connection: &Connection,
    dirs: Option<&HashSet<Dir>>,
) -> Result<(Vec<Found>, Vec<HomeRowId>), ArchiveError> {
    let mut versions = match dirs {
        None => versions(connection)?,
        Some(dirs) => versions_in(connection, dirs)?,
    };
    let (mut found, ids) = heads(connection)?;
    for (found, id) in found.iter_mut().zip(&ids) {
        fill(pool, connection, (*id, ""), found, &mut versions)?;
    }
    Ok((found, ids))
}

/// The condition for files that are not journals, as the index `file_besides` has it.
const BESIDES: &str = "kind NOT IN ('journal', 'subagent', 'unreadable')";

/// All homes, without their journals.
pub(crate) fn homes_besides(
    pool: &Arc<Pool>,
    connection: &Connection,
) -> Result<Vec<Found>, ArchiveError> {
    let (mut found, ids) = heads(connection)?;
    for (found, id) in found.iter_mut().zip(ids) {
        let mut versions = OfFiles::new();
        let mut statement = connection.prepare_cached(&format!(
            "SELECT version.file, version.content, version.bytes, version.repeated, version.id
             FROM file JOIN version ON version.file = file.id
             WHERE file.home = ?1 AND file.{BESIDES} ORDER BY version.id"
        ))?;
        take_versions(statement.query([id])?, &mut versions)?;
        fill(pool, connection, (id, BESIDES), found, &mut versions)?;
    }
    Ok(found)
}

/// These files, each with the row of its home.
pub(crate) fn files(
    pool: &Arc<Pool>,
    connection: &Connection,
    wanted: &[FileRowId],
) -> Result<Vec<(HomeRowId, FoundFile)>, ArchiveError> {
    let mut of_file = connection.prepare_cached(
        "SELECT file, content, bytes, repeated, id FROM version WHERE file = ?1 ORDER BY id",
    )?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, home, (SELECT path FROM home WHERE id = home) FROM file WHERE id = ?1"
    ))?;
    let mut found = Vec::new();
    for id in wanted {
        let mut versions = OfFiles::new();
        take_versions(of_file.query([id])?, &mut versions)?;
        let list = versions.remove(id).unwrap_or_default();
        let mut rows = statement.query([id])?;
        if let Some(row) = rows.next()? {
            let Name(root) = row.get(12)?;
            if let Some(file) = file_of(pool, row, &root, &list)? {
                found.push((row.get(11)?, file));
            }
        }
    }
    Ok(found)
}

/// All homes without their files, and their rows.
pub(crate) fn heads(connection: &Connection) -> Result<(Vec<Found>, Vec<HomeRowId>), ArchiveError> {
    let mut homes =
        connection.prepare_cached("SELECT id, path, sessions, host, user FROM home ORDER BY id")?;
    let mut rows = homes.query([])?;
    let (mut found, mut ids) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let id: HomeRowId = row.get(0)?;
        let text = |at: usize| -> rusqlite::Result<Option<String>> {
            let text: String = row.get(at)?;
            Ok((!text.is_empty()).then_some(text))
        };
        let home = Home {
            root: row.get::<_, Name>(1)?.0,
            sessions: row.get::<_, Name>(2)?.0,
            only: None,
        };
        found.push(Found {
            host: text(3)?,
            user: text(4)?,
            ..Found::unseen(&home)
        });
        ids.push(id);
    }
    Ok((found, ids))
}

/// Files without a version, by home: their content was forgotten.
pub(crate) fn forgotten(
    connection: &Connection,
) -> Result<HashMap<HomeRowId, HashMap<PathBuf, Stat>>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT home, path, bytes, modified, inode FROM file
         WHERE NOT EXISTS (SELECT 1 FROM version WHERE version.file = file.id)",
    )?;
    let mut rows = statement.query([])?;
    let mut forgotten: HashMap<HomeRowId, HashMap<PathBuf, Stat>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let stat = Stat {
            bytes: row.get(2)?,
            modified: row.get(3)?,
            inode: row.get(4)?,
            // Who changes its mode does not bring it back.
            changed: None,
        };
        let files = forgotten.entry(row.get(0)?).or_default();
        let Name(path) = row.get(1)?;
        files.insert(path, stat);
    }
    Ok(forgotten)
}

/// The versions of files, by the files' rows.
type OfFiles = HashMap<FileRowId, Vec<Version>>;

fn versions(connection: &Connection) -> Result<OfFiles, ArchiveError> {
    let mut versions = OfFiles::new();
    let mut statement = connection
        .prepare_cached("SELECT file, content, bytes, repeated, id FROM version ORDER BY id")?;
    take_versions(statement.query([])?, &mut versions)?;
    Ok(versions)
}

fn versions_in(connection: &Connection, dirs: &HashSet<Dir>) -> Result<OfFiles, ArchiveError> {
    let mut versions = OfFiles::new();
    let mut statement = connection.prepare_cached(
        "SELECT version.file, version.content, version.bytes, version.repeated, version.id
         FROM file JOIN version ON version.file = file.id
         WHERE file.home = ?1 AND file.dir = ?2 ORDER BY version.id",
    )?;
    for (home, dir) in dirs {
        take_versions(statement.query((home, dir))?, &mut versions)?;
    }
    Ok(versions)
}

fn take_versions(mut rows: Rows<'_>, versions: &mut OfFiles) -> Result<(), ArchiveError> {
    while let Some(row) = rows.next()? {
        versions.entry(row.get(0)?).or_default().push(Version {
            id: row.get(4)?,
            content: row.get(1)?,
            bytes: row.get::<_, u64>(2)?.min(LONGEST_FILE),
            repeated: row.get(3)?,
        });
    }
    Ok(())
}

/// A project from the views, with the files of its directories.
pub(crate) fn project(
    project: Project,
    dirs: &[Dir],
    found: &[Found],
    homes: &[HomeRowId],
) -> ProjectEntry {
    let places = places(dirs, homes);
    let entry = ProjectEntry::new(project, files_in(found, &places), places);
    entry.settle();
    entry
}

/// Directories by the indices of their homes.
pub(crate) fn places(dirs: &[Dir], homes: &[HomeRowId]) -> Vec<(usize, String)> {
    let index = |home: &HomeRowId| homes.iter().position(|known| known == home);
    let place = |(home, dir): &Dir| Some((index(home)?, dir.clone()));
    dirs.iter().filter_map(place).collect()
}

/// The files of these directories, each with the index of its home.
pub(crate) fn files_in(found: &[Found], places: &[(usize, String)]) -> Files {
    let mut files = Vec::new();
    for (at, dir) in places {
        // A damaged archive may name homes that it does not have.
        let Some(Found { projects: dirs, .. }) = found.get(*at) else {
            continue;
        };
        if let Ok(in_dir) = dirs.binary_search_by(|project| project.name.cmp(dir)) {
            let in_dir = dirs[in_dir].files.iter();
            files.extend(in_dir.map(|file| (*at, file.clone())));
        }
    }
    files
}

/// The columns that [`file_of`] reads.
const COLUMNS: &str = "id, dir, path, kind, detail, bytes, modified, inode, gone, session, changed";

/// A file by its row and its versions; `None` if its kind is from a later release, or all its bytes
/// were forgotten.
fn file_of(
    pool: &Arc<Pool>,
    row: &Row<'_>,
    root: &Path,
    versions: &[Version],
) -> Result<Option<FoundFile>, ArchiveError> {
    let dir = row.get_ref(1)?.as_str_or_null().ok().flatten();
    let kind = kind_from_columns(row.get_ref(3)?.as_str().unwrap_or(""), row.get(4)?, dir);
    let Some((kind, mut kept)) = kind.zip(kept(pool, row.get(0)?, versions)) else {
        return Ok(None);
    };
    kept.session = row.get(9)?;
    let stat = Stat {
        bytes: row.get(5)?,
        modified: row.get(6)?,
        inode: row.get(7)?,
        changed: row.get(10)?,
    };
    Ok(Some(FoundFile {
        path: root.join(row.get::<_, Name>(2)?.0),
        bytes: kept.latest.as_ref().map_or(stat.bytes, |kept| kept.bytes()),
        modified: time(stat.modified),
        on_disk: row.get::<_, Option<i64>>(8)?.is_none(),
        stat,
        versions: kept,
        kind,
    }))
}

/// Adds the files of a home that meet a condition, if there is one.
fn fill(
    pool: &Arc<Pool>,
    connection: &Connection,
    (home, condition): (HomeRowId, &str),
    found: &mut Found,
    versions: &mut HashMap<FileRowId, Vec<Version>>,
) -> Result<(), ArchiveError> {
    let mut dirs: HashMap<String, usize> = HashMap::new();
    let condition = if condition.is_empty() {
        "true"
    } else {
        condition
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM file WHERE home = ?1 AND {condition} ORDER BY path"
    ))?;
    let mut rows = statement.query([home])?;
    while let Some(row) = rows.next()? {
        let id: FileRowId = row.get(0)?;
        let list = versions.remove(&id).unwrap_or_default();
        let Some(file) = file_of(pool, row, &found.home.root, &list)? else {
            continue;
        };
        let Some(dir) = row.get::<_, Option<String>>(1)? else {
            match file.kind {
                FileKind::Registry => found.registry = Some(file),
                FileKind::TrustedFolders => found.trusted_folders = Some(file),
                _ => {}
            }
            continue;
        };
        let at = *dirs.entry(dir).or_insert_with_key(|dir| {
            found.projects.push(ProjectDir {
                name: dir.clone(),
                path: found.project_dir(dir, &file.path),
                files: Vec::new(),
                markers: Vec::new(),
            });
            found.projects.len() - 1
        });
        let project = &mut found.projects[at];
        if file.kind == FileKind::Marker {
            // The one in the directory itself comes first.
            let first = file.path.starts_with(&project.path);
            let place = if first { 0 } else { project.markers.len() };
            project.markers.insert(place, file);
        } else {
            project.files.push(file);
        }
    }
    found.projects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}

/// One stored version of a file.
#[derive(Clone, Debug)]
struct Version {
    id: VersionRowId,
    content: ContentRowId,
    bytes: u64,
    repeated: bool,
}

/// The last version, and earlier ones with other content.
fn kept(pool: &Arc<Pool>, file: FileRowId, versions: &[Version]) -> Option<Versions> {
    let (last, before) = versions.split_last()?;
    let mut contents = HashSet::from([last.content]);
    let mut earlier: Vec<Arc<dyn Kept>> = Vec::new();
    for version in before.iter().rev() {
        if contents.insert(version.content) && !version.repeated {
            earlier.push(stored::version(pool, version.id, version.bytes));
        }
    }
    earlier.reverse();
    Some(Versions {
        latest: Some(stored::version(pool, last.id, last.bytes)),
        earlier,
        archived: Some(Archived {
            file,
            version: last.id,
        }),
        session: None,
    })
}

pub(crate) fn time(nanoseconds: i64) -> Option<SystemTime> {
    let nanoseconds = u64::try_from(nanoseconds).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds))
}
