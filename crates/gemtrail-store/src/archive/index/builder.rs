//! Makes the segment of one transaction.

use rusqlite::Transaction;

use super::segment::{Segment, SegmentWriter};
use super::session_terms::SessionTerms;
use super::terms::{TermId, Terms};
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::UnitRowId;

/// Collects the terms of the units that a transaction writes.
#[derive(Debug)]
pub(crate) struct SegmentBuilder {
    /// The id of the first unit.
    first: i64,
    terms: Terms,
    /// The terms of all units, one unit after the other.
    postings: Vec<TermId>,
    /// How many postings there are up to the end of each unit.
    ends: Vec<usize>,
}

impl SegmentBuilder {
    /// Starts with the first id that no unit and no posting has.
    pub(crate) fn new(transaction: &Transaction<'_>) -> Result<Self, ArchiveError> {
        let mut statement = transaction.prepare_cached(
            "SELECT max(coalesce((SELECT max(id) FROM unit), 0),
                        coalesce((SELECT max(last_unit) FROM word_segment), 0))",
        )?;
        let last: i64 = statement.query_row([], |row| row.get(0))?;
        Ok(Self {
            first: last + 1,
            terms: Terms::default(),
            postings: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// Adds the units of a session. Returns the id of the first; the others follow.
    pub(crate) fn add(&mut self, session: &SessionTerms) -> UnitRowId {
        let first = self.next();
        let ids = self.terms.ids_of(&session.terms);
        let before = self.postings.len();
        let postings = session.postings.iter().map(|&term| ids[term as usize]);
        self.postings.extend(postings);
        self.ends
            .extend(session.ends.iter().map(|end| before + end));
        UnitRowId(first)
    }

    /// The id of the next unit.
    fn next(&self) -> i64 {
        self.first + i64::try_from(self.ends.len()).unwrap_or(i64::MAX)
    }

    /// Writes the segment. On this thread alone: those of the pool may be waiting for it, with the
    /// next sessions.
    pub(crate) fn write(self, transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
        if self.postings.is_empty() {
            return Ok(());
        }
        let segment = Segment::create(transaction, self.first, self.next() - 1)?;
        let mut writer = SegmentWriter::new(transaction, segment);
        let lists = Lists::of(&self);
        for at in 0..lists.order.len() {
            writer.add(self.terms.get(lists.order[at]), lists.units(at))?;
        }
        writer.finish()
    }
}

/// The postings, by term instead of by unit.
struct Lists {
    /// The terms, sorted.
    order: Vec<TermId>,
    /// Where the units of each of them end.
    ends: Vec<usize>,
    /// Counted from the first one.
    units: Vec<u32>,
}

impl Lists {
    fn of(builder: &SegmentBuilder) -> Self {
        let terms = &builder.terms;
        let order = terms.sorted();
        // A counting sort: how many units has each term, where does its list begin, fill it.
        let mut counts = vec![0_usize; terms.len()];
        for &term in &builder.postings {
            counts[term as usize] += 1;
        }
        let mut starts = vec![0_usize; terms.len()];
        let mut ends = Vec::with_capacity(terms.len());
        let mut end = 0;
        for &term in &order {
            starts[term as usize] = end;
            end += counts[term as usize];
            ends.push(end);
        }
        let mut units = vec![0_u32; builder.postings.len()];
        let mut from = 0;
        for (unit, &to) in (0..).zip(&builder.ends) {
            for &term in &builder.postings[from..to] {
                let place = &mut starts[term as usize];
                units[*place] = unit;
                *place += 1;
            }
            from = to;
        }
        Self { order, ends, units }
    }

    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    fn units(&self, at: usize) -> impl Iterator<Item = u64> {
        let units = &self.units[self.start(at)..self.ends[at]];
        units.iter().map(|unit| u64::from(*unit))
    }
}
