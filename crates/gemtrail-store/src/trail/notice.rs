//! What the user should know about opening homes and archive.

use std::fmt;

use super::LearnedError;
use crate::archive::ArchiveError;

/// Something that did not prevent the work, but that the user may want to know.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The archive cannot be used now; only the disk was read.
    DiskOnly(ArchiveError),
    /// The archive could not be brought up to date; this is what it had before.
    NotUpdated(ArchiveError),
    /// The file of learned paths cannot be read.
    LearnedPaths(LearnedError),
    /// What was learned could not be saved.
    NotRemembered(LearnedError),
}

impl Notice {
    /// Whether it is of interest only in verbose output.
    pub fn is_detail(&self) -> bool {
        matches!(self, Self::NotRemembered(_))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DiskOnly(error) => {
                write!(f, "{error}; the disk alone is read (gemtrail sync)")
            }
            Self::NotUpdated(error) => write!(
                f,
                "the archive could not be updated: {error}; newer sessions may be missing here"
            ),
            Self::LearnedPaths(error) => write!(f, "warning: {error}"),
            Self::NotRemembered(error) => error.fmt(f),
        }
    }
}
