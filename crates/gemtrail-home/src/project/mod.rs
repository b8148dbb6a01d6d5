//! Which root path a project directory belongs to, and which directories are the same project.
//!
//! In this order: the directory's own marker, the registry of its home, a path proven by its
//! SHA-256. A path is proven or it is not: wherever a candidate comes from (the registry, a tool
//! call, the current directory, a guess), only the digest decides. Directories without a known
//! hash fall back to what their sessions say, then to what the user taught.

mod entry;
mod path_text;
mod prove;
mod registry;
mod resolve;
mod search;
mod siblings;
mod slug;
mod unproven;

use std::path::PathBuf;

pub(crate) use entry::join;
pub use entry::{FileLoader, Files, Load, ProjectEntry};
pub use prove::{Prover, Wanted};
pub use registry::Registry;
pub(crate) use resolve::resolve;
pub use slug::slug_of;

/// Helps to find root paths besides the homes themselves. The values come from the caller: this
/// crate reads neither the environment nor any configuration.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The current directory; it and its ancestors may be project roots.
    pub current_dir: Option<PathBuf>,
    /// Paths that the user taught or that earlier runs learned.
    pub taught: Vec<String>,
    /// The effort to make.
    pub effort: Effort,
}

/// The effort to find the root path of a project that says little about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// The project's own files, and those in full only when the project is asked for.
    #[default]
    Usual,
    /// All files of all projects.
    Thorough,
}
