//! What a run is told.

use super::whereabouts::Whereabouts;
use crate::Hints;

/// What a run may need to know. The values come from the caller: this crate reads neither the clock
/// nor the environment.
#[derive(Clone, Debug, Default)]
pub struct SyncOptions {
    /// Milliseconds since 1970.
    pub now: i64,
    /// Where the homes are.
    pub whereabouts: Whereabouts,
    /// Whether all views are rebuilt.
    pub rebuild: bool,
    /// Root paths of projects that are not taken in.
    pub exclude: Vec<String>,
    /// After how many days sessions that are no longer on disk are dropped; 0 for never.
    pub keep_days: u32,
    /// What helps to find root paths.
    pub hints: Hints,
}
