//! What a format is.

use crate::Selection;

/// The audience of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// People read it. It may omit, fold and reword things for them.
    People,
    /// Programs read it and rely on its contents.
    Programs,
}

/// The description of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The name it is selected by: `md`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The extension of its files, without the dot. Options may change it
    /// ([`SessionFormat::ending`](super::SessionFormat::ending)).
    pub ending: &'static str,
    /// Its audience.
    pub audience: Audience,
    /// Whether secrets are replaced in its files by default.
    pub redacts_files: bool,
    /// Which messages it includes by default.
    pub selection: Selection,
    /// The options that affect it, as the command line spells them: `thoughts`.
    pub options: &'static [&'static str],
    /// Whether what it writes of a session has all of its subagents as well.
    pub includes_subagents: bool,
    /// Whether it holds the digests of the session's files, which take time to compute.
    pub has_digests: bool,
}

impl Format {
    /// Whether an option affects it.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.contains(&name)
    }
}
