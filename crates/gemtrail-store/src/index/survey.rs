//! Which sessions of a project differ from their views.

use std::collections::{HashMap, HashSet};

use gemtrail_core::model::Session;
use gemtrail_home::catalog::by_session;
use gemtrail_home::outputs::Outputs;
use rayon::prelude::*;
use rusqlite::Transaction;

use super::affected::{self, Affected, Examined};
use super::head::only_digested;
use super::known::{self, Known};
use super::scope::Extent;
use super::session::{self, KnownSession, Outline, fingerprint_of_prompts};
use super::unit::KnownUnit;
use super::work::{Files, Key, ProjectWork};
use crate::db::ArchiveError;

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
    /// Without messages, unless it is long: only what the full read cannot tell is needed later, and a
    /// long session is not read in full.
    pub(super) session: Session,
    /// Its own outline, and those of its subagents.
    pub(super) outlines: Vec<Outline>,
}

impl Top {
    fn new(session: Session, files: &Files<'_>, prompts: i64, work: &ProjectWork<'_>) -> Self {
        let mut kept = Session {
            logged: session.logged.clone(),
            ..session.head()
        };
        if only_digested(&session).is_some() {
            kept.messages.clone_from(&session.messages);
            for message in &mut kept.messages {
                message.tool_calls = Vec::new();
            }
        }
        Self {
            session: kept,
            outlines: session::outlines_of(session, files, prompts, work),
        }
    }

    /// Attaches what the views know to its outlines. Returns whether all of it is unchanged.
    fn compare(
        &mut self,
        transaction: &Transaction<'_>,
        views: &HashMap<Key, Known>,
        outputs: &Outputs<'_>,
        is_all_new: bool,
    ) -> Result<bool, ArchiveError> {
        let is_known = |outline: &Outline| {
            let known = views.get(&outline.key);
            known.is_some_and(|known| {
                known.fingerprint == outline.fingerprint && known.fits(outputs)
            })
        };
        if !is_all_new && self.outlines.iter().all(is_known) {
            return Ok(true);
        }
        for outline in &mut self.outlines {
            if let Some(known) = views.get(&outline.key) {
                outline.known = Some(KnownSession {
                    id: known.id,
                    added: known.added,
                    units: KnownUnit::all(transaction, known.id)?,
                });
            }
        }
        Ok(false)
    }
}

impl ProjectWork<'_> {
    pub(super) fn examine_all(&self) -> Examined {
        Examined {
            sessions: self.catalog.read_all(self.entry, self.depth()).sessions,
            ids: None,
        }
    }

    /// Examines what changed or, if that is not enough to decide, everything.
    pub(super) fn survey(
        &self,
        transaction: &Transaction<'_>,
        files: &Files<'_>,
    ) -> Result<Survey, ArchiveError> {
        let affected = match self.extent {
            Extent::Changes => {
                let known = known::sessions(transaction, self.row)?;
                Affected::find(self, &known).and_then(Affected::read)
            }
            Extent::Whole => None,
        };
        let Examined { sessions, ids } = affected.unwrap_or_else(|| self.examine_all());
        let tops = self.tops(sessions, files);
        self.compare(transaction, tops, ids.as_ref(), false)
    }

    /// Outlines sessions.
    pub(super) fn tops(&self, sessions: Vec<Session>, files: &Files<'_>) -> Vec<Top> {
        let prompts = by_session(&self.prompts);
        let outlined = |session: Session| {
            let prompts = fingerprint_of_prompts(prompts.get(session.id.as_str()));
            Top::new(session, files, prompts, self)
        };
        sessions.into_par_iter().map(outlined).collect()
    }

    /// Compares sessions with those of the index: all of the project, or those with these main ids.
    pub(super) fn compare(
        &self,
        transaction: &Transaction<'_>,
        tops: Vec<Top>,
        ids: Option<&HashSet<String>>,
        is_all_new: bool,
    ) -> Result<Survey, ArchiveError> {
        let mut known = known::sessions(transaction, self.row)?;
        // What only the log has is always examined.
        let is_looked_at = |key: &Key, known: &Known| {
            ids.is_none_or(|ids| known.is_log || ids.contains(affected::top_of(key)))
        };
        let looked_at = known.iter().filter(|(key, known)| is_looked_at(key, known));
        let mut gone: HashSet<Key> = looked_at.map(|(key, _)| key.clone()).collect();
        let mut changed = Vec::new();
        for mut top in tops {
            for outline in &top.outlines {
                gone.remove(&outline.key);
            }
            if !top.compare(transaction, &known, &self.outputs, is_all_new)? {
                changed.push(top);
            }
        }
        known.retain(|key, _| gone.contains(key));
        Ok(Survey {
            changed,
            gone: known.into_iter().collect(),
            extent: if ids.is_some() {
                Extent::Changes
            } else {
                Extent::Whole
            },
        })
    }
}
