//! Archive and disk together, as a library.

mod library;
mod merge;
mod snapshot;
mod views;

pub(crate) use library::{is_fresh, library};
pub(crate) use merge::begins_with;
pub use snapshot::{Behind, Snapshot};
