//! The entry point: homes and archive, opened together.
//!
//! ```no_run
//! use gemtrail_store::{Places, SessionFilter, Trail, TrailOptions};
//!
//! let places = Places { user_home: Some("/home/alice".into()), ..Places::default() };
//! let (trail, notices) = Trail::open(TrailOptions { places, ..TrailOptions::default() })?;
//! for notice in notices {
//!     eprintln!("{notice}");
//! }
//! for row in trail.view().sessions(&SessionFilter::default()) {
//!     println!("{}  {}", row.reference, row.title.as_deref().unwrap_or("–"));
//! }
//! # Ok::<(), gemtrail_store::TrailError>(())
//! ```

#[cfg(feature = "watch")]
mod follow;
mod open;
mod project;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

#[cfg(feature = "watch")]
pub use follow::FollowEvent;
pub use project::ScanOptions;

use crate::archive::{
    Archive, ArchiveError, Interrupt, Machine, Progress, RepairReport, SyncOptions, repair,
};
use crate::db::pool::Pool;
use crate::library::Changes;
use crate::{Effort, Hints, Home, Learned, LearnedError, Library, Places, StoreError};

/// What to open, and how. The values come from the caller: this crate reads neither the environment
/// nor the clock.
#[derive(Clone, Debug, Default)]
pub struct TrailOptions {
    /// The places of the homes.
    pub places: Places,
    /// The archive, if one is used.
    pub archive: Option<ArchiveOptions>,
    /// The directory for learned root paths; without it they are not kept.
    pub data_dir: Option<PathBuf>,
    /// The current directory; it and its ancestors may be project roots.
    pub current_dir: Option<PathBuf>,
    /// The effort to find root paths.
    pub effort: Effort,
    /// True if the first view may be what the archive has, without a look at the disk: there is
    /// something to show at once, however much is on disk. Only for those who
    /// [refresh](Trail::refresh) or follow it right away.
    pub shows_archive_first: bool,
    /// True if nothing may be written: neither new content into the archive nor learned paths.
    pub read_only: bool,
}

/// The archive to use, and the way to use it.
#[derive(Clone, Debug, Default)]
pub struct ArchiveOptions {
    /// Its file.
    pub path: PathBuf,
    /// The way to go on if it cannot be used.
    pub need: ArchiveNeed,
    /// True if it is brought up to date first.
    pub may_sync: bool,
    /// Called while it is brought up to date.
    pub on_progress: Option<OnProgress>,
    /// Ends that early once it is set.
    pub interrupt: Interrupt,
    /// This machine and account.
    pub machine: Machine,
    /// Root paths of excluded projects.
    pub exclude: Vec<String>,
    /// After how many days sessions that are no longer on disk are dropped; 0 for never.
    pub keep_days: u32,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
}

/// Is told how far an update has come.
#[derive(Clone)]
pub struct OnProgress(pub Arc<dyn Fn(Progress) + Send + Sync>);

impl fmt::Debug for OnProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OnProgress")
    }
}

/// The way to go on when an archive cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArchiveNeed {
    /// Read only the disk if there is no archive, or not yet.
    #[default]
    IfThere,
    /// Fail if there is none; read only the disk while it is being created.
    Named,
    /// Fail.
    Always,
}

/// A reason why homes and archive cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrailError {
    /// A home that was asked for does not exist.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive cannot be used.
    #[error("cannot use the archive {}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The reason.
        source: ArchiveError,
    },
}

/// Something that did not prevent the work, but that the user may want to know.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Notice {
    /// The archive cannot be used now; only the disk was read.
    #[error("{0}; reading only the disk (gemtrail sync)")]
    DiskOnly(ArchiveError),
    /// The archive could not be brought up to date; this is what it had before.
    #[error("the archive could not be updated: {0}; new sessions may be missing")]
    NotUpdated(ArchiveError),
    /// The archive was damaged, and what could be read of it was saved.
    #[error("warning: the archive was damaged; {}", saved(.0))]
    Repaired(RepairReport),
    /// The file of learned paths cannot be read.
    #[error("warning: {0}")]
    LearnedPaths(LearnedError),
    /// What was learned could not be saved.
    #[error("{0}")]
    NotRemembered(LearnedError),
}

/// What was saved of an archive, and where the rest is, in words.
fn saved(report: &RepairReport) -> String {
    let (sessions, kept) = (report.sessions, &report.kept);
    let s = if sessions == 1 { "" } else { "s" };
    let lost = if report.ok {
        "nothing is lost"
    } else {
        "the rest is lost"
    };
    format!("recovered {sessions} session{s}, {lost}; the damaged file was moved to {kept}")
}

impl Notice {
    /// True if it is of interest only in verbose output.
    pub fn is_detail(&self) -> bool {
        matches!(self, Self::NotRemembered(_))
    }
}

/// Homes and archive, open for reading.
///
/// What they hold is a [view](Trail::view): a [`Library`] that never changes and that any number of
/// threads may share. [`Trail::refresh`] makes a new one if something changed.
#[derive(Debug)]
pub struct Trail {
    options: TrailOptions,
    learned: Mutex<Learned>,
    view: RwLock<Arc<Library>>,
    /// The index of files that no archive has.
    memory: OnceLock<Option<Arc<Pool>>>,
}

impl Trail {
    /// Opens homes and archive. The notices are for the user.
    pub fn open(options: TrailOptions) -> Result<(Self, Vec<Notice>), TrailError> {
        let mut notices = Vec::new();
        let learned = Learned::read(options.data_dir.as_deref()).unwrap_or_else(|error| {
            notices.push(Notice::LearnedPaths(error));
            Learned::default()
        });
        let trail = Self {
            options,
            learned: Mutex::new(learned),
            view: RwLock::default(),
            memory: OnceLock::new(),
        };
        let library = trail.first_look(&mut notices)?;
        trail.show(library, &mut notices);
        Ok((trail, notices))
    }

    /// The contents of homes and archive at the last look.
    pub fn view(&self) -> Arc<Library> {
        let view = self.view.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&view)
    }

    /// Opens the archive, if one is used.
    pub fn archive(&self) -> Option<Archive> {
        Archive::open(self.view().archive()?).ok()
    }

    /// The index of files that no archive has. It is kept, so that only what changed is read again.
    fn memory(&self) -> Option<&Arc<Pool>> {
        self.memory.get_or_init(|| Pool::in_memory().ok()).as_ref()
    }

    /// Looks again. Returns what changed since the last look, if anything did.
    ///
    /// `now` is the current time in milliseconds since 1970.
    pub fn refresh(&self, now: i64) -> Result<(Option<Changes>, Vec<Notice>), TrailError> {
        let mut notices = Vec::new();
        let then = self.view().mark();
        let library = self.read_with(&self.hints(), Some(now), &mut notices)?;
        let changes = library.changes_since(&then);
        if changes.is_some() {
            self.show(library, &mut notices);
        }
        Ok((changes, notices))
    }

    /// The options for a sync.
    pub fn sync_options(&self) -> SyncOptions {
        let archive = self.options.archive.clone().unwrap_or_default();
        SyncOptions {
            hints: self.hints(),
            ..archive.sync_options()
        }
    }

    /// The homes by absolute paths, as the archive stores them.
    pub fn homes(&self) -> Result<Vec<Home>, StoreError> {
        self.options.places.homes()
    }

    /// Keeps root paths for the next time.
    fn remember(&self, paths: &[String], notices: &mut Vec<Notice>) {
        if let Err(error) = self.learned().remember(paths) {
            notices.push(Notice::NotRemembered(error));
        }
    }

    /// Replaces the view by a library, and remembers the root paths it learned.
    fn show(&self, library: Library, notices: &mut Vec<Notice>) {
        // A file that could not be read must not be overwritten.
        let is_broken = |notice: &Notice| matches!(notice, Notice::LearnedPaths(_));
        if !self.options.read_only && !notices.iter().any(is_broken) {
            self.remember(library.learned(), notices);
        }
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        *view = Arc::new(library);
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The help to find root paths.
    fn hints(&self) -> Hints {
        Hints {
            current_dir: self.options.current_dir.clone(),
            taught: self.learned().paths().to_vec(),
            effort: self.options.effort,
        }
    }
}

impl ArchiveOptions {
    fn repair(&self) -> Result<RepairReport, ArchiveError> {
        repair(&self.path, &self.sync_options(), &mut |progress| {
            if let Some(on_progress) = &self.on_progress {
                (on_progress.0)(progress);
            }
        })
    }

    fn sync_options(&self) -> SyncOptions {
        SyncOptions {
            now: self.now,
            machine: self.machine.clone(),
            exclude: self.exclude.clone(),
            keep_days: self.keep_days,
            interrupt: self.interrupt.clone(),
            ..SyncOptions::default()
        }
    }

    fn failed(&self, source: ArchiveError) -> TrailError {
        TrailError::Archive {
            path: self.path.clone(),
            source,
        }
    }
}
