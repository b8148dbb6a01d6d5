//! Blocks: terms with their postings, in few bytes.
//!
//! Of each term only what differs from the one before is written, of each posting the distance to
//! the one before. The whole is compressed.

use std::io;

use crate::archive::db::ArchiveError;
use crate::archive::db::compact::{Damaged, Packer, Unpacked, Unpacker};
use crate::archive::db::error::damaged;
use crate::archive::db::pack::{pack, unpack};

/// A block is full when it is this long before compression. Longer ones compress better, shorter
/// ones are looked through faster.
const FULL: usize = 32 << 10;

/// Distances and terms that were not written by a [`BlockWriter`].
pub(super) fn damaged_block(_: Damaged) -> ArchiveError {
    damaged("a block of the word index is damaged")
}

/// A block as it is stored.
#[derive(Debug)]
pub(super) struct Block {
    /// Its first term.
    pub(super) first: String,
    /// Its length before compression.
    pub(super) bytes: usize,
    pub(super) data: Vec<u8>,
}

/// Writes one block. Terms must come in order.
#[derive(Default)]
pub(super) struct BlockWriter {
    packer: Packer,
    first: Option<String>,
    last: String,
}

impl BlockWriter {
    /// Adds a term with the units that have it, in order.
    pub(super) fn add(&mut self, term: &str, units: impl IntoIterator<Item = u64>) {
        let mut postings = Packer::default();
        let mut before = 0;
        for unit in units {
            postings.number(unit - before);
            before = unit;
        }
        let shared = shared_bytes(&self.last, term);
        self.packer.number(shared as u64);
        self.packer.bytes(&term.as_bytes()[shared..]);
        self.packer.bytes(&postings.into_bytes());
        self.first.get_or_insert_with(|| term.to_owned());
        self.last.clear();
        self.last.push_str(term);
    }

    pub(super) fn is_full(&self) -> bool {
        self.packer.len() >= FULL
    }

    /// The block; `None` if there is nothing in it.
    pub(super) fn finish(self) -> io::Result<Option<Block>> {
        let Some(first) = self.first else {
            return Ok(None);
        };
        let bytes = self.packer.into_bytes();
        Ok(Some(Block {
            first,
            bytes: bytes.len(),
            data: pack(&bytes)?,
        }))
    }
}

/// How many bytes both begin with.
fn shared_bytes(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

/// An unpacked block.
pub(super) struct Entries {
    bytes: Vec<u8>,
}

impl Entries {
    pub(super) fn unpack(data: &[u8], bytes: usize) -> Result<Self, ArchiveError> {
        match unpack(data, bytes) {
            Ok(bytes) => Ok(Self { bytes }),
            Err(_) => Err(damaged_block(Damaged)),
        }
    }

    /// Calls back with each term and its postings until that returns `false`.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&str, Postings<'_>) -> Result<bool, ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut entries = Unpacker::new(&self.bytes);
        let mut term = Vec::new();
        while !entries.is_empty() {
            let postings = next(&mut entries, &mut term).map_err(damaged_block)?;
            let term = str::from_utf8(&term).map_err(|_| damaged_block(Damaged))?;
            if !take(term, postings)? {
                break;
            }
        }
        Ok(())
    }
}

fn next<'b>(entries: &mut Unpacker<'b>, term: &mut Vec<u8>) -> Unpacked<Postings<'b>> {
    let shared = usize::try_from(entries.number()?)?;
    if shared > term.len() {
        return Err(Damaged);
    }
    term.truncate(shared);
    term.extend_from_slice(entries.bytes()?);
    Ok(Postings(entries.bytes()?))
}

/// The postings of a term.
#[derive(Clone, Copy)]
pub(super) struct Postings<'b>(&'b [u8]);

impl Postings<'_> {
    /// Appends the units, counted from the first one of the segment, whose id is given.
    pub(super) fn add_to(self, first: i64, units: &mut Vec<i64>) -> Result<(), ArchiveError> {
        let mut distances = Unpacker::new(self.0);
        let mut at = first;
        // At least one byte each.
        units.reserve(self.0.len());
        while !distances.is_empty() {
            let distance = distances.number().map_err(damaged_block)?;
            at = at.wrapping_add(distance.cast_signed());
            units.push(at);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let terms: [(&str, &[u64]); 4] = [
            ("a", &[0]),
            ("abc", &[1, 2, 300, 70_000]),
            ("abd", &[5]),
            ("日本", &[u64::from(u32::MAX)]),
        ];
        let mut writer = BlockWriter::default();
        for (term, units) in terms {
            writer.add(term, units.iter().copied());
        }
        let block = writer.finish().unwrap().unwrap();
        assert_eq!(block.first, "a");
        let entries = Entries::unpack(&block.data, block.bytes).unwrap();
        let mut read = Vec::new();
        entries
            .each(|term, postings| {
                let mut units = Vec::new();
                postings.add_to(10, &mut units)?;
                read.push((term.to_owned(), units));
                Ok(true)
            })
            .unwrap();
        let expected = terms.map(|(term, units)| {
            let units = units.iter().map(|unit| 10 + unit.cast_signed());
            (term.to_owned(), units.collect::<Vec<_>>())
        });
        assert_eq!(read, expected);
    }

    #[test]
    fn nothing_is_no_block() {
        assert!(BlockWriter::default().finish().unwrap().is_none());
    }

    #[test]
    fn damage_is_an_error() {
        let mut writer = BlockWriter::default();
        writer.add("word", [7]);
        let block = writer.finish().unwrap().unwrap();
        assert!(Entries::unpack(&block.data[1..], block.bytes).is_err());
        assert!(Entries::unpack(&block.data, block.bytes + 1).is_err());
        let bytes = vec![9, 1, b'x', 0];
        let entries = Entries { bytes };
        assert!(entries.each(|_, _| Ok(true)).is_err(), "it shares too much");
    }
}
