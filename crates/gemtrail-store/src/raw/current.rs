//! Reads files that have just been stored from disk, which saves unpacking them.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use gemtrail_home::discover::{FileKind, Found, FoundFile};
use gemtrail_home::source::{Gapped, Kept, Stat};

/// Lets journals be read from disk as long as they are there as they were stored. They are most of
/// the bytes; of other files, an earlier version may be the last one of a project.
pub(crate) fn read_from_disk(found: &mut [Found]) {
    let projects = found.iter_mut().flat_map(|it| &mut it.projects);
    let files = projects.flat_map(|it| &mut it.files);
    let is_journal =
        |file: &&mut FoundFile| matches!(file.kind, FileKind::Journal | FileKind::Subagent { .. });
    for file in files.filter(is_journal) {
        // A file that grew while it was read is longer than it was said to be.
        let is_as_seen = file.on_disk && file.bytes == file.stat.bytes;
        if let Some(stored) = file.versions.latest.take_if(|_| is_as_seen) {
            file.versions.latest = Some(Arc::new(Current {
                path: file.path.clone(),
                stat: file.stat,
                stored,
            }));
        }
    }
}

/// A stored version of a file, which may be the one on disk.
#[derive(Debug)]
struct Current {
    path: PathBuf,
    /// The file when it was stored.
    stat: Stat,
    stored: Arc<dyn Kept>,
}

impl Kept for Current {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let Ok(file) = File::open(&self.path) else {
            return self.stored.open();
        };
        let disk = Disk {
            file,
            stat: self.stat,
        };
        if disk.is_as_stored() {
            Ok(Box::new(disk))
        } else {
            self.stored.open()
        }
    }

    fn open_with_gaps(&self) -> io::Result<Gapped> {
        self.stored.open_with_gaps()
    }

    fn bytes(&self) -> u64 {
        self.stored.bytes()
    }
}

/// The file on disk.
struct Disk {
    file: File,
    stat: Stat,
}

impl Disk {
    fn is_as_stored(&self) -> bool {
        let now = self.file.metadata();
        now.is_ok_and(|now| now.is_file() && self.stat.is(&Stat::of(&now)))
    }
}

impl Read for Disk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        // It may have been rewritten since it was opened.
        if count == 0 && !buffer.is_empty() && !self.is_as_stored() {
            return Err(io::Error::other("the file has changed"));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    #[derive(Debug)]
    struct Stored(&'static str);

    impl Kept for Stored {
        fn open(&self) -> io::Result<Box<dyn Read + Send>> {
            Ok(Box::new(self.0.as_bytes()))
        }

        fn bytes(&self) -> u64 {
            self.0.len() as u64
        }
    }

    #[test]
    fn only_the_file_that_was_stored_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("session-x.jsonl");
        fs::write(&path, "disk").unwrap();
        let current = Current {
            stat: Stat::of(&fs::metadata(&path).unwrap()),
            stored: Arc::new(Stored("kept")),
            path,
        };
        let read = || io::read_to_string(current.open().unwrap());
        assert_eq!(read().unwrap(), "disk");

        let mut open = current.open().unwrap();
        open.read_exact(&mut [0; 2]).unwrap();
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(&current.path)
            .unwrap();
        file.write_all(b" and more").unwrap();
        assert!(io::read_to_string(open).is_err(), "it changed meanwhile");
        assert_eq!(read().unwrap(), "kept");
        fs::remove_file(&current.path).unwrap();
        assert_eq!(read().unwrap(), "kept");
    }
}
