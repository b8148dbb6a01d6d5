//! From a home to the files in it.

mod found;
mod walk;

pub use found::{FileKind, Found, FoundFile, ProjectDir};
pub use walk::discover;
