//! Metrics of many sessions, and whether a session has changed since they were last taken.

use std::collections::HashMap;

use gemtrail_core::model::{Session, SessionRow};
use gemtrail_core::view::Metrics;
use gemtrail_core::{Detail, Fingerprint};
use rayon::prelude::*;

use super::{Library, ListRow, ReadDetail, ReadError};
use crate::project::ProjectEntry;
use crate::source::Stat;
use crate::spelled::text_of;

/// A session, and what tells whether it is still the same.
#[derive(Clone, Debug, PartialEq)]
pub struct StampedRow {
    /// What lists show of it.
    pub row: ListRow,
    /// Changes whenever anything about the session does, be it a letter.
    pub fingerprint: u64,
    /// Where the views have it.
    known: Option<ViewRow>,
}

/// The row of a session in the views, and its fingerprint there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ViewRow {
    pub(crate) id: i64,
    pub(crate) fingerprint: i64,
}

impl Library {
    /// Every session, stamped, in no particular order.
    pub fn stamped_rows(&self) -> Vec<StampedRow> {
        let stamped = |(project, row, known): (usize, ListRow, ViewRow)| {
            let fingerprint = known.fingerprint.cast_unsigned();
            let known = Some(known);
            let row = StampedRow {
                row,
                fingerprint,
                known,
            };
            (project, row)
        };
        let Some(known) = self.ask_views(|views| views.stamped_rows()) else {
            return self.stamp((0..self.projects().len()).collect());
        };
        let known = known.into_iter().map(stamped).collect();
        let mut rows = self.placed(known, |stamped| &mut stamped.row);
        rows.extend(self.stamp(self.uncovered()));
        rows
    }

    /// The metrics of each of these sessions: from the views, as far as they still have it as it
    /// was when it was stamped; otherwise from its files.
    pub fn metrics(&self, sessions: &[StampedRow]) -> Vec<Result<Metrics, ReadError>> {
        let known: Vec<ViewRow> = sessions.iter().filter_map(|it| it.known).collect();
        let found = (!known.is_empty()).then(|| self.ask_views(|views| views.metrics(&known)));
        let mut found = found.flatten().unwrap_or_default();
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

    /// Reads the sessions of these projects.
    fn stamp(&self, projects: Vec<usize>) -> Vec<StampedRow> {
        let projects = projects.into_par_iter();
        let rows = projects.map(|at| (at, self.stamp_project(&self.projects()[at])));
        let rows: Vec<(usize, Vec<StampedRow>)> = rows.collect();
        if self.stacks.is_none() {
            self.listed.get_or_init(|| {
                let rows = rows.iter();
                let refs =
                    rows.flat_map(|(at, rows)| rows.iter().map(move |it| (it.row.reference, *at)));
                refs.collect()
            });
        }
        rows.into_iter().flat_map(|(_, rows)| rows).collect()
    }

    fn stamp_project(&self, entry: &ProjectEntry) -> Vec<StampedRow> {
        let files = entry.files().iter().map(|(_, file)| file);
        let files = files.map(|file| (text_of(&file.path).into_owned(), file.stat));
        let files: HashMap<String, Stat> = files.collect();
        let mut rows = Vec::new();
        for session in self.read_project(entry, Detail::Counts).sessions {
            stamp_family(session, &files, &mut rows);
        }
        rows
    }
}

/// Stamps a session and its subagents.
fn stamp_family(session: Session, files: &HashMap<String, Stat>, rows: &mut Vec<StampedRow>) {
    // The prompt log may change what is a prompt, and leaves everything else as it is.
    let messages = session.messages.iter();
    let messages = messages.map(|it| format!("{} {:?} {:?}", it.id, it.role, it.superseded_by));
    let messages: Vec<String> = messages.collect();
    let (mut row, subagents) = SessionRow::split(session);
    // Whether it is still on disk is nothing that was recorded.
    (row.on_disk, row.archived) = (false, false);
    // Without a digest of its bytes, a file is the same if it looks the same; a sync goes by that, too.
    let stats = row.journals.iter().map(|it| {
        let stat = files.get(&it.path).copied().unwrap_or_default();
        format!("{stat:?}")
    });
    let parts = serde_json::to_string(&row).into_iter();
    let parts = parts.chain(stats).chain(messages);
    rows.push(StampedRow {
        fingerprint: Fingerprint::of_parts(parts).short(),
        row: ListRow::from(&row),
        known: None,
    });
    for subagent in subagents {
        stamp_family(subagent, files, rows);
    }
}
