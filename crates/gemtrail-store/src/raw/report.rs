//! Progress and report of a sync.

use gemtrail_core::model::Diagnostic;
use serde::Serialize;

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
