//! Transactions of the writer of views.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::archive::db::{ArchiveError, schema};

/// A transaction ends after this many bytes of source.
pub(super) const BATCH_BYTES: u64 = 96 << 20;

/// One transaction after the other, each long enough to be worth it.
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

    /// Ends the transaction if it is long. What must not be torn apart does not call this.
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
