//! The pages, one file each. They show what the engine says, and work without script.

pub(crate) mod changes;
pub(crate) mod doctor;
pub(crate) mod download;
mod figures;
pub(crate) mod frame;
mod graphs;
mod hit;
pub(crate) mod jump;
pub(crate) mod message;
pub(crate) mod overview;
pub(crate) mod problem;
pub(crate) mod projects;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod tail;

use serde::Deserialize;

/// The sum of counts that files may say anything about.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// The form of a page: whole, or only what is inside its frame, for the script.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Form {
    fragment: Option<String>,
}

impl Form {
    fn is_fragment(&self) -> bool {
        self.fragment.is_some()
    }
}
