//! The parameters of a sync.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::whereabouts::Whereabouts;
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
            whereabouts: Whereabouts::default(),
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
