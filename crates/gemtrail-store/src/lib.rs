#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
#[cfg(feature = "archive")]
pub mod archive;
mod condition;
mod discover;
pub mod doctor;
mod error;
mod group;
#[cfg(feature = "archive")]
mod half;
mod home;
mod library;
mod listening;
mod load;
mod outputs;
pub mod paths;
mod peek;
mod project;
mod project_pattern;
mod said;
pub mod search;
mod source;
mod spelled;
#[cfg(feature = "archive")]
mod trail;
mod versions;
#[cfg(feature = "watch")]
pub mod watch;
pub mod when;

pub use address::Address;
#[cfg(feature = "archive")]
pub use archive::{
    ArchiveCheck, ArchiveError, ArchiveInfo, Forgotten, Prefetch, SyncReport, Whereabouts,
    tighten as tighten_archive,
};
pub use discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use error::StoreError;
pub use group::SessionKey;
pub use home::{Home, Places};
pub use library::{
    Candidate, DEFAULT_SCAN_DEPTH, Handle, Kinds, Library, ListRow, MessagePage, Named,
    ProjectSessions, QueryContext, ReadDetail, ReadError, ResolveError, RowLine, Scanned,
    SessionFilter, SessionPart, Spot, StampedRow, WantedPart, usual_directories,
};
pub use load::{load, load_from, project_hash};
pub use project::{Effort, Hints, ProjectEntry, Registry, is_absolute_path, slug_of, spellings};
pub use project_pattern::ProjectPattern;
pub use source::DamagedFile;
#[cfg(all(feature = "archive", feature = "watch"))]
pub use trail::FollowEvent;
#[cfg(feature = "archive")]
pub use trail::{
    ArchiveNeed, ArchiveOptions, Changes, Learned, LearnedError, Notice, ScanOptions, Trail,
    TrailError, TrailOptions,
};
