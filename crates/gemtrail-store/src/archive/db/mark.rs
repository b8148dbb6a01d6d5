//! Tells whether anything was written since.

use rusqlite::Connection;

use super::error::ArchiveError;

/// Changes with every change that readers must know of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mark(i64, i64, i64);

impl Mark {
    pub(crate) fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT (SELECT coalesce(max(id), 0) FROM version), (SELECT count(*) FROM forgotten),
                    (SELECT coalesce(max(value), 0) FROM setting WHERE name = 'changes')",
        )?;
        let mark = statement.query_row([], |row| Ok(Self(row.get(0)?, row.get(1)?, row.get(2)?)));
        Ok(mark?)
    }
}
