#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod discover;
pub mod doctor;
mod error;
mod find;
mod group;
mod home;
mod index;
mod library;
mod load;
mod peek;
mod project;

pub use discover::{FileKind, Found, FoundFile, ProjectDir, discover};
pub use error::StoreError;
pub use find::Handle;
pub use group::SessionKey;
pub use home::{Home, Places};
pub use library::{Library, ProjectSessions};
pub use load::{load, load_from, project_hash};
pub use project::{ProjectEntry, Registry};
