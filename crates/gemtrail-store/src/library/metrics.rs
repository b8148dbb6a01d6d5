//! Metrics of many sessions, and whether a session has changed since they were last taken.

use std::collections::HashMap;

use gemtrail_core::view::Metrics;
use rayon::prelude::*;

use super::tables::About;
use super::{Library, ReadDetail, ReadError};
use crate::db::ids::SessionRowId;
use crate::index::metrics::{self, StampedId};
use crate::index::rows::{COLUMN_COUNT, IndexedRow, ListRow, RowReader};

/// A session, and what tells whether it is still the same.
#[derive(Clone, Debug, PartialEq)]
pub struct StampedRow {
    /// What lists show of it.
    pub row: ListRow,
    /// Changes whenever anything about the session does, be it a letter.
    pub fingerprint: u64,
    /// Its row, if the index of the archive has it.
    known: Option<StampedId>,
}

impl Library {
    /// Every session, stamped, in no particular order.
    pub fn stamped_rows(&self) -> Vec<StampedRow> {
        self.ask(About::Everything, |tables, connection| {
            let read = |IndexedRow { id, project, row }, columns: &rusqlite::Row<'_>| {
                let fingerprint = columns.get(COLUMN_COUNT)?;
                Ok((project, row, StampedId { id, fingerprint }))
            };
            let rows = RowReader::read(connection, (", print", ""), [], read)?;
            let stamped = rows.into_iter().filter_map(|(project, mut row, stamp)| {
                self.place(tables, *tables.projects.get(&project)?, &mut row);
                Some(StampedRow {
                    row,
                    fingerprint: stamp.fingerprint.cast_unsigned(),
                    known: tables.is_of_archive().then_some(stamp),
                })
            });
            Ok(stamped.collect())
        })
    }

    /// The metrics of each of these sessions: from the index, as far as it still has it as it was
    /// when it was stamped; otherwise from its files.
    pub fn metrics(&self, sessions: &[StampedRow]) -> Vec<Result<Metrics, ReadError>> {
        let known: Vec<StampedId> = sessions.iter().filter_map(|it| it.known).collect();
        let found = self.ask(About::Nothing, |tables, connection| {
            let known: &[StampedId] = if tables.is_of_archive() { &known } else { &[] };
            Ok(metrics::read(connection, known)?.into_iter().collect())
        });
        let mut found: HashMap<SessionRowId, Metrics> = found.into_iter().collect();
        let mut taken = |it: &StampedRow| found.remove(&it.known?.id);
        let found: Vec<Option<Metrics>> = sessions.iter().map(&mut taken).collect();
        let read = |(session, known): (&StampedRow, Option<Metrics>)| {
            if let Some(metrics) = known {
                return Ok(metrics);
            }
            let session = self.read(session.row.reference, ReadDetail::Words)?;
            Ok(Metrics::of(&session))
        };
        sessions.par_iter().zip(found).map(read).collect()
    }
}
