//! The parameters of a sync, its progress and its report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gemtrail_core::model::Diagnostic;
use serde::Serialize;

use super::homes::Machine;
use crate::Hints;
use crate::db::ArchiveError;

/// A request to end a run early. What was committed stays, and the next run goes on from there.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Requests it.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails if it was requested.
    pub(crate) fn check(&self) -> Result<(), ArchiveError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(ArchiveError::Interrupted);
        }
        Ok(())
    }
}

/// Below this, a session is read in a few hundredths of a second.
const LONG_FROM: u64 = 8 << 20;

/// The parameters of a sync. The values come from the caller: this crate reads neither the clock
/// nor the environment.
#[derive(Clone, Debug)]
pub struct SyncOptions {
    /// Milliseconds since 1970.
    pub now: i64,
    /// The machine and account of the homes.
    pub machine: Machine,
    /// True if all views are rebuilt.
    pub rebuild: bool,
    /// True if all files are read, changed or not.
    pub full: bool,
    /// The number of stored bytes to check for damage; 0 for none.
    pub check_bytes: u64,
    /// Root paths of excluded projects.
    pub exclude: Vec<String>,
    /// After how many days sessions that are no longer on disk are dropped; 0 for never.
    pub keep_days: u32,
    /// What helps to find root paths.
    pub hints: Hints,
    /// Ends the run early once it is set.
    pub interrupt: Interrupt,
    /// Sessions whose files have this many bytes are long: they are taken in a few messages at a time,
    /// and a part of one can be shown without reading the rest.
    pub long_from: u64,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            now: 0,
            machine: Machine::default(),
            rebuild: false,
            full: false,
            check_bytes: 0,
            exclude: Vec::new(),
            keep_days: 0,
            hints: Hints::default(),
            interrupt: Interrupt::default(),
            long_from: LONG_FROM,
        }
    }
}

/// The progress of a sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// Files or sessions done.
    pub done: u64,
    /// Files or sessions in total.
    pub total: u64,
    /// Bytes done.
    pub bytes: u64,
    /// Bytes in total.
    pub total_bytes: u64,
}

/// The two phases of a sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Files are read and stored.
    #[default]
    Storing,
    /// Sessions are made searchable.
    Indexing,
}

/// What a run did: schema `gemtrail.sync/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncReport {
    /// Always `gemtrail.sync/1`.
    pub schema: String,
    /// Files that were looked at.
    pub files_seen: u64,
    /// Files that were read because they are new or changed.
    pub files_read: u64,
    /// How much of them was read.
    pub bytes_read: u64,
    /// Sessions that the archive did not have.
    pub sessions_added: u64,
    /// Sessions that changed.
    pub sessions_changed: u64,
    /// Sessions whose last file is no longer on disk.
    pub sessions_gone: u64,
    /// The size of the archive.
    pub archive_bytes: u64,
    /// The size of what was looked at.
    pub source_bytes: u64,
    /// What was odd: files that could not be read, places that could not be looked at, and what is
    /// odd in the files of sessions that were added or changed.
    pub diagnostics: Vec<Diagnostic>,
}

/// The schema name of the report.
pub const SYNC_SCHEMA: &str = "gemtrail.sync/1";
