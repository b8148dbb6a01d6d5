//! Files of a lake: the manifest of an origin, which names all that it has put there, and the files on disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::LakeError;
use crate::identity::{OriginId, hex};
use crate::options::Level;
use crate::sheet::Finished;
use crate::table::{LAKE_SCHEMA, LakeTable};

/// The schema name of the document.
pub const ORIGIN_SCHEMA: &str = "gemtrail.lake-origin/1";

/// Everything that one origin has put into a lake; written last, so that everything it names is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `gemtrail.lake-origin/1`.
    pub schema: String,
    /// The number of the lake's schema.
    pub lake_schema: i32,
    /// The version of gemtrail that wrote it.
    pub gemtrail: String,
    /// Whose files these are.
    pub origin: OriginId,
    /// A pseudonym of the machine.
    pub machine: Option<String>,
    /// The highest level that one of them may have.
    pub level: Level,
    /// The digest of everything else that decides what may be known of what was recorded.
    #[serde(default)]
    pub privacy: String,
    /// The files by their paths below the lake.
    pub files: BTreeMap<String, ManifestEntry>,
}

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The number of its rows; an empty table has no file.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// The digest of its bytes.
    pub sha256: String,
    /// The digest of everything that it was made of.
    pub source: String,
    /// Its level.
    #[serde(default)]
    pub level: Option<Level>,
    /// The digest of the references of its sessions, without their contents.
    #[serde(default)]
    pub sessions: String,
}

impl Manifest {
    pub(crate) fn new(origin: OriginId, level: Level) -> Self {
        Self {
            schema: ORIGIN_SCHEMA.to_owned(),
            lake_schema: LAKE_SCHEMA,
            gemtrail: env!("CARGO_PKG_VERSION").to_owned(),
            origin,
            machine: None,
            level,
            privacy: String::new(),
            files: BTreeMap::new(),
        }
    }

    /// The path of an origin's manifest.
    pub(crate) fn path(lake: &Path, origin: &OriginId) -> PathBuf {
        let name = format!("{}.json", origin.stem());
        root(lake).join("_origins").join(name)
    }

    /// The manifest of an origin. One that cannot be read counts as missing: everything is then
    /// written again.
    pub(crate) fn read(lake: &Path, origin: &OriginId) -> Result<Option<Self>, LakeError> {
        let path = Self::path(lake, origin);
        match std::fs::read(&path) {
            Ok(bytes) => {
                let manifest: Option<Self> = serde_json::from_slice(&bytes).ok();
                Ok(manifest.filter(|it| it.schema == ORIGIN_SCHEMA && it.origin == *origin))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LakeError::file(&path)(error)),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // A manifest has a JSON form.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// The directory of this schema.
pub(crate) fn root(lake: &Path) -> PathBuf {
    lake.join(format!("v{LAKE_SCHEMA}"))
}

/// The path of a table's file of a month, below the lake. Projects have no month.
pub(crate) fn file_of(table: LakeTable, month: Option<&str>, origin: &OriginId) -> String {
    let name = format!("{}.parquet", origin.stem());
    match month {
        Some(month) => format!("v{LAKE_SCHEMA}/{}/month={month}/{name}", table.name()),
        None => format!("v{LAKE_SCHEMA}/{}/{name}", table.name()),
    }
}

/// The digest of a file; `None` if there is none.
pub(crate) fn digest_of(path: &Path) -> Result<Option<String>, LakeError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LakeError::file(path)(error)),
    };
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer).map_err(LakeError::file(path))?;
        if read == 0 {
            return Ok(Some(hex(&digest.finalize(), 64)));
        }
        digest.update(&buffer[..read]);
    }
}

/// The size of a file; `None` if there is none.
pub(crate) fn size_of(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.len())
}

/// Puts a finished file in its place, unless the same bytes are there already. Returns whether
/// anything changed.
pub(crate) fn put(finished: &Finished, to: &Path) -> Result<bool, LakeError> {
    let from = &finished.path;
    if size_of(to) == Some(finished.bytes) && digest_of(to)?.as_deref() == Some(&*finished.sha256) {
        remove(from)?;
        return Ok(false);
    }
    rename(from, to)?;
    Ok(true)
}

/// Renames a file that is on disk, and makes sure that its name is, too.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), LakeError> {
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir).map_err(LakeError::file(dir))?;
        fs::rename(from, to).map_err(LakeError::file(to))?;
        sync_dir(dir);
    }
    Ok(())
}

/// Not all systems can do this, and those that cannot do not need it.
fn sync_dir(dir: &Path) {
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
}

/// Writes a small file by way of another name.
pub(crate) fn replace(scratch: &Path, to: &Path, bytes: &[u8]) -> Result<(), LakeError> {
    let mut file = File::create(scratch).map_err(LakeError::file(scratch))?;
    file.write_all(bytes).map_err(LakeError::file(scratch))?;
    file.sync_all().map_err(LakeError::file(scratch))?;
    rename(scratch, to)
}

pub(crate) fn remove(path: &Path) -> Result<(), LakeError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(LakeError::file(path)(error)),
        _ => Ok(()),
    }
}

/// The data files of an origin, by their paths below the lake.
pub(crate) fn files_of(lake: &Path, origin: &OriginId) -> Result<Vec<String>, LakeError> {
    let name = format!("{}.parquet", origin.stem());
    let mut files = Vec::new();
    for table in entries(&root(lake))? {
        for entry in entries(&table)? {
            let file = if entry.is_dir() {
                entry.join(&name)
            } else {
                entry
            };
            if file.file_name().is_some_and(|it| *it == *name) && file.is_file() {
                files.extend(below(lake, &file));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The entries of a directory; none if it does not exist.
pub(crate) fn entries(dir: &Path) -> Result<Vec<PathBuf>, LakeError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(LakeError::file(dir)(error)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths
        .collect::<Result<_, _>>()
        .map_err(LakeError::file(dir))?;
    paths.sort();
    Ok(paths)
}

/// A path below the lake as manifests write it, on every system.
fn below(lake: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(lake).ok()?.iter();
    let parts: Option<Vec<&str>> = parts.map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Removes a data file, and the directory of its month if nothing else is in it.
pub(crate) fn remove_data(lake: &Path, file: &str) -> Result<(), LakeError> {
    let path = lake.join(file);
    remove(&path)?;
    if let Some(dir) = path.parent().filter(|_| file.contains("/month=")) {
        // Fails if it is not empty.
        let _ = fs::remove_dir(dir);
    }
    Ok(())
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checked {
    /// True if the origin has anything in the lake.
    #[serde(skip)]
    pub is_there: bool,
    /// The level of its files.
    #[serde(skip)]
    pub level: Level,
    /// The number of files that were checked.
    pub files: u64,
    /// Files that are gone.
    pub missing: Vec<String>,
    /// Files with other bytes.
    pub changed: Vec<String>,
    /// Files of this machine that the manifest does not name.
    pub unnamed: Vec<String>,
}

impl Checked {
    /// True if everything is as it was written.
    pub fn is_good(&self) -> bool {
        self.missing.is_empty() && self.changed.is_empty() && self.unnamed.is_empty()
    }
}

/// Compares the files of an origin with its manifest.
pub fn check(lake: &Path, origin: &OriginId) -> Result<Checked, LakeError> {
    let mut checked = Checked {
        unnamed: files_of(lake, origin)?,
        ..Checked::default()
    };
    let Some(manifest) = Manifest::read(lake, origin)? else {
        return Ok(checked);
    };
    (checked.is_there, checked.level) = (true, manifest.level);
    for (file, entry) in manifest.files.iter().filter(|(_, it)| it.rows > 0) {
        checked.files += 1;
        checked.unnamed.retain(|it| it != file);
        match digest_of(&lake.join(file))? {
            None => checked.missing.push(file.clone()),
            Some(digest) if digest != entry.sha256 => checked.changed.push(file.clone()),
            Some(_) => {}
        }
    }
    Ok(checked)
}
