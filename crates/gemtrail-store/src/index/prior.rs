//! Distinguishes new sessions from those that come back.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::session::Outline;
use super::work::Key;
use crate::db::ArchiveError;
use crate::raw::options::SyncReport;

/// Sessions that had rows, by machine, id and parent, with their fingerprints: those that come back
/// in another place, or after all views were dropped, are not new.
#[derive(Debug, Default)]
pub(crate) struct PriorSessions(HashMap<Name, HashSet<i64>>);

type Name = (String, String, String);

impl PriorSessions {
    /// All sessions with rows. Views of another version may have none that can be read.
    pub(crate) fn all(connection: &Connection) -> Self {
        let read = || -> rusqlite::Result<Vec<(Name, i64)>> {
            let mut statement = connection.prepare(
                "SELECT project.host, session, coalesce(parent, ''), print
                 FROM session JOIN project ON project.id = session.project",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get(3)?))
            })?;
            rows.collect()
        };
        let mut prior = Self::default();
        for (name, fingerprint) in read().unwrap_or_default() {
            prior.0.entry(name).or_default().insert(fingerprint);
        }
        prior
    }

    /// The sessions that files were once read as. An index that is made anew adds none of them.
    pub(crate) fn of_files(connection: &Connection) -> Result<Self, ArchiveError> {
        let mut statement = connection.prepare(
            "SELECT host, session, CASE kind WHEN 'subagent' THEN detail ELSE '' END
             FROM file JOIN home ON home.id = file.home WHERE session IS NOT NULL",
        )?;
        let names = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let names = names.map(|name| Ok((name?, HashSet::new())));
        Ok(Self(names.collect::<rusqlite::Result<_>>()?))
    }

    pub(super) fn extend(&mut self, others: Self) {
        for (name, fingerprints) in others.0 {
            self.0.entry(name).or_default().extend(fingerprints);
        }
    }

    /// Adds a session of that machine that is about to be removed.
    pub(super) fn add(&mut self, host: Option<&str>, (id, parent, _): &Key, fingerprint: i64) {
        let name = (
            host.unwrap_or_default().to_owned(),
            id.clone(),
            parent.clone(),
        );
        self.0.entry(name).or_default().insert(fingerprint);
    }

    /// Counts a written session in the report.
    pub(super) fn count(&self, outline: &Outline, report: &mut SyncReport) {
        let (id, parent, _) = &outline.key;
        let host = outline.row.origin.host.clone().unwrap_or_default();
        let prior = self.0.get(&(host, id.clone(), parent.clone()));
        if outline.known.is_some()
            || prior.is_some_and(|it| !it.is_empty() && !it.contains(&outline.fingerprint))
        {
            report.sessions_changed += 1;
        } else if prior.is_none() {
            report.sessions_added += 1;
        }
    }
}
