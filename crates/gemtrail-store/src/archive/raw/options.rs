//! The parameters of a sync.

use super::whereabouts::Whereabouts;
use crate::Hints;

/// The parameters of a sync. The values come from the caller: this crate reads neither the clock
/// nor the environment.
#[derive(Clone, Debug, Default)]
pub struct SyncOptions {
    /// Milliseconds since 1970.
    pub now: i64,
    /// The machine and account of the homes.
    pub whereabouts: Whereabouts,
    /// Whether all views are rebuilt.
    pub rebuild: bool,
    /// Whether all files are read, changed or not.
    pub full: bool,
    /// How many stored bytes to check for damage; 0 for none.
    pub check_bytes: u64,
    /// Root paths of excluded projects.
    pub exclude: Vec<String>,
    /// After how many days sessions that are no longer on disk are dropped; 0 for never.
    pub keep_days: u32,
    /// What helps to find root paths.
    pub hints: Hints,
}
