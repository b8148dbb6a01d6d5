//! Which sessions of a project differ from their views.

use std::collections::{HashMap, HashSet};

use gemtrail_core::model::Session;
use rayon::prelude::*;
use rusqlite::Transaction;

use super::affected::{self, Affected, Examined};
use super::checkup::{self, Conditions};
use super::due::Extent;
use super::head::only_digested;
use super::key::Key;
use super::known::{self, Known};
use super::session::{self, KnownSession, Outline, fingerprint_of_prompts};
use super::unit::KnownUnit;
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
    /// What a check-up wants to know of its journal, packed, if it is long and that is all of it.
    pub(super) checkup: Option<Vec<u8>>,
}

impl Top {
    fn new(mut session: Session, files: &Files<'_>, prompts: i64, conditions: &Conditions) -> Self {
        let outlines = session::outlines_of(&session, files, prompts);
        // Only what the full read cannot tell is needed later; a long session is not read in full.
        if only_digested(&session).is_none() {
            session.messages = Vec::new();
        }
        for message in &mut session.messages {
            message.tool_calls = Vec::new();
        }
        let checkup = checkup::pack(&session, conditions);
        session.subagents = Vec::new();
        Self {
            session,
            outlines,
            checkup,
        }
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
                    units: KnownUnit::all(transaction, known.id)?,
                });
            }
        }
        Ok(false)
    }
}

impl ProjectWork<'_> {
    fn examine_all(&self) -> Examined {
        let look = checkup::conditions_of_long;
        let (all, conditions) = self.library.read_all_after(look, self.entry, self.depth());
        Examined {
            sessions: all.sessions,
            conditions,
            ids: None,
        }
    }

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
        let Examined {
            sessions,
            conditions,
            ids,
        } = affected.unwrap_or_else(|| self.examine_all());
        // What only the log has is always examined.
        let is_looked_at = |key: &Key, known: &Known| {
            let ids: Option<&HashSet<String>> = ids.as_ref();
            ids.is_none_or(|ids| known.is_log || ids.contains(affected::top_of(key)))
        };
        let looked_at = views.iter().filter(|(key, known)| is_looked_at(key, known));
        let mut gone: HashSet<Key> = looked_at.map(|(key, _)| key.clone()).collect();
        let prompts = by_session(&self.prompts);
        let mut changed = Vec::new();
        let outlined = |session: Session| {
            let prompts = fingerprint_of_prompts(prompts.get(session.id.as_str()));
            Top::new(session, files, prompts, &conditions)
        };
        let tops: Vec<Top> = sessions.into_par_iter().map(outlined).collect();
        for mut top in tops {
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
