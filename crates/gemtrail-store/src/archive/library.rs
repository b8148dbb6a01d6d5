//! A library of everything that an archive holds, and of what the disk has beyond that.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use gemtrail_core::model::{Project, SessionRow};
use rusqlite::Connection;

use super::changes::{Whereabouts, files_of, path_below};
use super::forget::{forgotten_sessions, scrubbed};
use super::vault::Vault;
use super::{Archive, ArchiveError, keep, schema, search, tree};
use crate::Hints;
use crate::discover::{FileKind, Found, FoundFile};
use crate::find::Handle;
use crate::group::SessionKey;
use crate::index::sessions_of;
use crate::library::{Library, Prepared};
use crate::project::ProjectEntry;
use crate::search::{Answer, Page, Query};
use crate::source::{Kept, Stat};

impl Archive {
    /// Whether its views fit its files. They do not after a run was interrupted, and after gemtrail
    /// was upgraded.
    pub fn is_fresh(&self) -> Result<bool, ArchiveError> {
        self.vault.with(is_fresh)
    }

    /// What it knows now.
    pub fn snapshot(&self) -> Result<Snapshot, ArchiveError> {
        self.vault.with(|connection| {
            let _moment = connection.unchecked_transaction()?;
            Snapshot::read(&self.vault, connection)
        })
    }

    /// Everything that it holds and that the disk has. Quick if both say the same; otherwise
    /// sessions are put together from both.
    pub fn library(
        &self,
        snapshot: Snapshot,
        disk: Vec<Found>,
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Library, ArchiveError> {
        self.vault.with(|connection| {
            // As all of it is at one moment, whatever is written meanwhile.
            let _moment = connection.unchecked_transaction()?;
            let snapshot = if snapshot.mark == Mark::read(connection)? {
                snapshot
            } else {
                Snapshot::read(&self.vault, connection)?
            };
            let is_same = snapshot.behind(&disk, whereabouts).is_none();
            let disk = snapshot.without_forgotten(disk, whereabouts);
            let Snapshot {
                mut found, homes, ..
            } = snapshot;
            look_elsewhere(&mut found, &disk, whereabouts);
            if is_same && is_fresh(connection)? {
                return self.by_views(connection, found, &homes);
            }
            merge(&mut found, disk, whereabouts);
            Ok(Library::of(found, hints))
        })
    }

    fn by_views(
        &self,
        connection: &Connection,
        found: Vec<Found>,
        homes: &[i64],
    ) -> Result<Library, ArchiveError> {
        let (projects, rows) = projects(connection, &found, homes)?;
        let handles = handles(connection, &projects, &rows)?;
        let known = Shelf {
            archive: self.clone(),
            projects: rows,
        };
        Ok(Library::prepared(found, projects, handles, Box::new(known)))
    }
}

/// The files that an archive knows.
#[derive(Debug)]
pub struct Snapshot {
    found: Vec<Found>,
    /// Their rows.
    homes: Vec<i64>,
    /// Files of each home that it was told to forget, as they were.
    forgotten: Vec<HashMap<String, Stat>>,
    /// Sessions that it was told to forget.
    forgotten_sessions: HashSet<String>,
    /// Project directories that are not to be taken in.
    excluded: HashSet<(i64, String)>,
    mark: Mark,
}

/// Changes with every change that readers must know of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark(i64, i64, i64);

impl Mark {
    pub(super) fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT (SELECT coalesce(max(id), 0) FROM version),
                    (SELECT coalesce(max(id), 0) FROM session), (SELECT count(*) FROM forgotten)",
        )?;
        let mark = statement.query_row([], |row| Ok(Self(row.get(0)?, row.get(1)?, row.get(2)?)));
        Ok(mark?)
    }
}

/// How far an archive is behind the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Files that are new or changed.
    pub files: usize,
    /// How much of them is new.
    pub bytes: u64,
    /// Files that vanished or came back.
    pub moved: usize,
    /// Files that it is not to take in.
    pub excluded: usize,
}

impl Behind {
    /// Whether there is anything to take in.
    pub fn is_due(&self) -> bool {
        self.files + self.moved > 0
    }
}

impl Snapshot {
    fn read(vault: &Arc<Vault>, connection: &Connection) -> Result<Self, ArchiveError> {
        let (found, homes) = tree::homes(vault, connection)?;
        let mut forgotten = tree::forgotten(connection)?;
        Ok(Self {
            forgotten: homes
                .iter()
                .map(|home| forgotten.remove(home).unwrap_or_default())
                .collect(),
            forgotten_sessions: forgotten_sessions(connection)?,
            excluded: keep::excluded(connection)?,
            mark: Mark::read(connection)?,
            found,
            homes,
        })
    }

    /// The position of a home that is on disk.
    fn position(&self, now: &Found, whereabouts: &Whereabouts) -> Option<usize> {
        self.found.iter().position(|then| {
            then.home.root == now.home.root
                && then.host == whereabouts.host
                && then.user == whereabouts.user
        })
    }

    /// What is on disk, but for what is to be forgotten.
    fn without_forgotten(&self, mut disk: Vec<Found>, whereabouts: &Whereabouts) -> Vec<Found> {
        if self.forgotten_sessions.is_empty() {
            return disk;
        }
        for now in &mut disk {
            let none = HashMap::new();
            let at = self.position(now, whereabouts);
            let forgotten = at.map_or(&none, |at| &self.forgotten[at]);
            let root = now.home.root.clone();
            for project in &mut now.projects {
                project.files.retain(|file| {
                    let below = file.path.strip_prefix(&root).unwrap_or(&file.path);
                    forgotten.get(below.to_string_lossy().as_ref()) != Some(&file.stat)
                });
                for file in &mut project.files {
                    scrub(file, &self.forgotten_sessions);
                }
            }
        }
        disk
    }

    /// How far it is behind the disk, if at all. Compares by size, time and identity.
    pub fn behind(&self, disk: &[Found], whereabouts: &Whereabouts) -> Option<Behind> {
        let mut behind = Behind::default();
        for now in disk {
            let at = self.position(now, whereabouts);
            let mut known: HashMap<&OsStr, &FoundFile> = at
                .map(|at| &self.found[at])
                .into_iter()
                .flat_map(files_of)
                .map(|(_, file)| (file.path.as_os_str(), file))
                .collect();
            let is_forgotten = |file: &FoundFile| {
                let known = at.and_then(|at| self.forgotten[at].get(&path_below(now, file)));
                known == Some(&file.stat)
            };
            let is_excluded = |dir: Option<&str>| {
                let dir = at
                    .zip(dir)
                    .map(|(at, dir)| (self.homes[at], dir.to_owned()));
                dir.is_some_and(|dir| self.excluded.contains(&dir))
            };
            for (dir, file) in files_of(now) {
                match known.remove(file.path.as_os_str()) {
                    Some(then) if then.stat == file.stat => {
                        behind.moved += usize::from(!then.on_disk);
                    }
                    None if is_forgotten(file) => {}
                    _ if is_excluded(dir) => behind.excluded += 1,
                    then => {
                        let stored = then.map_or(0, |then| then.bytes);
                        behind.files += 1;
                        behind.bytes += file.bytes.checked_sub(stored).unwrap_or(file.bytes);
                    }
                }
            }
            behind.moved += known.values().filter(|then| then.on_disk).count();
        }
        (behind != Behind::default()).then_some(behind)
    }
}

fn is_fresh(connection: &Connection) -> Result<bool, ArchiveError> {
    let version: Option<i64> = connection
        .prepare_cached("SELECT value FROM setting WHERE name = 'views'")?
        .query_map([], |row| row.get(0))?
        .next()
        .transpose()?;
    let is_stale = connection
        .prepare_cached("SELECT 1 FROM stale")?
        .exists([])?;
    Ok(version == Some(schema::VIEWS_VERSION) && !is_stale)
}

/// What views know about sessions.
#[derive(Debug)]
struct Shelf {
    archive: Archive,
    /// From the row of a project to its position in the library.
    projects: HashMap<i64, usize>,
}

impl Prepared for Shelf {
    fn rows(&self) -> io::Result<Vec<(usize, SessionRow)>> {
        let rows = self.archive.ahead.rows(&self.archive.vault)?;
        let placed = |(project, row)| Some((*self.projects.get(&project)?, row));
        Ok(rows.into_iter().filter_map(placed).collect())
    }

    fn logged(&self, handle: &Handle) -> Option<HashSet<u64>> {
        let (project, _) = self
            .projects
            .iter()
            .find(|(_, at)| **at == handle.project)?;
        let known = self.archive.vault.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT stems, logged FROM session
                 WHERE project = ?1 AND session = ?2 AND kind <> 'subagent'",
            )?;
            let mut rows = statement.query((project, &handle.key.id))?;
            while let Some(row) = rows.next()? {
                let stems = row.get_ref(0)?.as_str().unwrap_or_default();
                let apart = handle.key.apart.as_deref();
                if apart.is_none_or(|apart| stems.lines().any(|stem| stem == apart)) {
                    let prints = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                    let (prints, _) = prints.as_chunks::<8>();
                    let prints = prints.iter().map(|print| u64::from_le_bytes(*print));
                    return Ok::<_, ArchiveError>(Some(prints.collect()));
                }
            }
            Ok(None)
        });
        known.ok().flatten()
    }

    fn search(&self, library: &Library, query: &Query, page: &Page) -> io::Result<Answer> {
        Ok(search::run(
            &self.archive,
            &self.projects,
            library,
            query,
            page,
        )?)
    }
}

/// The projects as the views have them, and where each row went.
fn projects(
    connection: &Connection,
    found: &[Found],
    homes: &[i64],
) -> Result<(Vec<ProjectEntry>, HashMap<i64, usize>), ArchiveError> {
    let mut statement = connection
        .prepare_cached("SELECT id, dirs, dir, hash, path, path_source FROM project ORDER BY id")?;
    let mut rows = statement.query([])?;
    let (mut projects, mut positions) = (Vec::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        let dirs: String = row.get(1)?;
        let dirs: Vec<(i64, String)> = serde_json::from_str(&dirs).unwrap_or_default();
        let source: String = row.get(5)?;
        let project = Project {
            dir: row.get(2)?,
            hash: row.get(3)?,
            path: row.get(4)?,
            path_source: serde_json::from_value(source.into()).unwrap_or_default(),
        };
        let mut places = Vec::new();
        let mut files = Vec::new();
        for (home, dir) in dirs {
            let Some(at) = homes.iter().position(|known| *known == home) else {
                continue;
            };
            let in_dir = found[at]
                .projects
                .iter()
                .find(|project| project.name == dir);
            let in_dir = in_dir.into_iter().flat_map(|project| &project.files);
            files.extend(in_dir.map(|file| (at, file.clone())));
            places.push((at, dir));
        }
        let entry = ProjectEntry::new(project, files, places);
        entry.settle();
        positions.insert(row.get(0)?, projects.len());
        projects.push(entry);
    }
    Ok((projects, positions))
}

/// The sessions of each project with their files.
fn handles(
    connection: &Connection,
    projects: &[ProjectEntry],
    positions: &HashMap<i64, usize>,
) -> Result<Vec<Vec<Handle>>, ArchiveError> {
    let places: HashMap<i64, (usize, usize)> = projects
        .iter()
        .enumerate()
        .flat_map(|(project, entry)| {
            let files = entry.files.iter().enumerate();
            files
                .filter_map(move |(at, (_, file))| Some((file.versions.archived?.0, (project, at))))
        })
        .collect();
    let mut keyed: Vec<Vec<(SessionKey, (usize, &FoundFile))>> = vec![Vec::new(); projects.len()];
    let mut statement = connection.prepare_cached(
        "SELECT session.session, journal.file FROM journal JOIN session ON session.id = journal.session
         ORDER BY session.id, journal.file",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(&(project, at)) = places.get(&row.get(1)?) else {
            continue;
        };
        let (_, file) = &projects[project].files[at];
        let key = SessionKey::known(&file.kind, row.get(0)?, &file.path.to_string_lossy());
        keyed[project].push((key, (at, file)));
    }
    let mut logged: Vec<Vec<String>> = vec![Vec::new(); projects.len()];
    let mut statement =
        connection.prepare_cached("SELECT project, session FROM session WHERE kind = 'log'")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(&project) = positions.get(&row.get(0)?) {
            logged[project].push(row.get(1)?);
        }
    }
    let of_project = |(at, (keyed, logged)): (usize, (Vec<_>, &Vec<String>))| {
        sessions_of(at, keyed, logged.iter().map(String::as_str).collect())
    };
    Ok(keyed
        .into_iter()
        .zip(&logged)
        .enumerate()
        .map(of_project)
        .collect())
}

/// Takes the prompts of these sessions out of a log that is on disk.
fn scrub(file: &mut FoundFile, forgotten: &HashSet<String>) {
    if matches!(file.kind, FileKind::PromptLog | FileKind::PromptLogBackup)
        && let Ok(log) = file.read_small()
        && let Some(scrubbed) = scrubbed(&log, forgotten)
    {
        file.versions.latest = Some(Arc::new(InMemory(scrubbed)));
    }
}

/// Bytes that stand nowhere.
#[derive(Debug)]
struct InMemory(Vec<u8>);

impl Kept for InMemory {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.0.clone())))
    }

    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Whether files of homes that nobody looked at now are still there, as far as this machine can
/// tell.
fn look_elsewhere(archived: &mut [Found], disk: &[Found], whereabouts: &Whereabouts) {
    let is_here = |found: &Found| {
        found.host == whereabouts.host && disk.iter().any(|it| it.home.root == found.home.root)
    };
    for found in archived.iter_mut().filter(|found| !is_here(found)) {
        let is_ours = found.host == whereabouts.host;
        for project in &mut found.projects {
            for file in &mut project.files {
                file.on_disk = file.on_disk && is_ours && file.path.exists();
            }
        }
    }
}

/// Adds what the disk has beyond the archive.
fn merge(archived: &mut Vec<Found>, disk: Vec<Found>, whereabouts: &Whereabouts) {
    for mut now in disk {
        now.host.clone_from(&whereabouts.host);
        now.user.clone_from(&whereabouts.user);
        let is_it = |found: &&mut Found| {
            found.home.root == now.home.root && found.host == now.host && found.user == now.user
        };
        let Some(then) = archived.iter_mut().find(is_it) else {
            archived.push(now);
            continue;
        };
        let mut kept: HashMap<String, FoundFile> = files_of(then)
            .map(|(_, file)| (path_below(then, file), file.clone()))
            .collect();
        let mut take = |file: &mut FoundFile, below: String| {
            if let Some(old) = kept.remove(&below) {
                add_versions(file, old);
            }
        };
        let root = now.home.root.clone();
        let below = |path: &Path| {
            let below = path.strip_prefix(&root).unwrap_or(path);
            below.to_string_lossy().into_owned()
        };
        for file in now.registry.iter_mut().chain(&mut now.trusted_folders) {
            let below = below(&file.path);
            take(file, below);
        }
        for project in &mut now.projects {
            for file in project.files.iter_mut().chain(&mut project.markers) {
                let below = below(&file.path);
                take(file, below);
            }
        }
        add_gone(&mut now, then, &kept);
        *then = now;
    }
}

/// What the archive has of a file that is on disk.
fn add_versions(file: &mut FoundFile, old: FoundFile) {
    file.versions.archived = old.versions.archived;
    file.versions.earlier = old.versions.earlier;
    if file.stat == old.stat {
        file.versions.latest = old.versions.latest;
    } else if let Some(latest) = old.versions.latest
        && !begins_with(file, latest.as_ref()).unwrap_or(false)
    {
        file.versions.earlier.push(latest);
    }
}

/// Whether a file on disk begins with what is kept of it.
fn begins_with(file: &FoundFile, kept: &dyn Kept) -> io::Result<bool> {
    if file.bytes < kept.bytes() {
        return Ok(false);
    }
    let (mut now, mut then) = (file.open()?, kept.open()?);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        then.by_ref().take(64 << 10).read_to_end(&mut b)?;
        if b.is_empty() {
            return Ok(true);
        }
        now.by_ref().take(b.len() as u64).read_to_end(&mut a)?;
        if a != b {
            return Ok(false);
        }
    }
}

/// Files that only the archive has.
fn add_gone(now: &mut Found, then: &Found, kept: &HashMap<String, FoundFile>) {
    for (dir, file) in files_of(then) {
        if !kept.contains_key(&path_below(then, file)) {
            continue;
        }
        let mut file = file.clone();
        file.on_disk = false;
        let Some(dir) = dir else {
            match file.kind {
                FileKind::Registry => now.registry = Some(file),
                _ => now.trusted_folders = Some(file),
            }
            continue;
        };
        let at = now.projects.iter().position(|project| project.name == dir);
        let at = at.unwrap_or_else(|| {
            now.projects.push(crate::discover::ProjectDir {
                name: dir.to_owned(),
                path: now.home.sessions.join(dir),
                files: Vec::new(),
                markers: Vec::new(),
            });
            now.projects.len() - 1
        });
        let project = &mut now.projects[at];
        if file.kind == FileKind::Marker {
            project.markers.push(file);
        } else {
            project.files.push(file);
        }
    }
}
