//! The homes as the archive knows them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use gemtrail_core::model::Project;
use rusqlite::{Connection, Rows};

use super::former_projects;
use super::found::project_dir;
use super::versions::{Version, kept, time};
use crate::archive::db::ids::{Dir, FileRowId, HomeRowId};
use crate::archive::db::name::Name;
use crate::archive::db::pool::Pool;
use crate::archive::db::{ArchiveError, kinds};
use crate::discover::{FileKind, Found, FoundFile, ProjectDir};
use crate::home::Home;
use crate::project::ProjectEntry;
use crate::source::Stat;

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
        };
        let mut one = Found {
            home,
            projects: Vec::new(),
            registry: None,
            trusted_folders: None,
            diagnostics: Vec::new(),
            host: text(3)?,
            user: text(4)?,
            is_adopted: false,
        };
        fill(pool, connection, id, &mut one, &mut versions)?;
        found.push(one);
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
    let mut statement = connection.prepare_cached(
        "SELECT file, content, bytes, repeated, id, seen FROM version ORDER BY id",
    )?;
    take_versions(statement.query([])?, &mut versions)?;
    Ok(versions)
}

fn versions_in(connection: &Connection, dirs: &HashSet<Dir>) -> Result<OfFiles, ArchiveError> {
    let mut versions = OfFiles::new();
    let mut statement = connection.prepare_cached(
        "SELECT version.file, version.content, version.bytes, version.repeated, version.id,
                version.seen
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
            bytes: row.get(2)?,
            repeated: row.get(3)?,
            seen: row.get(5)?,
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
    let mut places = Vec::new();
    let mut files = Vec::new();
    for (home, dir) in dirs {
        let Some(at) = homes.iter().position(|known| known == home) else {
            continue;
        };
        let in_dir = found[at]
            .projects
            .binary_search_by(|project| project.name.cmp(dir));
        if let Ok(in_dir) = in_dir {
            let in_dir = found[at].projects[in_dir].files.iter();
            files.extend(in_dir.map(|file| (at, file.clone())));
        }
        places.push((at, dir.clone()));
    }
    let entry = ProjectEntry::new(project, files, places);
    entry.settle();
    entry
}

fn fill(
    pool: &Arc<Pool>,
    connection: &Connection,
    home: HomeRowId,
    found: &mut Found,
    versions: &mut HashMap<FileRowId, Vec<Version>>,
) -> Result<(), ArchiveError> {
    let mut dirs: HashMap<String, usize> = HashMap::new();
    let mut divisible: HashMap<FileRowId, Vec<Version>> = HashMap::new();
    let mut statement = connection.prepare_cached(
        "SELECT id, dir, path, kind, detail, bytes, modified, inode, gone, session, changed
         FROM file
         WHERE home = ?1 ORDER BY path",
    )?;
    let mut rows = statement.query([home])?;
    while let Some(row) = rows.next()? {
        let id: FileRowId = row.get(0)?;
        let Some(kind) = kinds::from_columns(row.get_ref(3)?.as_str().unwrap_or(""), row.get(4)?)
        else {
            continue;
        };
        // All its bytes may have been forgotten.
        let Some(list) = versions.remove(&id) else {
            continue;
        };
        let Some(mut kept) = kept(pool, id, &list) else {
            continue;
        };
        kept.session = row.get(9)?;
        if former_projects::can_be_divided(&kind) {
            divisible.insert(id, list);
        }
        let stat = Stat {
            bytes: row.get(5)?,
            modified: row.get(6)?,
            inode: row.get(7)?,
            changed: row.get(10)?,
        };
        let file = FoundFile {
            path: found.home.root.join(row.get::<_, Name>(2)?.0),
            bytes: kept.latest.as_ref().map_or(stat.bytes, |kept| kept.bytes()),
            modified: time(stat.modified),
            on_disk: row.get::<_, Option<i64>>(8)?.is_none(),
            stat,
            versions: kept,
            kind,
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
                path: project_dir(&found.home.sessions, dir, &file.path),
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
    former_projects::split(pool, found, &divisible);
    found.projects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}
