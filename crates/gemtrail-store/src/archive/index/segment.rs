//! The tables of the word index.

use rusqlite::{Connection, Transaction};

use super::block::{Block, BlockWriter, Entries};
use crate::archive::db::ArchiveError;

/// A segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) id: i64,
    /// The lowest unit that it may have; postings count from it.
    pub(super) first: i64,
    /// The highest one.
    pub(super) last: i64,
    /// The length of its blocks.
    pub(super) bytes: u64,
}

impl Segment {
    /// All of them, oldest first.
    pub(super) fn all(connection: &Connection) -> Result<Vec<Self>, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT id, first_unit, last_unit, bytes FROM word_segment ORDER BY id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(Self {
                id: row.get(0)?,
                first: row.get(1)?,
                last: row.get(2)?,
                bytes: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Adds a segment with these units.
    pub(super) fn create(
        transaction: &Transaction<'_>,
        first: i64,
        last: i64,
    ) -> Result<Self, ArchiveError> {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO word_segment(first_unit, last_unit, bytes) VALUES(?1, ?2, 0)",
        )?;
        Ok(Self {
            id: insert.insert((first, last))?,
            first,
            last,
            bytes: 0,
        })
    }

    /// Adds its next block.
    pub(super) fn put(
        &mut self,
        transaction: &Transaction<'_>,
        block: &Block,
    ) -> Result<(), ArchiveError> {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO word_block(segment, first, bytes, data) VALUES(?1, ?2, ?3, ?4)",
        )?;
        insert.execute((self.id, &block.first, block.bytes, &block.data))?;
        self.bytes += block.data.len() as u64;
        Ok(())
    }

    /// Writes down its length, after its last block. Without blocks it is not needed.
    pub(super) fn close(self, transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
        if self.bytes == 0 {
            return self.delete(transaction);
        }
        transaction
            .prepare_cached("UPDATE word_segment SET bytes = ?2 WHERE id = ?1")?
            .execute((self.id, self.bytes))?;
        Ok(())
    }

    pub(super) fn delete(self, transaction: &Transaction<'_>) -> Result<(), ArchiveError> {
        for sql in [
            "DELETE FROM word_block WHERE segment = ?1",
            "DELETE FROM word_segment WHERE id = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([self.id])?;
        }
        Ok(())
    }

    /// The blocks that may have terms from the first text up to the second, in order, until the
    /// callback returns `false`.
    pub(super) fn each_block(
        &self,
        connection: &Connection,
        from: &str,
        before: &str,
        mut take: impl FnMut(&Entries) -> Result<bool, ArchiveError>,
    ) -> Result<(), ArchiveError> {
        // The term may be in the middle of a block that begins earlier.
        let mut statement = connection.prepare_cached(
            "SELECT bytes, data FROM word_block
             WHERE segment = ?1 AND first < ?3 AND first >= coalesce(
               (SELECT max(first) FROM word_block WHERE segment = ?1 AND first <= ?2), ?2)
             ORDER BY first",
        )?;
        let mut rows = statement.query((self.id, from, before))?;
        while let Some(row) = rows.next()? {
            let data = row.get_ref(1)?.as_bytes().unwrap_or_default();
            if !take(&Entries::unpack(data, row.get(0)?)?)? {
                break;
            }
        }
        Ok(())
    }

    /// The ids of its blocks, in order.
    pub(super) fn blocks(&self, connection: &Connection) -> Result<Vec<i64>, ArchiveError> {
        let mut statement = connection
            .prepare_cached("SELECT id FROM word_block WHERE segment = ?1 ORDER BY first")?;
        let rows = statement.query_map([self.id], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A block by its id.
pub(super) fn read_block(connection: &Connection, id: i64) -> Result<Entries, ArchiveError> {
    let mut statement =
        connection.prepare_cached("SELECT bytes, data FROM word_block WHERE id = ?1")?;
    statement.query_row([id], |row| {
        let data = row.get_ref(1)?.as_bytes().unwrap_or_default();
        Ok(Entries::unpack(data, row.get(0)?))
    })?
}

/// Writes the blocks of a segment one after the other.
pub(super) struct SegmentWriter<'t> {
    transaction: &'t Transaction<'t>,
    segment: Segment,
    block: BlockWriter,
}

impl<'t> SegmentWriter<'t> {
    pub(super) fn new(transaction: &'t Transaction<'t>, segment: Segment) -> Self {
        Self {
            transaction,
            segment,
            block: BlockWriter::default(),
        }
    }

    /// Adds a term with its units in order, counted from the segment's first one. Terms must come in
    /// order.
    pub(super) fn add(
        &mut self,
        term: &str,
        units: impl IntoIterator<Item = u64>,
    ) -> Result<(), ArchiveError> {
        self.block.add(term, units);
        if self.block.is_full() {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), ArchiveError> {
        if let Some(block) = std::mem::take(&mut self.block).finish()? {
            self.segment.put(self.transaction, &block)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), ArchiveError> {
        self.end_block()?;
        self.segment.close(self.transaction)
    }
}
