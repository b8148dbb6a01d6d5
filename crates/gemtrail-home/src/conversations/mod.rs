//! Conversations of Antigravity from the files that were found.

mod bytes;
mod project;
mod read;

pub use bytes::bytes_of;
pub use project::has_moved;
pub(crate) use project::{id_of, projects};
pub use read::read_all;
