//! Transactions of the view writer.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::archive::db::{ArchiveError, schema};
use crate::archive::index::{self, SegmentBuilder};

/// A transaction is committed after this many bytes of source.
pub(super) const BATCH_BYTES: u64 = 96 << 20;

/// A series of transactions, each large enough to be worth it.
pub(super) struct Batch<'c> {
    connection: &'c Connection,
    open: Option<Open<'c>>,
    /// How much source the open transaction covers.
    pub(super) bytes: u64,
}

/// An open transaction.
pub(super) struct Open<'c> {
    pub(super) transaction: Transaction<'c>,
    /// The words of the units that it writes.
    pub(super) words: SegmentBuilder,
}

impl<'c> Batch<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            open: None,
            bytes: 0,
        }
    }

    pub(super) fn open(&mut self) -> Result<&mut Open<'c>, ArchiveError> {
        Ok(match &mut self.open {
            Some(open) => open,
            none => {
                let begin = TransactionBehavior::Immediate;
                let transaction = Transaction::new_unchecked(self.connection, begin)?;
                let words = SegmentBuilder::new(&transaction)?;
                none.insert(Open { transaction, words })
            }
        })
    }

    pub(super) fn transaction(&mut self) -> Result<&Transaction<'c>, ArchiveError> {
        Ok(&self.open()?.transaction)
    }

    /// Commits the transaction if it is large. Not to be called in the middle of what must be
    /// atomic.
    pub(super) fn end_if_long(&mut self) -> Result<(), ArchiveError> {
        if self.bytes > BATCH_BYTES {
            self.commit()?;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self) -> Result<(), ArchiveError> {
        self.bytes = 0;
        match self.open.take() {
            Some(Open { transaction, words }) => {
                words.write(&transaction)?;
                index::merge_some(&transaction)?;
                schema::note_change(&transaction)?;
                Ok(transaction.commit()?)
            }
            None => Ok(()),
        }
    }
}
