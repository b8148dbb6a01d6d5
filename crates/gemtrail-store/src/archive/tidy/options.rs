//! Which sessions are to leave the disk.

use std::path::{Path, PathBuf};

use gemtrail_core::time::Timestamp;
use gemtrail_home::source::Stat;
use gemtrail_query::ProjectPattern;

use crate::Home;
use crate::raw::homes::Machine;
use crate::raw::options::Interrupt;

/// What changed less than an hour ago may be in use.
const HOUR_NS: i64 = 60 * 60 * 1_000_000_000;

/// Which sessions are meant.
#[derive(Clone, Debug, Default)]
pub struct TidyOptions {
    /// Last updated before this.
    pub before: Timestamp,
    /// In this project.
    pub project: Option<ProjectPattern>,
    /// The newest of each project stay, so many of them.
    pub keep: usize,
    /// The homes.
    pub homes: Vec<Home>,
    /// Those of them that are reached by a link.
    pub linked: Vec<PathBuf>,
    /// This machine and account.
    pub machine: Machine,
    /// The current time in milliseconds since 1970.
    pub now: i64,
    /// Ends it between two sessions once it is set.
    pub interrupt: Interrupt,
}

impl TidyOptions {
    /// True for what changed within the last hour, or will do so if its clock is right.
    pub(super) fn is_recent(&self, stat: &Stat) -> bool {
        let hour_ago = self.now.saturating_mul(1_000_000).saturating_sub(HOUR_NS);
        stat.modified > hour_ago
    }

    pub(super) fn is_linked(&self, root: &Path) -> bool {
        self.linked.iter().any(|linked| linked == root)
    }
}
