//! Searching checkpoints. They are no sessions and few, so they are read whenever somebody searches;
//! what a session of the project says as well is left to the session.

use std::collections::HashSet;

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::{SourceJournal, Sources, stem_of};
use rayon::prelude::*;

use super::echoes::{Echoes, print_of_text};
use super::filter::SessionFacts;
use super::hit::{Answer, Hit, Page, Place};
use super::matcher::Matcher;
use super::query::Query;
use super::units::for_each_unit;
use crate::discover::{FileKind, FoundFile};
use crate::library::Library;
use crate::load::{Depth, load_earlier, load_found};
use crate::outputs::Outputs;
use crate::project::ProjectEntry;

/// A hit in a checkpoint, and what stands for its text.
pub(super) type CheckpointHit = (u64, Hit);

impl Library {
    /// The checkpoints with that name: the file's, with or without its ending, or its path.
    pub fn checkpoints(&self, name: &str) -> Vec<Session> {
        let is_it = |file: &FoundFile| {
            let path = file.path.to_string_lossy();
            path == name || stem_of(&path) == stem_of(name) && !name.contains(['/', '\\'])
        };
        let files = self.checkpoint_files().filter(|(_, (_, file))| is_it(file));
        files
            .filter_map(|(entry, file)| self.read_checkpoint(entry, file, Depth::Document))
            .collect()
    }

    /// All hits in checkpoints.
    pub(super) fn checkpoint_hits(&self, query: &Query) -> Vec<CheckpointHit> {
        let files: Vec<_> = self.checkpoint_files().collect();
        let hits = files.into_par_iter().flat_map_iter(|(entry, file)| {
            let outputs = Outputs::of(entry);
            let mut hits: Vec<CheckpointHit> = Vec::new();
            let mut seen = HashSet::new();
            let now = self.read_checkpoint(entry, file, Depth::Words);
            for session in now.into_iter().chain(self.former_checkpoints(entry, file)) {
                let mut found = hits_in(&session, file, &outputs, query);
                found.retain(|(key, _)| !seen.contains(key));
                seen.extend(found.iter().map(|(key, _)| *key));
                hits.extend(found);
            }
            hits
        });
        let mut hits: Vec<CheckpointHit> = hits.collect();
        // Homes are copied, and so are the directories of projects.
        let mut seen = HashSet::new();
        hits.retain(|(key, hit)| seen.insert((*key, hit.session.clone(), hit.unit)));
        hits
    }

    fn checkpoint_files(&self) -> impl Iterator<Item = (&ProjectEntry, &(usize, FoundFile))> {
        self.projects().iter().flat_map(|entry| {
            let files = entry.files.iter();
            let checkpoints =
                files.filter(|(_, file)| matches!(file.kind, FileKind::Checkpoint { .. }));
            checkpoints.map(move |file| (entry, file))
        })
    }

    /// A checkpoint as it is now, or as it was last.
    fn read_checkpoint(
        &self,
        entry: &ProjectEntry,
        (home, file): &(usize, FoundFile),
        depth: Depth,
    ) -> Option<Session> {
        let journal = load_found(file, depth).ok()?;
        Some(self.checkpoint(entry, *home, journal))
    }

    /// What was saved under the same tag before, the last first.
    fn former_checkpoints(
        &self,
        entry: &ProjectEntry,
        (home, file): &(usize, FoundFile),
    ) -> impl Iterator<Item = Session> {
        let former = load_earlier(file, Depth::Words).into_iter().rev();
        former.map(|journal| self.checkpoint(entry, *home, journal))
    }

    fn checkpoint(&self, entry: &ProjectEntry, home: usize, journal: SourceJournal) -> Session {
        let sources = Sources {
            id: Some(stem_of(&journal.path).into()),
            kind: Kind::Main,
            project: entry.project().clone(),
            origin: self.origin(home),
            journals: vec![journal],
            ..Sources::default()
        };
        sources.assemble()
    }
}

fn hits_in(
    session: &Session,
    (_, file): &(usize, FoundFile),
    outputs: &Outputs<'_>,
    query: &Query,
) -> Vec<CheckpointHit> {
    let facts = SessionFacts::of(session);
    let mut hits = Vec::new();
    if !query.filters.take_session(&facts) {
        return hits;
    }
    let matcher = Matcher::new(query);
    for_each_unit(session, outputs, &mut |unit| {
        if matcher.matches(&facts, &unit) {
            let print = print_of_text(unit.facts.field, &unit.text());
            let hit = Hit {
                file: Some(file.path.to_string_lossy().into_owned()),
                ..Hit::new(session, &unit, query)
            };
            hits.push((Echoes::key(&session.project, print), hit));
        }
    });
    hits
}

impl Answer {
    /// Adds hits to those of the first pages, and leaves those of the one that is wanted.
    pub(super) fn add(&mut self, hits: Vec<Hit>, page: &Page) {
        let files: HashSet<_> = hits.iter().map(|hit| hit.file.clone()).collect();
        self.sessions += files.len();
        self.total += hits.len();
        self.hits.extend(hits);
        self.hits
            .sort_by(|a, b| Place::of(a).compare(&Place::of(b), page.order));
        self.hits.truncate(page.reach().unwrap_or(usize::MAX));
        self.hits.drain(..page.offset.min(self.hits.len()));
    }
}
