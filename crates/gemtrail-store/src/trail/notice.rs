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
    /// The archive lacks changes in this many files; the disk was read as well.
    Behind(usize),
    /// The archive's views are stale; everything was read.
    OutOfDate,
    /// New content could not be taken into the archive.
    NotTakenIn(ArchiveError),
    /// The file of learned paths cannot be read.
    LearnedPaths(LearnedError),
    /// What was learned could not be saved.
    NotRemembered(LearnedError),
}

impl Notice {
    /// Whether it is of interest only in verbose output.
    pub fn is_detail(&self) -> bool {
        matches!(self, Self::NotTakenIn(_) | Self::NotRemembered(_))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DiskOnly(error) => {
                write!(f, "{error}; the disk alone is read (gemtrail sync)")
            }
            Self::Behind(files) => {
                let plural = if *files == 1 { "" } else { "s" };
                write!(
                    f,
                    "the archive lacks what is new in {files} file{plural}; the disk is read as well (gemtrail sync)"
                )
            }
            Self::OutOfDate => f.write_str(
                "the archive is not up to date; the disk is read as well (gemtrail sync)",
            ),
            Self::NotTakenIn(error) => write!(f, "nothing was taken in: {error}"),
            Self::LearnedPaths(error) => write!(f, "warning: {error}"),
            Self::NotRemembered(error) => error.fmt(f),
        }
    }
}
