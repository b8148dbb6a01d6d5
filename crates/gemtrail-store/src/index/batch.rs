//! Transactions of whoever fills the index.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::db::ids::FileRowId;
use crate::db::{ArchiveError, index_file};

/// A transaction is committed after this many bytes of source.
pub(super) const BATCH_BYTES: u64 = 96 << 20;

/// A series of transactions, each large enough to be worth it.
pub(super) struct Batch<'c> {
    connection: &'c Connection,
    open: Option<Open<'c>>,
    /// The bytes of source that the open transaction covers.
    pub(super) bytes: u64,
    /// The sessions that files turned out to be of. The archive remembers them, in a transaction of
    /// its own: none spans the archive and its index.
    named: Vec<(FileRowId, String)>,
}

/// An open transaction.
pub(super) struct Open<'c> {
    pub(super) transaction: Transaction<'c>,
    /// The number of the change.
    pub(super) change: i64,
}

impl<'c> Batch<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            open: None,
            bytes: 0,
            named: Vec::new(),
        }
    }

    pub(super) fn open(&mut self) -> Result<&Open<'c>, ArchiveError> {
        Ok(match &mut self.open {
            Some(open) => open,
            none => {
                let begin = TransactionBehavior::Immediate;
                let transaction = Transaction::new_unchecked(self.connection, begin)?;
                let change = index_file::next_change(&transaction)?;
                none.insert(Open {
                    transaction,
                    change,
                })
            }
        })
    }

    /// Remembers which session a file is of, should its bytes no longer tell.
    pub(super) fn name(&mut self, file: FileRowId, session: &str) {
        self.named.push((file, session.to_owned()));
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
        if let Some(open) = self.open.take() {
            open.transaction.commit()?;
        }
        if self.named.is_empty() {
            return Ok(());
        }
        let begin = TransactionBehavior::Immediate;
        let transaction = Transaction::new_unchecked(self.connection, begin)?;
        let mut named = transaction
            .prepare_cached("UPDATE file SET session = ?2 WHERE id = ?1 AND session IS NOT ?2")?;
        for (file, session) in self.named.drain(..) {
            named.execute((file, session))?;
        }
        drop(named);
        Ok(transaction.commit()?)
    }
}
