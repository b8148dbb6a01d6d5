//! Sessions to bytes, files and directories, in any format and under a privacy policy.
//!
//! A [`Format`] describes a format: its name, file extension, audience and defaults. [`BuiltIn`] is
//! one of this crate's formats with its options; other crates add theirs with [`SessionFormat`]. An
//! [`Exporter`] writes sessions in a format under a [`Privacy`] policy, and one exporter is one
//! export: a secret has the same placeholder in all its sessions.

mod built_in;
mod export;
mod names;
mod privacy;
mod timeline;

use std::io::Write;

use gemtrail_core::model::Session;

use crate::Result;
use crate::html::IndexEntry;

pub use crate::options::FormatOptions;
pub use built_in::BuiltIn;
pub use export::{DirectoryTarget, Exported, Exporter, OpenDocument};
pub use names::{FileLabel, file_names, is_directory, safe_name};
pub use privacy::{Destination, Privacy, Secrets};

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
    /// A few words for lists of formats.
    pub about: &'static str,
    /// The extension of its files, without the dot. Options may change it
    /// ([`SessionFormat::ending`]).
    pub ending: &'static str,
    /// Its audience.
    pub audience: Audience,
    /// Replaces secrets in files by default.
    pub redacts_files: bool,
    /// The options that affect it, as the command line spells them: `thoughts`.
    pub options: &'static [&'static str],
    /// Includes the subagents of a session.
    pub includes_subagents: bool,
    /// Includes the digests of the session's files, which take time to compute.
    pub has_digests: bool,
    /// Made of lines, so that one file can have several sessions.
    pub joins_sessions: bool,
}

impl Format {
    /// True if the option affects it.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.contains(&name)
    }
}

/// A format with its options. Documents are written on several threads at once, each by its own
/// writer.
pub trait SessionFormat: Sync {
    /// The description of the format.
    fn format(&self) -> &Format;

    /// The extension of its files, under these options.
    fn ending(&self) -> &str {
        self.format().ending
    }

    /// A writer for one document.
    fn writer(&self) -> Box<dyn SessionWriter + '_>;

    /// The name of the index file of a directory, if there is one.
    fn index_file(&self) -> Option<&'static str> {
        None
    }

    /// Writes the index.
    fn write_index(&self, _: &[IndexEntry<'_>], _: &mut dyn Write) -> Result {
        Ok(())
    }
}

/// Writes one document of any number of sessions. The caller inspects what each step wrote before
/// it leaves, so a writer may keep state, but not the output.
pub trait SessionWriter {
    /// Writes what comes before the first session.
    fn begin(&mut self, _: &mut dyn Write) -> Result {
        Ok(())
    }

    /// Writes a session.
    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result;

    /// Writes what comes after the last session.
    fn finish(&mut self, _: &mut dyn Write) -> Result {
        Ok(())
    }
}
