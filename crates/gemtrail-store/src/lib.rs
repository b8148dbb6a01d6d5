#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod archive;
mod db;
mod index;
mod library;
mod raw;
mod trail;

pub use gemtrail_home::catalog::ProjectSessions;
pub use gemtrail_home::discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use gemtrail_home::group::SessionKey;
pub use gemtrail_home::home::{Home, Places, SANDBOX_PREFIX, StoreError};
pub use gemtrail_home::learned::{Learned, LearnedError};
pub use gemtrail_home::load::load_from;
pub use gemtrail_home::outputs::Outputs;
pub use gemtrail_home::paths;
pub use gemtrail_home::project::{Effort, Hints, ProjectEntry};
pub use gemtrail_home::scan::{DEFAULT_SCAN_DEPTH, Scanned, usual_directories};
pub use gemtrail_home::source::{DamagedFile, read_given};
#[cfg(feature = "watch")]
pub use gemtrail_home::watch;

pub use archive::{
    ArchiveCheck, ArchiveError, ArchiveInfo, Forgotten, Machine, MarkChange, SyncReport,
    tighten as tighten_archive,
};
pub use index::clean_up::CleanUpRow;
pub use index::rows::ListRow;
pub use library::{
    Candidate, Changes, Handle, Kinds, Library, MessagePage, Named, QueryContext, ReadDetail,
    ReadError, ResolveError, RowLine, SessionFilter, SessionPart, Spot, StampedRow, WantedPart,
};
#[cfg(feature = "watch")]
pub use trail::FollowEvent;
pub use trail::{
    ArchiveNeed, ArchiveOptions, Notice, OnProgress, ScanOptions, Trail, TrailError, TrailOptions,
};
