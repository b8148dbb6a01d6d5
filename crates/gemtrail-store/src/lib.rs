#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod antigravity;
pub mod archive;
mod catalog;
mod conversations;
mod db;
mod discover;
pub mod doctor;
mod echoes;
mod group;
mod home;
mod index;
mod library;
mod load;
mod outputs;
mod partial_file;
pub mod paths;
mod project;
mod raw;
mod said;
mod source;
mod trail;
mod versions;
#[cfg(feature = "watch")]
pub mod watch;

pub use archive::{
    ArchiveCheck, ArchiveError, ArchiveInfo, Forgotten, Machine, MarkChange, SyncReport,
    tighten as tighten_archive,
};
pub use catalog::ProjectSessions;
pub use discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use group::SessionKey;
pub use home::{Home, Places, SANDBOX_PREFIX, StoreError};
pub use index::rows::ListRow;
pub use library::{
    Candidate, Changes, DEFAULT_SCAN_DEPTH, Handle, Kinds, Library, MessagePage, Named,
    QueryContext, ReadDetail, ReadError, ResolveError, RowLine, Scanned, SessionFilter,
    SessionPart, Spot, StampedRow, WantedPart, usual_directories,
};
pub use load::{load, load_from};
pub use outputs::Outputs;
pub use project::{Effort, Hints, ProjectEntry, Registry, slug_of};
pub use source::{DamagedFile, read_given};
#[cfg(feature = "watch")]
pub use trail::FollowEvent;
pub use trail::{
    ArchiveNeed, ArchiveOptions, Learned, LearnedError, Notice, OnProgress, ScanOptions, Trail,
    TrailError, TrailOptions,
};
