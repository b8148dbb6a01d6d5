//! Files of a lake on disk: put in place, found, removed.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::LakeError;
use crate::manifest::root;
use crate::origin::OriginId;
use crate::pseudonym::hex;
use crate::sheet::Finished;

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
pub(crate) fn put(from: &Path, to: &Path, finished: &Finished) -> Result<bool, LakeError> {
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
