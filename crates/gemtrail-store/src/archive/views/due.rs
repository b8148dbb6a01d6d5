//! Which project directories have stale views.

use std::collections::HashSet;

use rusqlite::{Connection, Transaction};

use crate::archive::db::ArchiveError;
use crate::archive::db::ids::{Dir, HomeRowId};

/// What has stale views.
pub(super) struct Due {
    /// Directories whose views are all rebuilt.
    pub(super) stale: HashSet<Dir>,
    /// Directories in which journals or logs changed.
    pub(super) touched: HashSet<Dir>,
}

impl Due {
    pub(super) fn read(connection: &Connection) -> Result<Self, ArchiveError> {
        let dirs = |sql: &str| -> Result<HashSet<Dir>, ArchiveError> {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Ok(Self {
            stale: dirs("SELECT home, dir FROM stale")?,
            touched: dirs("SELECT home, dir FROM touched")?,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stale.is_empty() && self.touched.is_empty()
    }

    pub(super) fn is_done(
        transaction: &Transaction<'_>,
        home: HomeRowId,
        dir: &str,
    ) -> Result<(), ArchiveError> {
        for sql in [
            "DELETE FROM stale WHERE home = ?1 AND dir = ?2",
            "DELETE FROM touched WHERE home = ?1 AND dir = ?2",
        ] {
            transaction.prepare_cached(sql)?.execute((home, dir))?;
        }
        Ok(())
    }
}

/// How much of a project must be examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// What changed, and what that affects.
    Changes,
    /// Everything: it may be another project now.
    Whole,
}
