//! What an archive knew at one moment, and how far it is behind the disk.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use crate::Hints;
use crate::archive::db::ids::{Dir, HomeRowId};
use crate::archive::db::mark::Mark;
use crate::archive::db::pool::Pool;
use crate::archive::db::{ArchiveError, schema};
use crate::archive::raw::found::{files_of, path_below};
use crate::archive::raw::hash::Hash;
use crate::archive::raw::prompts::{forgotten, scrubbed};
use crate::archive::raw::whereabouts::Whereabouts;
use crate::archive::raw::{exclude, tree};
use crate::archive::views::taught;
use crate::discover::{FileKind, Found, FoundFile};
use crate::source::{Kept, Stat};

/// The files that an archive knows.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) found: Vec<Found>,
    /// Their rows.
    pub(crate) homes: Vec<HomeRowId>,
    /// The forgotten files of each home, with their state at that time.
    forgotten: Vec<HashMap<PathBuf, Stat>>,
    /// Digests of everything that was forgotten.
    digests: HashSet<Hash>,
    /// Excluded project directories.
    excluded: HashSet<Dir>,
    /// Root paths it was taught; `None` if it knows the path of every project.
    taught: Option<HashSet<String>>,
    pub(crate) mark: Mark,
}

/// A snapshot that was compared with the disk.
#[derive(Debug)]
pub struct Compared {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// Whether its views are up to date and the disk has nothing new.
    pub is_current: bool,
}

/// How far an archive is behind the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Files that are new or changed.
    pub files: usize,
    /// How much of them is new.
    pub bytes: u64,
    /// Files that disappeared or came back.
    pub moved: usize,
}

impl Behind {
    /// Whether there is anything to take in.
    pub fn is_due(&self) -> bool {
        self.files + self.moved > 0
    }
}

impl Snapshot {
    pub(crate) fn read(pool: &Arc<Pool>, connection: &Connection) -> Result<Self, ArchiveError> {
        let (found, homes) = tree::homes(pool, connection)?;
        let mut files = tree::forgotten(connection)?;
        Ok(Self {
            forgotten: homes
                .iter()
                .map(|home| files.remove(home).unwrap_or_default())
                .collect(),
            digests: forgotten(connection)?,
            excluded: exclude::excluded(connection)?,
            taught: taught::if_it_matters(connection)?,
            mark: Mark::read(connection)?,
            found,
            homes,
        })
    }

    /// Compares it with the disk.
    pub(crate) fn compared(
        self,
        connection: &Connection,
        disk: &[Found],
        whereabouts: &Whereabouts,
        hints: &Hints,
    ) -> Result<Compared, ArchiveError> {
        let is_current = self.behind(disk, whereabouts).is_none()
            && self.knows_paths(hints)
            && is_fresh(connection)?;
        Ok(Compared {
            snapshot: self,
            is_current,
        })
    }

    /// Whether it already knows all these root paths, as far as they matter to it.
    pub fn knows_paths(&self, hints: &Hints) -> bool {
        let known = self.taught.as_ref();
        known.is_none_or(|known| hints.taught.iter().all(|path| known.contains(path)))
    }

    /// The index of a home that is on disk.
    fn position(&self, now: &Found, whereabouts: &Whereabouts) -> Option<usize> {
        let mut found = self.found.iter();
        found.position(|then| whereabouts.are_of(then, now))
    }

    /// What would have to be read to rebuild all views.
    pub fn everything(&self) -> Behind {
        let files = self.found.iter().flat_map(files_of);
        files.fold(Behind::default(), |sum, (_, file)| Behind {
            files: sum.files + 1,
            bytes: sum.bytes + file.bytes,
            ..sum
        })
    }

    /// Whether it has ever seen a home.
    pub fn knows_home(&self, now: &Found, whereabouts: &Whereabouts) -> bool {
        self.position(now, whereabouts).is_some()
    }

    /// What is on disk, without what was forgotten.
    pub(crate) fn without_forgotten(
        &self,
        mut disk: Vec<Found>,
        whereabouts: &Whereabouts,
    ) -> Vec<Found> {
        if self.digests.is_empty() {
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
                    !forgotten.get(below).is_some_and(|then| then.is(&file.stat))
                });
                for file in &mut project.files {
                    scrub(file, &self.digests);
                }
            }
        }
        disk
    }

    /// The excluded project directories with files on disk that the archive lacks or has in another
    /// state. They are never taken in; readers find them on disk.
    pub(crate) fn excluded_on_disk(
        &self,
        disk: &[Found],
        whereabouts: &Whereabouts,
    ) -> HashSet<Dir> {
        let mut dirs = HashSet::new();
        if self.excluded.is_empty() {
            return dirs;
        }
        for now in disk {
            let Some(at) = self.position(now, whereabouts) else {
                continue;
            };
            let known: HashMap<&Path, Stat> = files_of(&self.found[at])
                .map(|(_, file)| (file.path.as_path(), file.stat))
                .collect();
            for (dir, file) in files_of(now) {
                let dir = dir.map(|dir| (self.homes[at], dir.to_owned()));
                let dir = dir.filter(|dir| self.excluded.contains(dir));
                let then = known.get(file.path.as_path());
                if !then.is_some_and(|then| then.is(&file.stat)) {
                    dirs.extend(dir);
                }
            }
        }
        dirs
    }

    /// The files on disk that it has as they are now.
    pub(crate) fn has_as_they_are(
        &self,
        disk: &[Found],
        whereabouts: &Whereabouts,
    ) -> HashSet<PathBuf> {
        let mut same = HashSet::new();
        for now in disk {
            let Some(at) = self.position(now, whereabouts) else {
                continue;
            };
            let known = files_of(&self.found[at]);
            let known: HashMap<&Path, Stat> = known
                .map(|(_, file)| (file.path.as_path(), file.stat))
                .collect();
            let is_known = |file: &FoundFile| {
                let then = known.get(file.path.as_path());
                then.is_some_and(|then| then.is(&file.stat))
            };
            let files = files_of(now).filter(|(_, file)| is_known(file));
            same.extend(files.map(|(_, file)| file.path.clone()));
        }
        same
    }

    /// How far it is behind the disk, if at all. Compares size, modification time and identity.
    /// Excluded projects do not count.
    pub fn behind(&self, disk: &[Found], whereabouts: &Whereabouts) -> Option<Behind> {
        let mut behind = Behind::default();
        for now in disk {
            let at = self.position(now, whereabouts);
            let mut known: HashMap<&Path, &FoundFile> = at
                .map(|at| &self.found[at])
                .into_iter()
                .flat_map(files_of)
                .map(|(_, file)| (file.path.as_path(), file))
                .collect();
            let mut seen = HashSet::new();
            let is_forgotten = |file: &FoundFile| {
                let known = at.and_then(|at| self.forgotten[at].get(path_below(now, file)));
                known.is_some_and(|then| then.is(&file.stat))
            };
            let is_excluded = |dir: Option<&str>| {
                let dir = at
                    .zip(dir)
                    .map(|(at, dir)| (self.homes[at], dir.to_owned()));
                dir.is_some_and(|dir| self.excluded.contains(&dir))
            };
            for (dir, file) in files_of(now) {
                let path = file.path.as_path();
                let then = known.remove(path);
                if !seen.insert(path) {
                    continue;
                }
                match then {
                    Some(then) if then.stat.is(&file.stat) => {
                        behind.moved += usize::from(!then.on_disk);
                    }
                    None if is_forgotten(file) => {}
                    _ if is_excluded(dir) => {}
                    then => {
                        let stored = then.map_or(0, |then| then.bytes);
                        behind.files += 1;
                        behind.bytes += file.bytes.checked_sub(stored).unwrap_or(file.bytes);
                    }
                }
            }
            let left = known.values().filter(|then| then.on_disk);
            behind.moved += left.filter(|then| now.is_gone(&then.path)).count();
        }
        (behind != Behind::default()).then_some(behind)
    }
}

/// Whether the views are up to date with the files.
pub(crate) fn is_fresh(connection: &Connection) -> Result<bool, ArchiveError> {
    // Views of another version may have other tables.
    Ok(schema::has_our_views(connection)?
        && !connection
            .prepare_cached("SELECT 1 FROM stale UNION ALL SELECT 1 FROM touched")?
            .exists([])?)
}

/// Removes the prompts with these digests from a log on disk.
fn scrub(file: &mut FoundFile, forgotten: &HashSet<Hash>) {
    if matches!(file.kind, FileKind::PromptLog | FileKind::PromptLogBackup)
        && let Ok(log) = file.read_small()
        && let Some(scrubbed) = scrubbed(&log, forgotten)
    {
        file.versions.latest = Some(Arc::new(InMemory(scrubbed)));
    }
}

/// File contents held in memory.
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
