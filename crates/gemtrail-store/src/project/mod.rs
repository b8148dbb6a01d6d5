//! Which root path a project directory belongs to, and which directories are the same project.
//!
//! In this order: the directory's own marker, the registry of its home, a path proven by its
//! SHA-256. A path is proven or it is not: wherever a candidate comes from (the registry, a tool
//! call, the current directory, a guess), only the digest decides. Directories without a known
//! hash fall back to what their sessions say, then to what the user taught.

mod entry;
mod hints;
mod identify;
mod path_text;
mod prove;
mod registry;
mod resolve;
mod search;
mod siblings;
mod slug;
mod unproven;

pub use entry::ProjectEntry;
pub use hints::{Effort, Hints};
pub use registry::Registry;
pub use slug::slug_of;

pub(crate) use entry::{FileLoader, Files, Load, join};
pub(crate) use prove::{Prover, Wanted};
pub(crate) use resolve::resolve;
