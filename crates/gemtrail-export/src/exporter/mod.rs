//! Sessions to bytes, files and directories, in any format and under a privacy policy.
//!
//! A [`Format`] describes a format: its name, file extension, audience and defaults. [`BuiltIn`] is
//! one of this crate's formats with its options; other crates add theirs with [`SessionFormat`]. An
//! [`Exporter`] writes sessions in a format under a [`Privacy`] policy, and one exporter is one
//! export: a secret has the same placeholder in all its sessions.

mod built_in;
mod export;
mod format;
mod names;
mod privacy;

pub use crate::options::FormatOptions;
pub use built_in::BuiltIn;
pub use export::{DirectoryTarget, Exported, Exporter, OpenDocument};
pub use format::{Audience, Format, SessionFormat, SessionWriter};
pub use names::{FileLabel, file_names, is_directory, safe_name};
pub use privacy::{Destination, Privacy, Secrets};
