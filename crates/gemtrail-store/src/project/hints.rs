//! What the caller knows that may help to find root paths.

use std::path::PathBuf;

/// Helps to find root paths besides the homes themselves. The values come from the caller: this
/// crate reads neither the environment nor any configuration.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The current directory; it and its ancestors may be project roots.
    pub current_dir: Option<PathBuf>,
    /// Paths that the user taught or that earlier runs learned.
    pub taught: Vec<String>,
    /// How hard to look.
    pub effort: Effort,
}

/// How hard to look for the root path of a project that says little about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// The project's own files, and those in full only when the project is asked for.
    #[default]
    Usual,
    /// All files of all projects.
    Thorough,
}
