//! Blocks: terms with their postings, in few bytes.
//!
//! Terms come first, each as what differs from the one before and how long its postings are, and are
//! compressed. The [postings](super::postings) of all of them follow.

use std::io;

use crate::archive::db::ArchiveError;
use crate::archive::db::compact::{Damaged, Packer, Unpacked, Unpacker};
use crate::archive::db::error::damaged;
use crate::archive::db::pack::{pack, unpack};

use super::postings;

/// A block is full when it is this long before compression. Longer ones compress better, shorter
/// ones are looked through faster.
const FULL: usize = 128 << 10;

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
    terms: Packer,
    postings: Vec<u8>,
    /// The units of one term.
    units: Vec<u64>,
    first: Option<String>,
    last: String,
}

impl BlockWriter {
    /// Adds a term with the units that have it, in order.
    pub(super) fn add(&mut self, term: &str, units: impl IntoIterator<Item = u64>) {
        self.units.clear();
        self.units.extend(units);
        let before = self.postings.len();
        postings::pack(&self.units, &mut self.postings);
        let shared = shared_bytes(&self.last, term);
        self.terms.number(shared as u64);
        self.terms.bytes(&term.as_bytes()[shared..]);
        self.terms.number((self.postings.len() - before) as u64);
        self.first.get_or_insert_with(|| term.to_owned());
        self.last.clear();
        self.last.push_str(term);
    }

    pub(super) fn is_full(&self) -> bool {
        self.terms.len() + self.postings.len() >= FULL
    }

    /// The block; `None` if there is nothing in it.
    pub(super) fn finish(self) -> io::Result<Option<Block>> {
        let Some(first) = self.first else {
            return Ok(None);
        };
        let terms = self.terms.into_bytes();
        let mut data = Packer::default();
        data.number(terms.len() as u64);
        data.bytes(&pack(&terms)?);
        let mut data = data.into_bytes();
        // They do not get shorter, but have a checksum then.
        data.extend(pack(&self.postings)?);
        Ok(Some(Block {
            first,
            bytes: terms.len() + self.postings.len(),
            data,
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
    terms: Vec<u8>,
    postings: Vec<u8>,
}

impl Entries {
    pub(super) fn unpack(data: &[u8], bytes: usize) -> Result<Self, ArchiveError> {
        Self::read(data, bytes).map_err(damaged_block)
    }

    fn read(data: &[u8], bytes: usize) -> Unpacked<Self> {
        let mut data = Unpacker::new(data);
        let of_terms = usize::try_from(data.number()?)?;
        let terms = unpack(data.bytes()?, of_terms)?;
        let of_postings = bytes.checked_sub(of_terms).ok_or(Damaged)?;
        let postings = unpack(data.rest(), of_postings)?;
        Ok(Self { terms, postings })
    }

    /// Calls back with each term and its postings until that returns `false`.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&str, Postings<'_>) -> Result<bool, ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut terms = Unpacker::new(&self.terms);
        let mut postings = self.postings.as_slice();
        let mut term = Vec::new();
        while !terms.is_empty() {
            let length = next(&mut terms, &mut term).map_err(damaged_block)?;
            let text = str::from_utf8(&term).map_err(|_| damaged_block(Damaged))?;
            let split = postings.split_at_checked(length);
            let (own, others) = split.ok_or_else(|| damaged_block(Damaged))?;
            if !take(text, Postings(own))? {
                break;
            }
            postings = others;
        }
        Ok(())
    }
}

/// Takes the next term. Returns the length of its postings.
fn next(terms: &mut Unpacker<'_>, term: &mut Vec<u8>) -> Unpacked<usize> {
    let shared = usize::try_from(terms.number()?)?;
    if shared > term.len() {
        return Err(Damaged);
    }
    term.truncate(shared);
    term.extend_from_slice(terms.bytes()?);
    Ok(usize::try_from(terms.number()?)?)
}

/// The postings of a term.
#[derive(Clone, Copy)]
pub(super) struct Postings<'b>(&'b [u8]);

impl Postings<'_> {
    /// Appends the units, counted from the first one of the segment, whose id is given.
    pub(super) fn add_to(self, first: i64, units: &mut Vec<i64>) -> Result<(), ArchiveError> {
        let add = |unit: u64| units.push(first.wrapping_add(unit.cast_signed()));
        postings::unpack(self.0, add).map_err(damaged_block)
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
        let entries = Entries {
            terms: vec![9, 1, b'x', 0],
            postings: Vec::new(),
        };
        assert!(entries.each(|_, _| Ok(true)).is_err(), "it shares too much");
        let entries = Entries {
            terms: vec![0, 1, b'x', 2],
            postings: vec![0],
        };
        assert!(entries.each(|_, _| Ok(true)).is_err(), "it has too many");
    }
}
