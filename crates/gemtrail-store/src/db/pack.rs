//! How chunks and lists of them are encoded in a column.

use std::cell::RefCell;
use std::io;

use super::ids::ChunkRowId;
use zstd::bulk::{Compressor, Decompressor};

/// The ids in a list of chunks.
pub(crate) fn chunk_ids(list: &[u8]) -> impl Iterator<Item = ChunkRowId> {
    let (ids, _) = list.as_chunks::<8>();
    ids.iter().map(|id| ChunkRowId(i64::from_le_bytes(*id)))
}

/// Encodes a list of chunks for its column.
pub(crate) fn pack_ids(ids: &[ChunkRowId]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.0.to_le_bytes()).collect()
}

/// Compression level: beyond this, time grows faster than the archive shrinks.
const LEVEL: i32 = 4;

thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses bytes, with a checksum, so that damage is noticed on decompression.
pub(crate) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        let packer = if let Some(packer) = packer {
            packer
        } else {
            let mut new = Compressor::new(LEVEL)?;
            new.include_checksum(true)?;
            packer.insert(new)
        };
        packer.compress(bytes)
    })
}

thread_local! {
    /// Creating one takes longer than most decompressions.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// More than anything that is ever packed. An archive may come from anywhere and claim any size.
pub(crate) const MOST_UNPACKED: usize = 64 << 20;

pub(crate) fn unpack(data: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    if bytes > MOST_UNPACKED {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let unpacked = UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new()?),
        };
        unpacker.decompress(data, bytes)
    })?;
    if unpacked.len() == bytes {
        Ok(unpacked)
    } else {
        Err(io::Error::other("it has another length"))
    }
}

/// Whether a chunk of that length can be unpacked.
pub(crate) fn is_sound(data: &[u8], bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| unpack(data, bytes).is_ok())
}
