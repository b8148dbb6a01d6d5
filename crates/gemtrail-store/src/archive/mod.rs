//! The archive: one `SQLite` file that keeps every version of every file that was ever seen.
//!
//! Three layers. *Raw* has the bytes, cut into chunks that are stored once; it is the source of
//! truth. *Facts* are what files do not record: when something was first seen, what is to be
//! forgotten. *Views* are derived from the raw layer and rebuilt whenever the reader improves. See
//! `docs/archive.md` for the tables, and `docs/design/0006-one-index.md` for a guide to this folder.

mod forget;
mod import;
mod info;
mod keep_up;
mod mark;
mod open;
mod repair;
pub mod restore;
mod retention;
mod sync;
mod tidy;
mod verify;

pub use crate::db::ArchiveError;
pub use crate::raw::changes::Lacking;
pub use crate::raw::homes::Machine;
pub use crate::raw::marks::MarkChange;
pub use crate::raw::options::{Interrupt, SyncOptions};
pub use crate::raw::options::{Phase, Progress, SYNC_SCHEMA, SyncReport};
pub use forget::{FORGET_SCHEMA, Forgotten};
pub use import::{IMPORT_SCHEMA, ImportReport, ImportSource};
pub use info::{ArchiveInfo, Extent, HomeInfo, INFO_SCHEMA, Month};
pub use keep_up::KeepUp;
pub use open::{Archive, ArchiveWriter, WatchLock, tighten};
pub use repair::{REPAIR_SCHEMA, RepairReport, repair};
pub use tidy::{
    LeftSession, TIDIED_SCHEMA, TIDY_SCHEMA, TidiedFile, TidyOptions, TidyReport, TidySession,
    WhyLeft,
};
pub use verify::{ArchiveCheck, CHECK_SCHEMA};
