#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod archive;
mod db;
mod echoes;
mod index;
mod library;
mod partial_file;
mod raw;
mod trail;

pub use gemtrail_home::catalog::ProjectSessions;
pub use gemtrail_home::discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use gemtrail_home::group::SessionKey;
pub use gemtrail_home::home::{Home, Places, SANDBOX_PREFIX, StoreError};
pub use gemtrail_home::load::{load, load_from};
pub use gemtrail_home::outputs::Outputs;
pub use gemtrail_home::paths;
pub use gemtrail_home::project::{Effort, Hints, ProjectEntry, Registry, slug_of};
pub use gemtrail_home::source::DamagedFile;
#[cfg(feature = "watch")]
pub use gemtrail_home::watch;

pub use archive::{
    ArchiveCheck, ArchiveError, ArchiveInfo, Forgotten, Machine, MarkChange, SyncReport,
    tighten as tighten_archive,
};
pub use index::clean_up::CleanUpRow;
pub use index::rows::ListRow;
pub use library::{
    Candidate, Changes, DEFAULT_SCAN_DEPTH, Handle, Kinds, Library, MessagePage, Named,
    QueryContext, ReadDetail, ReadError, ResolveError, RowLine, Scanned, SessionFilter,
    SessionPart, Spot, StampedRow, WantedPart, usual_directories,
};
#[cfg(feature = "watch")]
pub use trail::FollowEvent;
pub use trail::{
    ArchiveNeed, ArchiveOptions, Learned, LearnedError, Notice, OnProgress, ScanOptions, Trail,
    TrailError, TrailOptions,
};
