//! Proves that the archive has a file, byte for byte, just before it is removed.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use gemtrail_home::source::{Stat, open_file};
use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::options::TidyOptions;
use super::plan::KnownFile;
use super::report::WhyLeft;
use crate::db::ArchiveError;
use crate::db::columns::{chunk_ids, unpack};
use crate::db::ids::FileRowId;
use crate::raw::chunk::Hash;

/// Compares a file with the archive. Gives its state at that moment, or why it stays; `None` if it is
/// gone already.
pub(super) fn prove(
    connection: &Connection,
    file: &KnownFile,
    options: &TidyOptions,
) -> Result<Option<Result<Stat, WhyLeft>>, ArchiveError> {
    match std::fs::symlink_metadata(&file.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Ok(Some(Err(WhyLeft::Unreadable))),
        Ok(_) if is_behind_link(&file.root, &file.path) || options.is_linked(&file.root) => {
            return Ok(Some(Err(WhyLeft::Link)));
        }
        Ok(_) if is_locked(&file.path) => return Ok(Some(Err(WhyLeft::InUse))),
        Ok(_) => {}
    }
    let Ok((mut disk, metadata)) = open_file(&file.path) else {
        return Ok(Some(Err(WhyLeft::Unreadable)));
    };
    let stat = Stat::of(&metadata);
    if options.is_recent(&stat) {
        return Ok(Some(Err(WhyLeft::InUse)));
    }
    if !stat.is(&file.stat) {
        return Ok(Some(Err(WhyLeft::Changed)));
    }
    if !is_stored(connection, file.id, &mut disk, &metadata)? {
        return Ok(Some(Err(WhyLeft::NotEqual)));
    }
    Ok(Some(Ok(stat)))
}

/// True if the file is still in the state that was compared.
pub(super) fn is_still(path: &Path, stat: &Stat) -> bool {
    let now = std::fs::symlink_metadata(path);
    now.is_ok_and(|now| now.is_file() && Stat::of(&now) == *stat)
}

/// True if the last version of a file in the archive has these bytes and no others. Nothing but the
/// archive is asked for them.
fn is_stored(
    connection: &Connection,
    file: FileRowId,
    disk: &mut File,
    metadata: &Metadata,
) -> Result<bool, ArchiveError> {
    let version: Option<(u64, Vec<u8>)> = connection
        .prepare_cached(
            "SELECT version.bytes, content.chunks FROM version
             JOIN content ON content.id = version.content
             WHERE version.file = ?1 ORDER BY version.id DESC LIMIT 1",
        )?
        .query_row([file], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((bytes, chunks)) = version.filter(|(bytes, _)| *bytes == metadata.len()) else {
        return Ok(false);
    };
    let mut read =
        connection.prepare_cached("SELECT hash, bytes, data FROM chunk WHERE id = ?1")?;
    let mut rest = bytes;
    let mut own = Vec::new();
    for id in chunk_ids(&chunks) {
        if rest == 0 {
            break;
        }
        let chunk: Option<(Hash, usize, Vec<u8>)> = read
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((hash, length, data)) = chunk else {
            return Ok(false);
        };
        let Ok(mut stored) = unpack(&data, length) else {
            return Ok(false);
        };
        // A chunk under a wrong digest would not be found again.
        if Hash::from(Sha256::digest(&stored)) != hash {
            return Ok(false);
        }
        // Of a file that grew, an earlier version is the beginning.
        stored.truncate(usize::try_from(rest).unwrap_or(usize::MAX));
        own.clear();
        let wanted = stored.len() as u64;
        if disk.take(wanted).read_to_end(&mut own).is_err() || own != stored {
            return Ok(false);
        }
        rest -= wanted;
    }
    let is_at_end = matches!(disk.read(&mut [0]), Ok(0));
    Ok(rest == 0 && is_at_end)
}

/// True if the file, or a directory between it and its home, is a link, or if it is not in the home at all.
fn is_behind_link(root: &Path, path: &Path) -> bool {
    if path.strip_prefix(root).is_err() {
        return true;
    }
    let is_link = |part: &Path| {
        let metadata = std::fs::symlink_metadata(part);
        metadata.map_or(true, |it| it.is_symlink())
    };
    let parts = path.ancestors().take_while(|part| *part != root);
    parts.into_iter().any(is_link)
}

/// True if somebody locked the file: Gemini CLI puts `NAME.lock` beside what it locks.
fn is_locked(path: &Path) -> bool {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    Path::new(&lock).symlink_metadata().is_ok()
}
