//! Transactions of the view writer.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::archive::db::{ArchiveError, schema};

/// A transaction is committed after this many bytes of source.
pub(super) const BATCH_BYTES: u64 = 96 << 20;

/// A series of transactions, each large enough to be worth it.
pub(super) struct Batch<'c> {
    connection: &'c Connection,
    open: Option<Transaction<'c>>,
    /// How much source the open transaction covers.
    pub(super) bytes: u64,
}

impl<'c> Batch<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            open: None,
            bytes: 0,
        }
    }

    pub(super) fn transaction(&mut self) -> Result<&Transaction<'c>, ArchiveError> {
        if self.open.is_none() {
            let begin = TransactionBehavior::Immediate;
            self.open = Some(Transaction::new_unchecked(self.connection, begin)?);
        }
        self.open.as_ref().ok_or(ArchiveError::Busy)
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
            Some(transaction) => {
                schema::note_change(&transaction)?;
                Ok(transaction.commit()?)
            }
            None => Ok(()),
        }
    }
}
