//! Which sessions of a project differ from their views.

use std::collections::{HashMap, HashSet};

use gemtrail_core::Detail;
use gemtrail_core::model::Session;
use rusqlite::Transaction;

use super::affected::{self, Affected};
use super::due::Extent;
use super::key::Key;
use super::known::{self, Known};
use super::session::{self, KnownSession, Outline, fingerprint_of_prompts};
use super::work::{Files, ProjectWork};
use crate::archive::db::ArchiveError;
use crate::library::by_session;
use crate::outputs::Outputs;

/// The result of a survey.
pub(super) struct Survey {
    /// Sessions that are new or changed.
    pub(super) changed: Vec<Top>,
    /// Sessions that no longer exist.
    pub(super) gone: Vec<(Key, Known)>,
    /// How much was examined.
    pub(super) extent: Extent,
}

/// A main session with its subagents.
pub(super) struct Top {
    pub(super) session: Session,
    /// Its own outline, and those of its subagents.
    pub(super) outlines: Vec<Outline>,
}

impl Top {
    fn new(mut session: Session, files: &Files<'_>, prompts: i64) -> Self {
        let outlines = session::outlines_of(&session, files, prompts);
        // Only what the full read cannot tell is needed later.
        session.messages = Vec::new();
        session.subagents = Vec::new();
        Self { session, outlines }
    }

    /// Attaches what the views know to its outlines. Returns whether all of it is unchanged.
    fn compare(
        &mut self,
        transaction: &Transaction<'_>,
        views: &HashMap<Key, Known>,
        outputs: &Outputs<'_>,
    ) -> Result<bool, ArchiveError> {
        let is_known = |outline: &Outline| {
            let known = views.get(&outline.key);
            known.is_some_and(|known| {
                known.fingerprint == outline.fingerprint && known.fits(outputs)
            })
        };
        if self.outlines.iter().all(is_known) {
            return Ok(true);
        }
        for outline in &mut self.outlines {
            if let Some(known) = views.get(&outline.key) {
                outline.known = Some(KnownSession {
                    id: known.id,
                    units: known::units(transaction, known.id)?,
                });
            }
        }
        Ok(false)
    }
}

impl ProjectWork<'_> {
    /// Examines what changed or, if that is not enough to decide, everything.
    pub(super) fn survey(
        &self,
        transaction: &Transaction<'_>,
        files: &Files<'_>,
    ) -> Result<Survey, ArchiveError> {
        let views = known::sessions(transaction, self.row)?;
        let affected = match self.extent {
            Extent::Changes => Affected::find(self, &views).and_then(Affected::read),
            Extent::Whole => None,
        };
        let (sessions, ids) = if let Some((sessions, ids)) = affected {
            (sessions, Some(ids))
        } else {
            let all = self.library.read_project(self.entry, Detail::Counts);
            (all.sessions, None)
        };
        // What only the log has is always examined.
        let is_looked_at = |key: &Key, known: &Known| {
            let ids: Option<&HashSet<String>> = ids.as_ref();
            ids.is_none_or(|ids| known.is_log || ids.contains(affected::top_of(key)))
        };
        let looked_at = views.iter().filter(|(key, known)| is_looked_at(key, known));
        let mut gone: HashSet<Key> = looked_at.map(|(key, _)| key.clone()).collect();
        let prompts = by_session(&self.prompts);
        let mut changed = Vec::new();
        for session in sessions {
            let prompts = fingerprint_of_prompts(prompts.get(session.id.as_str()));
            let mut top = Top::new(session, files, prompts);
            for outline in &top.outlines {
                gone.remove(&outline.key);
            }
            if !top.compare(transaction, &views, &self.outputs)? {
                changed.push(top);
            }
        }
        let mut views = views;
        views.retain(|key, _| gone.contains(key));
        Ok(Survey {
            changed,
            gone: views.into_iter().collect(),
            extent: if ids.is_some() {
                Extent::Changes
            } else {
                Extent::Whole
            },
        })
    }
}
