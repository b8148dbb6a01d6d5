//! Files that are being written: under a temporary name beside the target, locked, so that the next run
//! can tell what a killed one left from what another one is writing.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The ending of all temporary names, and of no others.
const ENDING: &str = ".gemtrail-tmp";
/// The endings of files that a database leaves beside its own.
const SIDES: [&str; 3] = ["-journal", "-wal", "-shm"];

/// A file under a temporary name. It is removed unless it is moved into place.
#[derive(Debug)]
pub struct PartialFile {
    /// Its path, until it is moved.
    path: Option<PathBuf>,
    file: File,
}

impl PartialFile {
    /// Creates one that only its owner can read.
    pub fn beside(target: &Path) -> io::Result<Self> {
        let path = temporary_name(target);
        loop {
            let mut options = File::options();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(&path)?;
            // Some file systems have no locks; then nobody takes it for a leftover either.
            let _ = file.try_lock();
            // Another run may have taken it for one before it was locked.
            if path.exists() {
                let path = Some(path);
                return Ok(Self { path, file });
            }
        }
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Its path, until it is moved.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    /// Moves it into place.
    pub fn put(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
            self.path = None;
        }
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            remove(path);
        }
    }
}

/// Removes what killed runs left in a directory.
pub fn clean(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries {
        let is_temporary = entry.file_name().to_string_lossy().ends_with(ENDING);
        if !is_temporary || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let is_left = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_left {
            remove(&entry.path());
        }
    }
}

/// The directory of a target.
pub fn directory(target: &Path) -> &Path {
    let dir = target.parent().filter(|dir| !dir.as_os_str().is_empty());
    dir.unwrap_or(Path::new("."))
}

/// If something cannot be removed, the next run tries again.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    for side in SIDES {
        let mut path = path.as_os_str().to_owned();
        path.push(side);
        let _ = fs::remove_file(path);
    }
}

/// A hidden name that nobody takes for a session.
fn temporary_name(target: &Path) -> PathBuf {
    // Byte for byte: a name that is not text must not be changed.
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}{ENDING}", std::process::id()));
    target.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_writes_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let target = dir.path().join("a.db");
        let left = dir.path().join(".b.db.4711.gemtrail-tmp");
        let side = dir.path().join(".b.db.4711.gemtrail-tmp-journal");
        let other = dir.path().join("b.tmp");
        for path in [&left, &side, &other] {
            fs::write(path, "half").expect("it can be written");
        }
        let half = PartialFile::beside(&target);
        let half = half.expect("it can be made");
        clean(dir.path());
        assert!(!left.exists() && !side.exists());
        assert!(other.exists() && half.path().exists());
        half.put(&target).expect("it can be moved");
        assert!(target.exists());
        assert_eq!(fs::read_dir(dir.path()).expect("it is there").count(), 2);
    }
}
