//! Writes files atomically: first under a temporary name, then renamed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::{ExportError, Result};

/// The bytes of a database that say which program it belongs to.
const ARCHIVE_MARK: Range<usize> = 68..72;

/// The readers of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everyone the system lets read new files.
    Shared,
    /// Only its owner.
    Private,
}

/// Writes a file; an existing one is replaced only if `force` is set. `fill` must flush.
pub fn write(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result,
) -> Result {
    write_with(path, force, Access::Shared, fill)
}

/// Like [`write()`], for bytes that are already in memory.
pub fn write_bytes(path: &Path, force: bool, access: Access, bytes: &[u8]) -> Result {
    clean_beside(path);
    write_with(path, force, access, |out| {
        out.write_all(bytes)?;
        Ok(out.flush()?)
    })
}

fn write_with(
    path: &Path,
    force: bool,
    access: Access,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result,
) -> Result {
    refuse_existing(path, force)?;
    let half = TempFile::beside(path, access).map_err(|error| failed(path, error))?;
    let opened = half.file().try_clone();
    let opened = opened.map_err(|error| failed(path, error))?;
    fill(&mut BufWriter::with_capacity(64 << 10, opened))?;
    half.put(path).map_err(|error| failed(path, error))
}

/// Removes what killed runs left beside a file.
pub fn clean_beside(path: &Path) {
    clean(directory(path));
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

/// The error for a file that exists, unless it may be replaced. An archive and what belongs to
/// Gemini CLI may never be.
pub fn refuse_existing(path: &Path, force: bool) -> Result {
    // A dangling link exists as well.
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let protected = |what| {
        let path = path.to_owned();
        Err(ExportError::Protected { path, what })
    };
    if is_archive(path) {
        protected("an archive")
    } else if is_in_home(path) {
        protected("in a home of Gemini CLI")
    } else if force {
        Ok(())
    } else {
        let path = path.to_owned();
        Err(ExportError::Exists { path })
    }
}

/// True if a file begins like an archive: a database that has gemtrail's mark.
fn is_archive(path: &Path) -> bool {
    let mut start = [0; ARCHIVE_MARK.end];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start.starts_with(b"SQLite format 3\0")
        && &start[ARCHIVE_MARK] == b"gemt"
}

/// True if a file lies in a home of Gemini CLI, also by way of a link.
fn is_in_home(path: &Path) -> bool {
    let directory = directory(path);
    let real = directory.canonicalize();
    let real = real.unwrap_or_else(|_| directory.to_owned());
    let is_home = |part: &Path| part.ends_with(".gemini");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Homes have other names in backups and mounts.
    let is_session = name.starts_with("session-") && real.ends_with("chats");
    real.ancestors().any(is_home) || is_session
}

/// The mode is set when the file is created, so that others cannot open it even for a moment.
#[cfg(unix)]
fn restrict(options: &mut OpenOptions, access: Access) {
    use std::os::unix::fs::OpenOptionsExt as _;
    if access == Access::Private {
        options.mode(0o600);
    }
}

/// Other systems give a new file the permissions of its directory, which is the user's own.
#[cfg(not(unix))]
fn restrict(_: &mut OpenOptions, _: Access) {}

/// Creates a directory and its parents.
pub fn make_directory(path: &Path) -> Result {
    fs::create_dir_all(path).map_err(|error| failed(path, error))
}

fn failed(path: &Path, source: io::Error) -> ExportError {
    let path = path.to_owned();
    ExportError::File { path, source }
}

/// The ending of all temporary names, and of no others.
const ENDING: &str = ".gemtrail-tmp";

/// A file under a temporary name beside its target, locked, so that the next run can tell what a
/// killed one left from what another one is writing. It is removed unless it is moved into place.
#[derive(Debug)]
struct TempFile {
    /// Its path, until it is moved.
    path: Option<PathBuf>,
    file: File,
}

impl TempFile {
    /// Creates one.
    fn beside(target: &Path, access: Access) -> io::Result<Self> {
        let path = temporary_name(target);
        loop {
            let mut options = File::options();
            options.write(true).create_new(true);
            restrict(&mut options, access);
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

    fn file(&self) -> &File {
        &self.file
    }

    /// Moves it into place.
    fn put(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
            self.path = None;
        }
        Ok(())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            remove(path);
        }
    }
}

/// The directory of a target.
fn directory(target: &Path) -> &Path {
    let dir = target.parent().filter(|dir| !dir.as_os_str().is_empty());
    dir.unwrap_or(Path::new("."))
}

/// If it cannot be removed, the next run tries again.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
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
    fn archives_and_homes_are_never_replaced() {
        let dir = tempfile::tempdir().expect("a directory");
        let chats = dir.path().join(".gemini/tmp/shop/chats");
        let copied = dir.path().join("backup/tmp/shop/chats");
        for directory in [&chats, &copied] {
            fs::create_dir_all(directory).expect("a directory");
        }
        let mut database = b"SQLite format 3\0".to_vec();
        database.resize(100, 0);
        let other = dir.path().join("other.db");
        fs::write(&other, &database).expect("it can be written");
        database[ARCHIVE_MARK].copy_from_slice(b"gemt");
        let archive = dir.path().join("archive.db");
        let journals = [chats.join("session-1.jsonl"), copied.join("session-1.json")];
        let settings = dir.path().join(".gemini/settings.json");
        for path in [&archive, &settings, &journals[0], &journals[1]] {
            fs::write(path, &database).expect("it can be written");
            for force in [false, true] {
                let refused = write_bytes(path, force, Access::Shared, b"new");
                let refused = refused.expect_err("it is protected");
                assert!(
                    matches!(refused, ExportError::Protected { .. }),
                    "{refused}"
                );
            }
            assert_eq!(fs::read(path).expect("it is there"), database);
        }
        #[cfg(unix)]
        {
            let link = dir.path().join("link.db");
            std::os::unix::fs::symlink(&archive, &link).expect("a link");
            assert!(write_bytes(&link, true, Access::Shared, b"new").is_err());
        }
        write_bytes(&other, true, Access::Shared, b"new").expect("it may be replaced");
        let new = chats.join("notes.md");
        write_bytes(&new, false, Access::Shared, b"new").expect("nothing is in the way");
    }

    #[test]
    fn a_file_is_written_as_a_whole_or_not_at_all() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("notes.md");
        let entries = || fs::read_dir(dir.path()).expect("it is there").count();
        let failed = write(&path, false, |out| {
            out.write_all(b"half")?;
            Err(ExportError::Io(io::ErrorKind::Other.into()))
        });
        assert!(failed.is_err());
        assert_eq!(entries(), 0);

        let put = |text: &str, force| write_bytes(&path, force, Access::Shared, text.as_bytes());
        put("first", false).expect("nothing is in the way");
        let refused = put("second", false).expect_err("it exists");
        assert!(matches!(refused, ExportError::Exists { .. }));
        put("third", true).expect("it may be replaced");
        assert_eq!(fs::read(&path).expect("it was written"), b"third");
        assert_eq!(entries(), 1);
    }

    #[test]
    fn what_nobody_writes_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let target = dir.path().join("a.db");
        let left = dir.path().join(".b.db.4711.gemtrail-tmp");
        let other = dir.path().join("b.tmp");
        for path in [&left, &other] {
            fs::write(path, "half").expect("it can be written");
        }
        let half = TempFile::beside(&target, Access::Private);
        let half = half.expect("it can be made");
        clean(dir.path());
        assert!(!left.exists());
        assert!(other.exists() && half.path.as_ref().is_some_and(|it| it.exists()));
        half.put(&target).expect("it can be moved");
        assert!(target.exists());
        assert_eq!(fs::read_dir(dir.path()).expect("it is there").count(), 2);
    }
}
