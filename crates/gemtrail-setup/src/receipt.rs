//! The record of what was done, so that exactly that can be undone.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{SetupError, at, read_if_there};
use crate::plan::SetupPart;

/// The name of the file.
const NAME: &str = "setup.json";

/// The files and edits of earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The files.
    #[serde(default)]
    pub(crate) files: Vec<WrittenFile>,
    /// The pieces of files.
    #[serde(default)]
    pub(crate) edits: Vec<Edited>,
    /// Directories that were made, outermost first.
    #[serde(default)]
    pub(crate) directories: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenFile {
    pub(crate) part: SetupPart,
    pub(crate) path: PathBuf,
    pub(crate) sha256: String,
}

/// A piece of a file that was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edited {
    pub(crate) part: SetupPart,
    pub(crate) path: PathBuf,
    pub(crate) at: usize,
    pub(crate) old: String,
    pub(crate) new: String,
}

impl Receipt {
    /// Reads the record in a directory; an empty one if there is none.
    pub fn read(directory: &Path) -> Result<Self, SetupError> {
        let path = directory.join(NAME);
        match read_if_there(&path)? {
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| SetupError::Receipt { path, source }),
            None => Ok(Self::default()),
        }
    }

    /// Writes the record, or removes it if there is nothing to remember.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), SetupError> {
        let path = directory.join(NAME);
        if self.files.is_empty() && self.edits.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(at(&path)(error)),
                _ => Ok(()),
            };
        }
        let mut text =
            serde_json::to_string_pretty(self).map_err(|source| SetupError::Receipt {
                path: path.clone(),
                source,
            })?;
        text.push('\n');
        fs::write(&path, text).map_err(at(&path))
    }

    /// True if nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.edits.is_empty()
    }

    /// True if any of a part was installed.
    pub fn has(&self, part: SetupPart) -> bool {
        self.files.iter().any(|file| file.part == part)
            || self.edits.iter().any(|edit| edit.part == part)
    }

    /// True if gemtrail wrote a file, and wrote it like this.
    pub(crate) fn wrote(&self, path: &Path, content: &[u8]) -> bool {
        let mut files = self.files.iter();
        files.any(|file| file.path == path && file.sha256 == digest(content))
    }
}

/// The SHA-256 of some bytes, in hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}
