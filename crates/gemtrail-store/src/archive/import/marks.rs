//! Takes in what people marked.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::report::ImportReport;
use super::source::ImportSource;
use crate::db::ArchiveError;
use crate::raw::marks;

/// Takes each field that was set later there than here, and gives the number of these. Marks of sessions
/// that this archive does not have, perhaps because it forgot them, stay out unless all are wanted.
pub(in crate::archive) fn take(
    connection: &mut Connection,
    source: &ImportSource,
    all: bool,
    report: &mut ImportReport,
) -> Result<u64, ArchiveError> {
    let rows = source.marks(report)?;
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let mut taken = 0;
    for row in rows {
        let is_known = transaction
            .prepare_cached(
                "SELECT 1 FROM session JOIN project ON project.id = session.project
                 WHERE session.ref = ?1 AND project.host = ?2",
            )?
            .exists((&row.session.0, &row.session.1))?;
        if is_known || all {
            taken += u64::from(marks::merge(&transaction, &row)?);
        }
    }
    transaction.commit()?;
    Ok(taken)
}
