//! Where the bytes of a file are: on disk, or in an archive after the disk lost them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

/// Upper limit for settings, registries and prompt logs.
const MAX_SMALL_BYTES: u64 = 512 << 20;

/// Stored file contents.
pub trait Kept: Debug + Send + Sync {
    /// Reads them from the start.
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;

    /// Reads what is left of them: gaps take the place of what is damaged.
    fn open_with_gaps(&self) -> io::Result<Gapped> {
        let bytes = self.open()?;
        let lost = Arc::default();
        Ok(Gapped { bytes, lost })
    }

    /// Their length.
    fn bytes(&self) -> u64;
}

/// Stored contents of which a part may be damaged.
pub struct Gapped {
    /// What can be read.
    pub bytes: Box<dyn Read + Send>,
    /// The number of damaged bytes, as far as has been read.
    pub lost: Arc<AtomicU64>,
}

/// Files that an archive has damaged bytes of, as far as anybody has noticed.
#[derive(Clone, Debug, Default)]
pub struct Damage(Arc<Mutex<BTreeMap<PathBuf, bool>>>);

impl Damage {
    /// Remembers a file, and whether some of its bytes are nowhere else.
    pub fn note(&self, path: &Path, is_lost: bool) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *files.entry(path.to_owned()).or_default() |= is_lost;
    }

    /// These files.
    pub fn files(&self) -> Vec<DamagedFile> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let files = files.iter();
        let file = |(path, is_lost): (&PathBuf, &bool)| DamagedFile {
            path: path.clone(),
            is_lost: *is_lost,
        };
        files.map(file).collect()
    }
}

/// A file whose bytes are damaged in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedFile {
    /// Its path.
    pub path: PathBuf,
    /// True if some of its bytes are lost, because the disk does not have them either.
    pub is_lost: bool,
}

/// The versions of a file besides the one on disk.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// The last version, if it is to be read instead of the disk.
    pub latest: Option<Arc<dyn Kept>>,
    /// Earlier versions, oldest first, without those that were only appended to.
    pub earlier: Vec<Arc<dyn Kept>>,
    /// The file's rows in the archive.
    pub archived: Option<Archived>,
    /// The session that the archive knows the file to be of, should its bytes no longer tell.
    pub session: Option<Arc<str>>,
}

/// A file that an archive has, and its last version there.
#[derive(Clone, Copy, Debug)]
pub struct Archived {
    /// The file.
    pub file: FileRowId,
    /// Its last version.
    pub version: VersionRowId,
}

/// A row of an index's table `file`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileRowId(pub i64);

/// A row of an index's table `version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionRowId(pub i64);

macro_rules! columns {
    ($($name:ident),+) => {$(
        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, formatter)
            }
        }
    )+};
}

columns!(FileRowId, VersionRowId);

/// Shows whether a file has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Its size.
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// Tells a file from a later one of the same name.
    pub inode: i64,
    /// When its inode changed, in nanoseconds since 1970, if that is known: nobody can put this time
    /// back.
    pub changed: Option<i64>,
}

impl Stat {
    /// True if it is the same file in the same state, as far as both know.
    pub fn is(&self, other: &Self) -> bool {
        let is_changed = match (self.changed, other.changed) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        };
        let of = |stat: &Self| (stat.bytes, stat.modified, stat.inode);
        of(self) == of(other) && !is_changed
    }

    /// The state of a database that has a log.
    pub(crate) fn with_log(self, log: &Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(log.bytes),
            modified: self.modified.max(log.modified),
            inode: self.inode,
            changed: self.changed.max(log.changed),
        }
    }

    /// The state that a file system tells.
    pub fn of(metadata: &Metadata) -> Self {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata).cast_signed();
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            let seconds = metadata.ctime().checked_mul(1_000_000_000);
            seconds.and_then(|it| it.checked_add(metadata.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let (inode, changed) = (0, None);
        Self {
            bytes: metadata.len(),
            modified: since
                .and_then(|since| i64::try_from(since.as_nanos()).ok())
                .unwrap_or_default(),
            inode,
            changed,
        }
    }
}

/// A file being read.
pub enum Opened {
    /// From disk.
    Disk(File),
    /// From elsewhere, or from disk up to a limit.
    Kept(Box<dyn Read + Send>),
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(buffer),
            Self::Kept(kept) => kept.read(buffer),
        }
    }
}

/// Reads a small file in a stored version.
pub(crate) fn read_kept(kept: &dyn Kept) -> io::Result<Vec<u8>> {
    if kept.bytes() > MAX_SMALL_BYTES {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut bytes = Vec::new();
    kept.open()?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// True if `bytes` begins with `start`.
pub fn begins_with(mut bytes: impl Read, mut start: impl Read) -> io::Result<bool> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        start.by_ref().take(64 << 10).read_to_end(&mut b)?;
        if b.is_empty() {
            return Ok(true);
        }
        bytes.by_ref().take(b.len() as u64).read_to_end(&mut a)?;
        if a != b {
            return Ok(false);
        }
    }
}

/// The reason why a file cannot be read, if so.
pub fn why_unreadable(path: &Path) -> Option<io::Error> {
    let first = open_regular(path).and_then(|mut file| file.read(&mut [0]));
    first.err()
}

/// At most this much is read of a file that says that it is empty.
const MOST_OF_EMPTY: u64 = 1 << 20;

/// Opens a file of which others decide what it is. Anything but a regular file is refused: opening a
/// pipe would block, and a device never ends. Files of the kernel say that they are regular and empty,
/// and may block or never end all the same.
pub fn open_regular(path: &Path) -> io::Result<Opened> {
    let (file, metadata) = open_file(path)?;
    Ok(if metadata.len() == 0 {
        Opened::Kept(Box::new(file.take(MOST_OF_EMPTY)))
    } else {
        Opened::Disk(file)
    })
}

/// Opens a regular file so that reading it never blocks.
pub fn open_file(path: &Path) -> io::Result<(File, Metadata)> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

/// The bytes of an open file from where it is.
pub fn contents<'f>(file: &'f mut File, metadata: &Metadata) -> impl Read + 'f {
    file.take(if metadata.len() == 0 {
        MOST_OF_EMPTY
    } else {
        u64::MAX
    })
}

/// Reads a small file in full, if it is a regular one.
pub fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    if let Opened::Disk(file) = &file
        && file.metadata()?.len() > MAX_SMALL_BYTES
    {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
