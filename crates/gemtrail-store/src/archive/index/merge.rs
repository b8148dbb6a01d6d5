//! Merges segments, so that a lookup asks few of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rusqlite::{Connection, Transaction};

use super::segment::{Segment, SegmentWriter, read_block};
use crate::archive::db::ArchiveError;
use crate::archive::db::error::damaged;

/// This many segments of about the same size become one. A word is then written again as often as
/// the index has grown eightfold since.
const MANY: usize = 8;

/// Merges segments of about the same size, where there are many.
pub(crate) fn merge_some(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    loop {
        let mut sizes: BTreeMap<u32, Vec<Segment>> = BTreeMap::new();
        for segment in Segment::all(transaction)? {
            sizes.entry(size_class(segment)).or_default().push(segment);
        }
        let Some(many) = sizes.into_values().find(|it| it.len() >= MANY) else {
            return Ok(());
        };
        merge(transaction, &many)?;
    }
}

/// Makes one segment of all, without anything of deleted units.
pub(crate) fn merge_all(transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
    merge(transaction, &Segment::all(transaction)?)
}

/// Segments in one class are at most eight times as long as each other. The small ones are all in
/// one: they take a page each.
fn size_class(segment: Segment) -> u32 {
    const SMALL: u64 = 64 << 10;
    (segment.bytes / SMALL)
        .checked_ilog(8)
        .map_or(0, |it| it + 1)
}

fn merge(transaction: &Transaction<'_>, segments: &[Segment]) -> Result<(), ArchiveError> {
    let firsts = segments.iter().map(|it| it.first);
    let lasts = segments.iter().map(|it| it.last);
    let (Some(first), Some(last)) = (firsts.min(), lasts.max()) else {
        return Ok(());
    };
    let units = Units::read(transaction, first, last)?;
    let Some((first, last)) = units.ends() else {
        return segments.iter().try_for_each(|it| it.delete(transaction));
    };
    let merged = Segment::create(transaction, first, last)?;
    let mut writer = SegmentWriter::new(transaction, merged);
    let mut merging = Merging::open(transaction, segments)?;
    let mut found = Vec::new();
    while let Some(term) = merging.next(&mut found)? {
        found.retain(|unit| units.has(*unit));
        if !found.is_empty() {
            found.sort_unstable();
            writer.add(&term, found.iter().map(|unit| unit.abs_diff(first)))?;
        }
    }
    writer.finish()?;
    segments.iter().try_for_each(|it| it.delete(transaction))
}

/// Which units are there, a bit each.
struct Units {
    first: i64,
    bits: Vec<u64>,
    ends: Option<(i64, i64)>,
}

impl Units {
    fn read(connection: &Connection, first: i64, last: i64) -> Result<Self, ArchiveError> {
        let words = usize::try_from(last.abs_diff(first) / 64 + 1);
        let words = words.map_err(|_| damaged("a segment of the word index has no end"))?;
        let mut units = Self {
            first,
            bits: vec![0; words],
            ends: None,
        };
        let mut statement = connection
            .prepare_cached("SELECT id FROM unit WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
        let mut rows = statement.query((first, last))?;
        while let Some(row) = rows.next()? {
            let unit: i64 = row.get(0)?;
            let (word, bit) = units.place(unit);
            units.bits[word] |= bit;
            units.ends = Some((units.ends.map_or(unit, |ends| ends.0), unit));
        }
        Ok(units)
    }

    fn place(&self, unit: i64) -> (usize, u64) {
        let at = unit.wrapping_sub(self.first).cast_unsigned();
        let word = usize::try_from(at / 64).unwrap_or(usize::MAX);
        (word, 1 << (at % 64))
    }

    fn has(&self, unit: i64) -> bool {
        let (word, bit) = self.place(unit);
        self.bits.get(word).is_some_and(|it| it & bit != 0)
    }

    /// The first and the last one.
    fn ends(&self) -> Option<(i64, i64)> {
        self.ends
    }
}

/// The terms of several segments in one order.
struct Merging<'t> {
    transaction: &'t Transaction<'t>,
    sources: Vec<Source>,
    /// The next term of each source that has one.
    next: BinaryHeap<Reverse<(String, usize)>>,
}

/// One segment, a block at a time.
struct Source {
    first: i64,
    blocks: std::vec::IntoIter<i64>,
    /// What is left of the block.
    terms: VecDeque<(String, Vec<i64>)>,
}

impl<'t> Merging<'t> {
    fn open(transaction: &'t Transaction<'t>, segments: &[Segment]) -> Result<Self, ArchiveError> {
        let mut merging = Self {
            transaction,
            sources: Vec::new(),
            next: BinaryHeap::new(),
        };
        for (at, segment) in segments.iter().enumerate() {
            merging.sources.push(Source {
                first: segment.first,
                blocks: segment.blocks(transaction)?.into_iter(),
                terms: VecDeque::new(),
            });
            merging.advance(at)?;
        }
        Ok(merging)
    }

    /// Puts the next term of a source in line.
    fn advance(&mut self, at: usize) -> Result<(), ArchiveError> {
        let source = &mut self.sources[at];
        while source.terms.is_empty() {
            let Some(block) = source.blocks.next() else {
                return Ok(());
            };
            let (first, terms) = (source.first, &mut source.terms);
            read_block(self.transaction, block)?.each(|term, postings| {
                let mut units = Vec::new();
                postings.add_to(first, &mut units)?;
                terms.push_back((term.to_owned(), units));
                Ok(true)
            })?;
        }
        if let Some((term, _)) = source.terms.front_mut() {
            self.next.push(Reverse((std::mem::take(term), at)));
        }
        Ok(())
    }

    /// The next term, with the units of all sources that have it.
    fn next(&mut self, units: &mut Vec<i64>) -> Result<Option<String>, ArchiveError> {
        units.clear();
        let Some(Reverse((term, at))) = self.next.pop() else {
            return Ok(None);
        };
        self.take(at, units)?;
        while let Some(Reverse((same, _))) = self.next.peek()
            && *same == term
            && let Some(Reverse((_, at))) = self.next.pop()
        {
            self.take(at, units)?;
        }
        Ok(Some(term))
    }

    fn take(&mut self, at: usize, units: &mut Vec<i64>) -> Result<(), ArchiveError> {
        if let Some((_, of_source)) = self.sources[at].terms.pop_front() {
            units.extend(of_source);
        }
        self.advance(at)
    }
}
