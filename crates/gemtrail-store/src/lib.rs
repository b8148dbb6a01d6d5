#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "archive")]
pub mod archive;
mod assemble;
mod discover;
pub mod doctor;
mod error;
mod find;
mod group;
mod home;
mod index;
mod library;
mod listing;
mod load;
mod newest;
mod outputs;
mod peek;
mod project;
mod project_pattern;
mod said;
mod scan;
pub mod search;
mod source;
mod versions;
#[cfg(feature = "watch")]
pub mod watch;
pub mod when;

pub use discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use error::StoreError;
pub use find::Handle;
pub use group::SessionKey;
pub use home::{Home, Places};
pub use library::{Library, ProjectSessions};
pub use listing::RowLine;
pub use load::{load, load_from, project_hash};
pub use project::{Effort, Hints, ProjectEntry, Registry, is_absolute_path, slug_of, spellings};
pub use project_pattern::ProjectPattern;
pub use scan::{DEFAULT_SCAN_DEPTH, Scanned, usual_directories};
