//! The parameters of a sync.

use super::whereabouts::Whereabouts;
use crate::Hints;

/// Below this, a session is read in a few hundredths of a second.
const LONG_FROM: u64 = 8 << 20;

/// The parameters of a sync. The values come from the caller: this crate reads neither the clock
/// nor the environment.
#[derive(Clone, Debug)]
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
    /// Sessions whose files have this many bytes are long: they are taken in a few messages at a time,
    /// and a part of one can be shown without reading the rest.
    pub long_from: u64,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            now: 0,
            whereabouts: Whereabouts::default(),
            rebuild: false,
            full: false,
            check_bytes: 0,
            exclude: Vec::new(),
            keep_days: 0,
            hints: Hints::default(),
            long_from: LONG_FROM,
        }
    }
}
