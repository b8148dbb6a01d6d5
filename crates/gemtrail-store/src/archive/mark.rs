//! Marks sessions.

use gemtrail_core::model::Marks;
use rusqlite::{Transaction, TransactionBehavior};

use super::open::ArchiveWriter;
use crate::Library;
use crate::db::ArchiveError;
use crate::library::Handle;
use crate::raw::marks::{self, MarkChange};

impl ArchiveWriter {
    /// Changes the marks of a session, and gives those that it has then. `now` is the current time in
    /// milliseconds since 1970.
    pub fn mark(
        &mut self,
        library: &Library,
        handle: &Handle,
        change: &MarkChange,
        now: i64,
    ) -> Result<Marks, ArchiveError> {
        let session = library.marked_as(handle);
        let session = (session.0.as_str(), session.1);
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
        let marks = change.apply(&marks::of(&transaction, session)?);
        marks::put(&transaction, session, &marks, now)?;
        transaction.commit()?;
        Ok(marks)
    }
}
