//! Archive and disk together, as a library.

mod known_journals;
mod library;
mod lookup;
mod merge;
mod part;
mod snapshot;
mod stacks;
mod views;

pub use known_journals::KnownJournals;
pub(crate) use library::{as_it_was, has_everything, library, looked_up};
pub(crate) use merge::begins_with;
pub(crate) use snapshot::is_fresh;
pub use snapshot::{Behind, Compared, Snapshot};
