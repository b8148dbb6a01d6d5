//! Conversations of Antigravity from the files that were found.

mod bytes;
mod project;
mod read;

pub(crate) use bytes::bytes_of;
pub(crate) use project::{has_moved, id_of, projects};
pub(crate) use read::read_all;
