//! Finds the files of a home.

mod conversations;
mod found;
mod returned;
mod walk;

pub use found::{FileKind, Found, FoundFile, ProjectDir};
pub use returned::Returned;
pub use walk::discover;
pub use walk::kind_of;
