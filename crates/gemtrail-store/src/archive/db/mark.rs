//! Detects whether anything was written since.

use rusqlite::Connection;

use super::error::ArchiveError;

/// Changes with every write that readers must notice.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mark(i64, i64, i64, Generation);

/// Changes whenever all views are dropped. Rows of different generations are unrelated, even if
/// they have the same ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation(i64);

impl Generation {
    pub(crate) fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        Ok(Mark::read(connection)?.generation())
    }
}

impl Mark {
    pub(crate) fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT (SELECT coalesce(max(id), 0) FROM version), (SELECT count(*) FROM forgotten),
                    (SELECT coalesce(max(value), 0) FROM setting WHERE name = 'changes'),
                    (SELECT coalesce(max(value), 0) FROM setting WHERE name = 'generation')",
        )?;
        let mark = statement.query_row([], |row| {
            let generation = Generation(row.get(3)?);
            Ok(Self(row.get(0)?, row.get(1)?, row.get(2)?, generation))
        });
        Ok(mark?)
    }

    /// As text, for a column.
    pub(crate) fn to_text(&self) -> String {
        let Self(versions, forgotten, changes, Generation(generation)) = self;
        format!("{versions}/{forgotten}/{changes}/{generation}")
    }

    pub(crate) fn generation(&self) -> Generation {
        self.3
    }
}
