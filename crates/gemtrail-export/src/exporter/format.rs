//! What a format is.

use crate::Selection;

/// Whom a format is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// People read it. It may leave out, fold and word things as they need it.
    People,
    /// Programs read it, and rely on what is in it.
    Programs,
}

/// A format: what can be said of it without writing anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The name it is chosen by: `md`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What the names of its files end with, without the dot. Options may change it
    /// ([`SessionFormat::ending`](super::SessionFormat::ending)).
    pub ending: &'static str,
    /// Whom it is for.
    pub audience: Audience,
    /// Whether secrets are replaced in its files unless that is declined.
    pub redacts_files: bool,
    /// Which messages it takes by itself.
    pub selection: Selection,
    /// The options that have an effect on it, as the command line spells them: `thoughts`.
    pub options: &'static [&'static str],
    /// Whether it holds the digests of the session's files, which take time to compute.
    pub has_digests: bool,
}

impl Format {
    /// Whether an option has an effect on it.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.contains(&name)
    }
}
