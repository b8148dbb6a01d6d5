//! The archive: one `SQLite` file that keeps every version of every file that was ever seen.
//!
//! Three layers. *Raw* has the bytes, cut into chunks that are stored once; it is the source of
//! truth. *Facts* are what files do not record: when something was first seen, what is to be
//! forgotten. *Views* are derived from the raw layer and rebuilt whenever the reader improves. See
//! `docs/archive.md` for the tables, and `docs/design/0006-inside-the-archive.md` for a guide to
//! this folder.

mod keep_up;
mod lock;
mod maintenance;
mod reader;
pub mod restore;
mod sync;
mod tighten;
mod writer;

pub use crate::db::ArchiveError;
pub use crate::raw::options::{Interrupt, SyncOptions};
pub use crate::raw::report::{Phase, Progress, SYNC_SCHEMA, SyncReport};
pub use crate::raw::whereabouts::Whereabouts;
pub use keep_up::KeepUp;
pub use lock::WatchLock;
pub use maintenance::forget::{FORGET_SCHEMA, Forgotten};
pub use maintenance::import::{IMPORT_SCHEMA, ImportReport, ImportSource};
pub use maintenance::info::{ArchiveInfo, HomeInfo, INFO_SCHEMA, Month};
pub use maintenance::verify::{ArchiveCheck, CHECK_SCHEMA};
pub use reader::Archive;
pub use tighten::tighten;
pub use writer::ArchiveWriter;
