//! What a person should be told about opening homes and archive.

use std::fmt;

use super::LearnedError;
use crate::archive::ArchiveError;

/// Something that kept nobody from doing their work, but that they may want to know.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The archive cannot be used now; the disk alone was read.
    DiskOnly(ArchiveError),
    /// The archive lacks what is new in so many files; the disk was read as well.
    Behind(usize),
    /// The archive's views do not fit its files; everything was read.
    OutOfDate,
    /// What is new could not be taken into the archive.
    NotTakenIn(ArchiveError),
    /// The file of learned paths cannot be read.
    LearnedPaths(LearnedError),
    /// What was learned could not be kept.
    NotRemembered(LearnedError),
}

impl Notice {
    /// Whether it matters only to those who ask for details.
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
