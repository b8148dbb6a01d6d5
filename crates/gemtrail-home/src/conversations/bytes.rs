//! The bytes of a conversation's file: of a database those of its rows, the same on disk and in the
//! archive.

use std::io::{self, Read as _};

use gemtrail_antigravity::undump;

use crate::antigravity::pieces_of;
use crate::discover::FoundFile;
use crate::source::{Kept, open_regular};

/// Longer files are not read: all of one is in memory.
const LARGEST: u64 = 1 << 30;

/// The bytes of a file now, as they are kept.
pub fn bytes_of(file: &FoundFile) -> io::Result<Vec<u8>> {
    match &file.versions.latest {
        Some(kept) => kept_bytes(kept.as_ref()),
        None => match pieces_of(&file.path) {
            Some(pieces) => Ok(pieces?.concat()),
            None => limited(open_regular(&file.path)?),
        },
    }
}

/// The bytes of a stored version.
pub(super) fn kept_bytes(kept: &dyn Kept) -> io::Result<Vec<u8>> {
    limited(kept.open()?)
}

fn limited(input: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// The image of the database that kept bytes stand for.
pub(super) fn image_of(kept: Vec<u8>) -> Vec<u8> {
    undump(&kept).unwrap_or(kept)
}
