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

mod changes;
#[cfg(feature = "watch")]
mod follow;
mod learned;
mod notice;
mod open;
mod project;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub use changes::Changes;
#[cfg(feature = "watch")]
pub use follow::FollowEvent;
pub use learned::{Learned, LearnedError};
pub use notice::Notice;
pub use project::ScanOptions;

use crate::archive::{Archive, ArchiveError, Prefetch, SyncOptions, Whereabouts};
use crate::library::Prints;
use crate::{Effort, Hints, Home, Library, Places, StoreError};

/// What to open, and how. The values come from the caller: this crate reads neither the environment
/// nor the clock.
#[derive(Clone, Debug, Default)]
pub struct TrailOptions {
    /// Where the homes are.
    pub places: Places,
    /// The archive, if one is used.
    pub archive: Option<ArchiveOptions>,
    /// Where learned root paths are kept; without it they are not.
    pub data_dir: Option<PathBuf>,
    /// The current directory; it and its ancestors may be project roots.
    pub current_dir: Option<PathBuf>,
    /// How hard to look for root paths.
    pub effort: Effort,
    /// Whether the first view may be what the archive has, without a look at the disk: there is
    /// something to show at once, however much is on disk. Only for those who
    /// [refresh](Trail::refresh) or [follow](Trail::follow) right away.
    pub shows_archive_first: bool,
    /// Whether nothing may be written: neither new content into the archive nor learned paths.
    pub read_only: bool,
}

/// Which archive to use, and how.
#[derive(Clone, Debug, Default)]
pub struct ArchiveOptions {
    /// Its file.
    pub path: PathBuf,
    /// What to do if it cannot be used.
    pub need: ArchiveNeed,
    /// Whether new content may be taken in, if that is quick.
    pub may_sync: bool,
    /// This machine and account.
    pub machine: Whereabouts,
    /// Root paths of excluded projects.
    pub exclude: Vec<String>,
    /// After how many days sessions that are no longer on disk are dropped; 0 for never.
    pub keep_days: u32,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
    /// What will be needed next, to be prefetched while the disk is scanned.
    pub prefetch: Option<Prefetch>,
}

/// What to do when an archive cannot be used.
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

/// Why homes and archive cannot be opened.
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
        /// Why.
        source: ArchiveError,
    },
}

/// Homes and archive, open for reading.
///
/// What they hold is a [view](Trail::view): a [`Library`] that never changes and that any number of
/// threads may share. [`Trail::refresh`] makes a new one if something changed.
#[derive(Debug)]
pub struct Trail {
    options: TrailOptions,
    learned: Mutex<Learned>,
    archive: Option<Archive>,
    view: RwLock<Arc<Library>>,
    /// What the sessions of the view look like, as far as that was asked.
    prints: Mutex<Option<Prints>>,
}

impl Trail {
    /// Opens homes and archive. The notices are for the user.
    pub fn open(options: TrailOptions) -> Result<(Self, Vec<Notice>), TrailError> {
        let mut notices = Vec::new();
        let learned = Learned::read(options.data_dir.as_deref()).unwrap_or_else(|error| {
            notices.push(Notice::LearnedPaths(error));
            Learned::default()
        });
        let mut trail = Self {
            options,
            learned: Mutex::new(learned),
            archive: None,
            view: RwLock::default(),
            prints: Mutex::default(),
        };
        let opened = trail.first_look(&mut notices)?;
        trail.archive = opened.archive;
        trail.show(opened.library, &mut notices);
        Ok((trail, notices))
    }

    /// The contents of homes and archive at the last look.
    pub fn view(&self) -> Arc<Library> {
        let view = self.view.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&view)
    }

    /// The archive, if one is used.
    pub fn archive(&self) -> Option<&Archive> {
        self.archive.as_ref()
    }

    /// Looks again. Returns what changed since the last look, if anything did.
    ///
    /// `now` is the current time in milliseconds since 1970.
    pub fn refresh(&self, now: i64) -> Result<(Option<Changes>, Vec<Notice>), TrailError> {
        let mut notices = Vec::new();
        let before = self.view();
        let then = self.prints_of(&before);
        let opened = self.read_with(&self.hints(), Some(now), &mut notices)?;
        let (now, changes) = Changes::between((&before, then.as_ref()), &opened.library);
        *self.prints() = now.or(then);
        if changes.is_some() {
            self.show(opened.library, &mut notices);
        }
        Ok((changes, notices))
    }

    /// What the sessions of a view look like: as noted when it was made, or else as it is now.
    fn prints_of(&self, view: &Library) -> Option<Prints> {
        let noted = self.prints().take();
        let noted = noted.filter(|noted| view.mark() == Some(noted.mark()));
        noted.or_else(|| view.prints())
    }

    fn prints(&self) -> MutexGuard<'_, Option<Prints>> {
        self.prints.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Replaces the view by a library, and remembers the root paths it learned.
    fn show(&self, library: Library, notices: &mut Vec<Notice>) {
        // A file that could not be read must not be overwritten.
        let is_broken = |notice: &Notice| matches!(notice, Notice::LearnedPaths(_));
        if !self.options.read_only
            && !notices.iter().any(is_broken)
            && let Err(error) = self.learned().remember(library.learned())
        {
            notices.push(Notice::NotRemembered(error));
        }
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        *view = Arc::new(library);
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What helps to find root paths.
    fn hints(&self) -> Hints {
        Hints {
            current_dir: self.options.current_dir.clone(),
            taught: self.learned().paths().to_vec(),
            effort: self.options.effort,
        }
    }
}

impl ArchiveOptions {
    fn sync_options(&self) -> SyncOptions {
        SyncOptions {
            now: self.now,
            whereabouts: self.machine.clone(),
            exclude: self.exclude.clone(),
            keep_days: self.keep_days,
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
