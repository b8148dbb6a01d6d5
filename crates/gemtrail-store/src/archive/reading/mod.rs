//! What the archive and the disk have together, as a library.

mod library;
mod merge;
mod shelf;
pub(crate) mod snapshot;

pub(crate) use merge::begins_with;
