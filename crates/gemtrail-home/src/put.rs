//! Writes files atomically, never overwriting something else.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use crate::partial_file::{self, PartialFile};
use crate::source::why_unreadable;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Put {
    /// It did not exist.
    Written,
    /// It existed with the same bytes.
    Identical,
    /// It existed with other bytes.
    Replaced,
}

/// True if a path exists with other bytes than these, or cannot be read.
pub fn differs(path: &Path, content: impl Read) -> Result<bool, PutError> {
    if why_unreadable(path).is_some_and(|why| why.kind() != io::ErrorKind::NotFound) {
        return Ok(true);
    }
    match File::open(path) {
        Ok(file) => Ok(!is_same(file, content).map_err(at(path))?),
        // A dangling link is something else.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(path.symlink_metadata().is_ok())
        }
        Err(error) => Err(at(path)(error)),
    }
}

/// Writes a file that only its owner can read. Other content is replaced only with `force`.
pub fn put<R: Read>(
    path: &Path,
    open: impl Fn() -> io::Result<R>,
    modified: Option<SystemTime>,
    force: bool,
) -> Result<Put, PutError> {
    Written::beside(path, open, modified, force)?.put()
}

/// A file written next to its destination. Several files are all written before the first is moved
/// into place.
#[derive(Debug)]
pub struct Written {
    path: PathBuf,
    /// `None` if the file exists already.
    half: Option<PartialFile>,
    outcome: Put,
}

impl Written {
    /// Writes a file that only its owner can read. Other content is replaced only with `force`.
    pub fn beside<R: Read>(
        path: &Path,
        open: impl Fn() -> io::Result<R>,
        modified: Option<SystemTime>,
        force: bool,
    ) -> Result<Self, PutError> {
        let mut written = Self {
            path: path.to_owned(),
            half: None,
            outcome: Put::Written,
        };
        if path.symlink_metadata().is_ok() {
            if !differs(path, open().map_err(at(path))?)? {
                written.outcome = Put::Identical;
                return Ok(written);
            }
            // Never replace a directory.
            if !force || path.is_dir() {
                return Err(PutError::Exists(written.path.clone()));
            }
            written.outcome = Put::Replaced;
        }
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(at(dir))?;
        }
        partial_file::clean(partial_file::directory(path));
        let half = written
            .half
            .insert(PartialFile::beside(path).map_err(at(path))?);
        open()
            .and_then(|content| fill(half.file(), content, modified))
            .map_err(at(path))?;
        Ok(written)
    }

    /// Moves it into place.
    pub fn put(self) -> Result<Put, PutError> {
        if let Some(half) = self.half {
            half.put(&self.path).map_err(at(&self.path))?;
        }
        Ok(self.outcome)
    }
}

fn fill(file: &mut File, mut content: impl Read, modified: Option<SystemTime>) -> io::Result<()> {
    io::copy(&mut content, file)?;
    file.flush()?;
    if let Some(modified) = modified {
        file.set_modified(modified)?;
    }
    file.sync_all()
}

/// True if two streams have the same bytes.
pub fn is_same(a: impl Read, b: impl Read) -> io::Result<bool> {
    let (mut a, mut b) = (BufReader::new(a), BufReader::new(b));
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        a.by_ref().take(64 << 10).read_to_end(&mut left)?;
        b.by_ref().take(64 << 10).read_to_end(&mut right)?;
        if left != right {
            return Ok(false);
        }
        if left.is_empty() {
            return Ok(true);
        }
    }
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PutError {
    /// It exists with other bytes and must not be replaced.
    #[error("{} exists and differs", .0.display())]
    Exists(PathBuf),
    /// Reading its bytes or writing it failed.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Names the file in an error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> PutError {
    let path = path.to_owned();
    move |source| PutError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_text(path: &Path, text: &str, force: bool) -> Result<Put, PutError> {
        put(path, || Ok(text.as_bytes()), None, force)
    }

    #[test]
    fn nothing_is_replaced_unless_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.jsonl");
        assert_eq!(put_text(&path, "one", false).unwrap(), Put::Written);
        assert_eq!(put_text(&path, "one", false).unwrap(), Put::Identical);
        let refused = put_text(&path, "other", false);
        assert!(matches!(refused, Err(PutError::Exists(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(put_text(&path, "on", true).unwrap(), Put::Replaced);
        assert_eq!(fs::read_to_string(&path).unwrap(), "on");
        assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_it_and_a_dangling_link_is_something() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert!(put_text(&path, "one", false).is_err());
        assert_eq!(put_text(&path, "one", true).unwrap(), Put::Replaced);
        let mode = path.symlink_metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
