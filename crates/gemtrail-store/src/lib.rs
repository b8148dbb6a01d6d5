#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
mod antigravity;
pub mod archive;
mod catalog;
mod condition;
mod conversations;
mod db;
mod discover;
pub mod doctor;
mod error;
mod group;
mod half;
mod home;
mod index;
mod library;
mod listening;
mod load;
mod outputs;
pub mod paths;
mod peek;
mod project;
mod project_pattern;
mod raw;
mod said;
pub mod search;
mod source;
mod spelled;
mod trail;
mod versions;
#[cfg(feature = "watch")]
pub mod watch;
pub mod when;

pub use address::Address;
pub use archive::{
    ArchiveCheck, ArchiveError, ArchiveInfo, Forgotten, SyncReport, Whereabouts,
    tighten as tighten_archive,
};
pub use catalog::ProjectSessions;
pub use discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use error::StoreError;
pub use group::SessionKey;
pub use home::{Home, Places, SANDBOX_PREFIX};
pub use index::rows::ListRow;
pub use library::{
    Candidate, Changes, DEFAULT_SCAN_DEPTH, Handle, Kinds, Library, MessagePage, Named,
    QueryContext, ReadDetail, ReadError, ResolveError, RowLine, Scanned, SessionFilter,
    SessionPart, Spot, StampedRow, WantedPart, usual_directories,
};
pub use load::{load, load_from, project_hash};
pub use project::{Effort, Hints, ProjectEntry, Registry, is_absolute_path, slug_of, spellings};
pub use project_pattern::ProjectPattern;
pub use source::DamagedFile;
#[cfg(feature = "watch")]
pub use trail::FollowEvent;
pub use trail::{
    ArchiveNeed, ArchiveOptions, Learned, LearnedError, Notice, OnProgress, ScanOptions, Trail,
    TrailError, TrailOptions,
};
