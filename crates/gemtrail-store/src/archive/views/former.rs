//! What tells sessions that are new from those that come back.

use std::collections::HashMap;

use rusqlite::Connection;

use super::super::sync::SyncReport;
use super::session::{Key, Outline};

/// Sessions that lost their rows, by id and parent, with their prints: those that come back in another
/// place, or after all views were thrown away, are not new.
#[derive(Debug, Default)]
pub(in super::super) struct Former(HashMap<(String, String), i64>);

impl Former {
    /// All that there are. Views of another version may have none that can be read.
    pub(super) fn all(connection: &Connection) -> Self {
        let read = || -> rusqlite::Result<_> {
            let mut statement =
                connection.prepare("SELECT session, coalesce(parent, ''), print FROM session")?;
            let rows =
                statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
            rows.collect()
        };
        Self(read().unwrap_or_default())
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// This one goes.
    pub(super) fn add(&mut self, (id, parent, _): &Key, print: i64) {
        self.0.insert((id.clone(), parent.clone()), print);
    }

    /// Counts a session that is written.
    pub(super) fn count(&mut self, outline: &Outline, report: &mut SyncReport) {
        let (id, parent, _) = &outline.key;
        let former = self.0.remove(&(id.clone(), parent.clone()));
        if outline.known.is_some() || former.is_some_and(|print| print != outline.print) {
            report.sessions_changed += 1;
        } else if former.is_none() {
            report.sessions_added += 1;
        }
    }
}
