//! All homes as one library of sessions.

mod across;
mod assemble;
mod checkpoints;
mod filter;
mod index;
mod kept;
mod lookup;
mod metrics;
mod newest;
mod part;
mod prints;
mod query;
mod read;
mod resolve;
mod rows;
mod scan;
mod search;
mod stats;
mod unread;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gemtrail_core::model::{Diagnostic, Session, SessionRef, SessionRow};
use gemtrail_core::stats::SessionFacts;
use gemtrail_core::view::{Metrics, ProjectNames};

use crate::discover::{Found, discover};
use crate::project::{self, Hints, ProjectEntry, Registry, Stacks};
use crate::search::{Answer, Echoes, Page, Query};
use crate::source::{Archived, Damage, DamagedFile};
use crate::{Places, StoreError};

pub(crate) use assemble::by_session;
pub use filter::{Kinds, SessionFilter};
#[cfg(feature = "archive")]
pub(crate) use index::key_of;
pub(crate) use index::{Look, sessions_of};
pub use metrics::StampedRow;
pub(crate) use metrics::ViewRow;
pub(crate) use newest::newest_of;
pub(crate) use part::KnownPart;
pub use part::{SessionPart, Spot, WantedPart};
pub(crate) use prints::Prints;
pub use query::QueryContext;
#[cfg(feature = "archive")]
pub(crate) use read::fingerprint_of;
pub use read::{Handle, MessagePage, ReadDetail, ReadError};
pub use resolve::{Candidate, Named, ResolveError};
pub(crate) use rows::{Line, select};
pub use rows::{ListRow, RowLine};
pub use scan::{DEFAULT_SCAN_DEPTH, Scanned, usual_directories};

use index::ProjectCache;
use unread::Unread;

/// Everything found in all homes, by project.
#[derive(Debug, Default)]
pub struct Library {
    /// The homes; without their files if these are in the stacks.
    found: Vec<Found>,
    projects: Vec<ProjectEntry>,
    /// Where files are looked up, if they were not all read.
    stacks: Option<Arc<dyn Stacks>>,
    /// What the archive was like when that is all there is: two libraries with the same mark are the
    /// same.
    mark: Option<String>,
    learned: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// One per project.
    pub(crate) caches: Vec<ProjectCache>,
    exact_index: OnceLock<Vec<Handle>>,
    /// The project of every session that was listed, by position.
    listed: OnceLock<HashMap<SessionRef, usize>>,
    pub(crate) views: Option<Box<dyn Views>>,
    archive: Option<PathBuf>,
    /// The machine of each home that is not on this one.
    foreign: Vec<Option<String>>,
    /// Why the views could not be used, if so.
    degraded: OnceLock<String>,
    /// What the archive has damaged, as far as was noticed.
    damage: Damage,
    unread: Unread,
}

/// Rows with the indices of their projects.
pub(crate) type PlacedRows = Vec<(usize, ListRow)>;

/// Fingerprints of sessions with the indices of their projects and their references.
pub(crate) type SessionPrints = Vec<(usize, SessionRef, i64)>;

/// A source of session rows that needs no reading: the archive's views. They answer nothing once
/// they have been dropped, and while they are being rebuilt; then files are read.
pub(crate) trait Views: std::fmt::Debug + Send + Sync {
    /// Whether they have the sessions of a project. Others are read from their files.
    fn covers(&self, project: usize) -> bool;

    /// The row of every session, with the index of its project. Whether it is on disk is left open,
    /// and its reference is the one on its own machine.
    fn rows(&self) -> std::io::Result<Option<Vec<(usize, SessionRow)>>>;

    /// What lists show of the rows.
    fn list_rows(&self) -> std::io::Result<Option<Vec<(usize, ListRow)>>>;

    /// The same, one after the other. Without an answer they count for nothing.
    fn each_row(&self, each: &mut dyn FnMut(usize, ListRow)) -> std::io::Result<Option<()>>;

    /// What lists show of the newest sessions of the plain list: at least this many, if there are.
    fn newest(&self, count: usize) -> std::io::Result<Option<Vec<(usize, ListRow)>>>;

    /// How many sessions the plain list has.
    fn count_listed(&self) -> std::io::Result<Option<usize>>;

    /// Those rows, each with its line of JSON.
    fn newest_lines(&self, count: usize) -> std::io::Result<Option<Vec<(usize, ListRow, Line)>>>;

    /// What lists show, each with its line of JSON.
    fn lines(&self) -> std::io::Result<Option<Vec<(usize, ListRow, Line)>>>;

    /// What lists show, each with its facts for statistics. With a time in milliseconds since 1970,
    /// sessions last updated before it may be left out.
    fn facts(
        &self,
        since: Option<i64>,
    ) -> std::io::Result<Option<Vec<(usize, ListRow, SessionFacts)>>>;

    /// The archive's mark, and the fingerprint of every session: it changes whenever anything about
    /// the session does.
    fn prints(&self) -> std::io::Result<Option<(String, SessionPrints)>>;

    /// What lists show, each with its row in the views.
    fn stamped_rows(&self) -> std::io::Result<Option<Vec<(usize, ListRow, ViewRow)>>>;

    /// The metrics of these sessions by their rows, without those that have changed since.
    fn metrics(&self, rows: &[ViewRow]) -> std::io::Result<Option<HashMap<i64, Metrics>>>;

    /// What lists show of a session, by its project and local reference, and of all others that were
    /// updated at the same time; and how many rows of the plain list are newer.
    fn contemporaries(
        &self,
        project: usize,
        reference: SessionRef,
    ) -> std::io::Result<Option<(usize, PlacedRows)>>;

    /// The exact sessions of a project.
    fn handles(&self, project: usize, entry: &ProjectEntry)
    -> std::io::Result<Option<Vec<Handle>>>;

    /// The sessions of each project whose ids start so, in any case, and their subagents.
    fn look_up(
        &self,
        projects: &[ProjectEntry],
        start: &str,
    ) -> std::io::Result<Option<Vec<Vec<Handle>>>>;

    /// A part of a long session that was made from this version of its only file. `None` if it is not
    /// known well enough to be read by itself.
    fn part(
        &self,
        handle: &Handle,
        file: Archived,
        wanted: &WantedPart,
    ) -> std::io::Result<Option<KnownPart>>;

    /// The fingerprints of what only the log has of a session, see [`fingerprint_of`].
    fn logged(&self, handle: &Handle) -> std::io::Result<Option<HashSet<u64>>>;

    /// Answers a query from the index, and records texts that checkpoints have as well. Sessions
    /// are read from the library. `None` while the index is being rebuilt.
    fn search(
        &self,
        library: &Library,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> std::io::Result<Option<Answer>>;
}

/// The sessions of one project.
#[derive(Debug, Default)]
pub struct ProjectSessions {
    /// Main sessions with their subagents, subagents whose parent is gone, and sessions known only
    /// from the prompt log.
    pub sessions: Vec<Session>,
    /// Files that could not be read at all.
    pub diagnostics: Vec<Diagnostic>,
}

impl Library {
    /// Scans the homes. Reads names and headers, and the starts of files in projects whose root
    /// path is neither in a marker nor in a registry.
    pub fn open(places: &Places) -> Result<Self, StoreError> {
        Self::open_with(places, &Hints::default())
    }

    /// Scans the homes, with hints for finding root paths.
    pub fn open_with(places: &Places, hints: &Hints) -> Result<Self, StoreError> {
        let found = places.homes()?.iter().map(discover).collect();
        Ok(Self::of(found, hints))
    }

    /// Groups what was found into projects.
    pub(crate) fn of(found: Vec<Found>, hints: &Hints) -> Self {
        let mut diagnostics: Vec<Diagnostic> = found
            .iter()
            .flat_map(|found| found.diagnostics.clone())
            .collect();
        let registries: Vec<Registry> = found
            .iter()
            .map(|found| Registry::read(found.registry.as_ref(), &mut diagnostics))
            .collect();
        let mut projects = project::join(&found, &registries, &mut diagnostics);
        let learned = project::resolve(&mut projects, &found, &registries, hints);
        Self {
            caches: projects.iter().map(|_| ProjectCache::default()).collect(),
            found,
            projects,
            learned,
            diagnostics,
            ..Self::default()
        }
    }

    /// A library whose rows come from views.
    #[cfg(feature = "archive")]
    pub(crate) fn with_views(
        found: Vec<Found>,
        projects: Vec<ProjectEntry>,
        views: Box<dyn Views>,
    ) -> Self {
        Self {
            views: Some(views),
            ..Self::of_projects(found, projects)
        }
    }

    /// Looks files up in the stacks.
    #[cfg(feature = "archive")]
    pub(crate) fn with_stacks(mut self, stacks: Arc<dyn Stacks>, mark: String) -> Self {
        self.stacks = Some(stacks);
        self.mark = Some(mark);
        self
    }

    /// A library of projects that are fully resolved.
    pub(crate) fn of_projects(found: Vec<Found>, projects: Vec<ProjectEntry>) -> Self {
        Self {
            caches: projects.iter().map(|_| ProjectCache::default()).collect(),
            found,
            projects,
            ..Self::default()
        }
    }

    /// Sets the archive that the library comes from, and the machine it is read on.
    #[cfg(feature = "archive")]
    pub(crate) fn of_archive(mut self, path: &Path, here: Option<&str>, damage: &Damage) -> Self {
        self.damage = damage.clone();
        let is_foreign = |host: &String| here != Some(host.as_str());
        let hosts = self.found.iter().map(|found| found.host.clone());
        self.foreign = hosts.map(|host| host.filter(is_foreign)).collect();
        self.archive = Some(path.to_owned());
        self
    }

    /// Why the archive's views could not be used and files were read instead, if that happened.
    pub fn degraded(&self) -> Option<&str> {
        let fault = self.stacks.as_ref().and_then(|stacks| stacks.fault());
        self.degraded.get().map(String::as_str).or(fault)
    }

    /// Adds what was odd about the disk.
    #[cfg(feature = "archive")]
    pub(crate) fn with_diagnostics(mut self, more: Vec<Diagnostic>) -> Self {
        self.diagnostics.extend(more);
        self
    }

    /// Files whose bytes turned out to be damaged in the archive, so far.
    pub fn damaged_files(&self) -> Vec<DamagedFile> {
        self.damage.files()
    }

    /// What the views answer; `None` if there are none or they fail, which is then recorded.
    pub(crate) fn ask_views<T>(
        &self,
        ask: impl FnOnce(&dyn Views) -> std::io::Result<Option<T>>,
    ) -> Option<T> {
        let answer = ask(self.views.as_deref()?);
        let note = |error: &std::io::Error| {
            self.degraded.get_or_init(|| error.to_string());
        };
        answer.inspect_err(note).ok().flatten()
    }

    /// Whether the views have the sessions of a project.
    pub(crate) fn is_covered(&self, project: usize) -> bool {
        let views = self.views.as_ref();
        views.is_some_and(|views| views.covers(project))
    }

    /// The indices of projects whose sessions are read from files.
    pub(crate) fn uncovered(&self) -> Vec<usize> {
        let projects = 0..self.projects.len();
        projects.filter(|at| !self.is_covered(*at)).collect()
    }

    /// Identifies a project in the references of its sessions, on whatever machine it is read.
    pub(crate) fn identity_of(&self, entry: &ProjectEntry) -> String {
        if let Some(hash) = entry.known_hash() {
            return hash.clone();
        }
        // Two homes may have directories of the same name; only the same path makes them one
        // project.
        let Some((home, dir)) = entry.dirs.first() else {
            return String::new();
        };
        let root = self.found.get(*home).map(|found| &found.home.root);
        let root = root.map(|root| std::fs::canonicalize(root).unwrap_or_else(|_| root.clone()));
        format!("{}/{dir}", root.unwrap_or_default().display())
    }

    /// A session's reference on this machine, given the one on its own machine.
    pub(crate) fn as_seen_here(&self, home: usize, reference: SessionRef) -> SessionRef {
        match self.foreign.get(home) {
            Some(Some(host)) => reference.on_machine(host),
            _ => reference,
        }
    }

    /// The home of a project, or the first of several.
    pub(crate) fn home_of(&self, project: usize) -> usize {
        let dirs = self.projects.get(project).map(|entry| &entry.dirs);
        dirs.and_then(|dirs| dirs.first())
            .map_or(0, |(home, _)| *home)
    }

    /// The archive that was used besides the disk, if any.
    pub fn archive(&self) -> Option<&Path> {
        self.archive.as_deref()
    }

    /// All sessions, by the headers of their files.
    pub(crate) fn index(&self) -> Vec<&Handle> {
        // The files of each project are read on several threads.
        let projects = 0..self.projects.len();
        projects.flat_map(|at| self.handles_of(at)).collect()
    }

    /// All sessions, after reading every file in full.
    pub(crate) fn exact_index(&self) -> &[Handle] {
        computed(&self.exact_index, || {
            let look_up = |at| {
                if self.is_covered(at) {
                    self.handles_of(at).to_vec()
                } else {
                    self.look_up(at, Look::Everything)
                }
            };
            (0..self.projects.len()).flat_map(look_up).collect()
        })
    }

    /// What was found in each home.
    pub fn homes(&self) -> &[Found] {
        match &self.stacks {
            Some(stacks) => stacks.homes(),
            None => &self.found,
        }
    }

    /// The directories of the homes.
    pub fn home_roots(&self) -> impl Iterator<Item = &Path> {
        self.found.iter().map(|found| found.home.root.as_path())
    }

    /// The homes, perhaps without their files.
    pub(crate) fn heads(&self) -> &[Found] {
        &self.found
    }

    /// The projects of all homes.
    pub fn projects(&self) -> &[ProjectEntry] {
        &self.projects
    }

    /// What the projects are called, so that a name means the same in every list.
    pub fn project_names(&self) -> ProjectNames {
        ProjectNames::of(self.projects.iter().map(ProjectEntry::project))
    }

    /// Root paths worth remembering as [`Hints::taught`]: the next scan may not find them again.
    pub fn learned(&self) -> &[String] {
        &self.learned
    }

    /// What was odd about directories and names.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether rows are available without reading any session.
    pub fn knows_rows(&self) -> bool {
        self.views.is_some()
    }

    /// A library of the same files without the views.
    pub(crate) fn without_views(&self) -> Self {
        Self {
            archive: self.archive.clone(),
            foreign: self.foreign.clone(),
            damage: self.damage.clone(),
            unread: self.unread.clone(),
            diagnostics: self.diagnostics.clone(),
            ..Self::of_projects(self.homes().to_vec(), self.projects.clone())
        }
    }
}

/// The value of a cell, computed on first use. No lock is held meanwhile: computing uses the thread
/// pool, whose threads may need the same cell. At worst two threads compute the same value.
pub(crate) fn computed<T>(cell: &OnceLock<Vec<T>>, compute: impl FnOnce() -> Vec<T>) -> &[T] {
    if let Some(value) = cell.get() {
        return value;
    }
    let value = compute();
    cell.get_or_init(|| value)
}
