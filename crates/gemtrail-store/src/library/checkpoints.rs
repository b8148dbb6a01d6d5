//! Searches checkpoints and restore points. They are few and not sessions, so they are read on every
//! search; what a session of the project also says is left to the session.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Kind, Session, SessionRef};
use gemtrail_core::{SourceJournal, Sources, stem_of};
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::load::{Depth, load_earlier, load_found};
use gemtrail_home::outputs::Outputs;
use gemtrail_home::paths::text_of;
use gemtrail_home::project::ProjectEntry;
use gemtrail_query::{Hit, Matcher, Query, SessionFacts, for_each_unit};
use rayon::prelude::*;

use super::Library;
use crate::StoreError;
use gemtrail_query::{Echoes, fingerprint_of_text};

/// A hit in a checkpoint, and the fingerprint of its text.
pub(super) type CheckpointHit = (u64, Hit);

impl Library {
    /// The checkpoints with that name: the file's, with or without extension, or its path.
    pub(super) fn checkpoints_called(&self, name: &str) -> Vec<PathBuf> {
        let is_it = |file: &FoundFile| {
            let path = text_of(&file.path);
            path == name || stem_of(&path) == stem_of(name) && !name.contains(['/', '\\'])
        };
        let files = self.checkpoint_files().map(|(_, (_, file))| file);
        files
            .filter(|file| is_it(file))
            .map(|file| file.path.clone())
            .collect()
    }

    /// Reads a checkpoint as if it were a session.
    pub fn read_checkpoint(&self, path: &Path) -> Result<Session, StoreError> {
        let mut files = self.checkpoint_files();
        let known = files.find(|(_, (_, file))| file.path == path);
        let read = |(entry, file)| self.load_checkpoint(entry, file, Depth::Document);
        let read = known.map_or_else(|| Err(io::ErrorKind::NotFound.into()), read);
        read.map_err(|source| StoreError::Read {
            path: path.to_owned(),
            source,
        })
    }

    /// All hits in checkpoints.
    pub(super) fn checkpoint_hits(&self, query: &Query) -> Vec<CheckpointHit> {
        let files: Vec<_> = self.checkpoint_files().collect();
        let hits = files.into_par_iter().flat_map_iter(|(entry, file)| {
            let outputs = Outputs::of(entry);
            let mut hits: Vec<CheckpointHit> = Vec::new();
            let mut seen = HashSet::new();
            let now = self.load_checkpoint(entry, file, Depth::Words).ok();
            for session in now.into_iter().chain(self.former_checkpoints(entry, file)) {
                let mut found = hits_in(&session, file, &outputs, query);
                found.retain(|(key, _)| !seen.contains(key));
                seen.extend(found.iter().map(|(key, _)| *key));
                hits.extend(found);
            }
            hits
        });
        let mut hits: Vec<CheckpointHit> = hits.collect();
        // Homes are copied, and so are project directories.
        let mut seen = HashSet::new();
        hits.retain(|(key, hit)| seen.insert((*key, hit.session.clone(), hit.unit)));
        self.once_of_restore_points(hits)
    }

    /// There is a restore point for each change of a file, and each repeats the ones before: what
    /// several have is a hit in the first.
    fn once_of_restore_points(&self, hits: Vec<CheckpointHit>) -> Vec<CheckpointHit> {
        let files = self.checkpoint_files().map(|(_, (_, file))| file);
        let restore_points: HashSet<String> = files
            .filter(|file| file.kind == FileKind::RestorePoint)
            .map(|file| file.path.to_string_lossy().into_owned())
            .collect();
        let is_restore_point = |hit: &Hit| {
            let file = hit.file.as_ref();
            file.is_some_and(|file| restore_points.contains(file))
        };
        let (repeated, mut hits): (Vec<_>, Vec<_>) =
            hits.into_iter().partition(|(_, hit)| is_restore_point(hit));
        let mut told: HashSet<u64> = hits.iter().map(|(key, _)| *key).collect();
        hits.extend(repeated.into_iter().filter(|(key, _)| told.insert(*key)));
        hits
    }

    fn checkpoint_files(&self) -> impl Iterator<Item = (&ProjectEntry, &(usize, FoundFile))> {
        self.projects().iter().flat_map(|entry| {
            let checkpoints = entry.besides().filter(|(_, file)| {
                matches!(
                    file.kind,
                    FileKind::Checkpoint { .. } | FileKind::RestorePoint
                )
            });
            checkpoints.map(move |file| (entry, file))
        })
    }

    /// The current version of a checkpoint, or the last one.
    fn load_checkpoint(
        &self,
        entry: &ProjectEntry,
        (home, file): &(usize, FoundFile),
        depth: Depth,
    ) -> io::Result<Session> {
        let journal = load_found(file, depth)?;
        Ok(self.checkpoint(entry, *home, journal))
    }

    /// What was saved under the same tag before, newest first.
    fn former_checkpoints(
        &self,
        entry: &ProjectEntry,
        (home, file): &(usize, FoundFile),
    ) -> impl Iterator<Item = Session> {
        let former = load_earlier(file, Depth::Words).into_iter().rev();
        former.map(|journal| self.checkpoint(entry, *home, journal))
    }

    fn checkpoint(&self, entry: &ProjectEntry, home: usize, journal: SourceJournal) -> Session {
        // Not a session, so not a session's reference: the full path makes it unique.
        let path = Some(journal.path.as_str());
        let reference = SessionRef::new(&self.catalog.identity_of(entry), None, "", path);
        let sources = Sources {
            reference: Some(self.catalog.as_seen_here(home, reference)),
            id: Some(stem_of(&journal.path).into()),
            kind: Kind::Main,
            project: entry.project().clone(),
            origin: self.catalog.origin(home),
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
    let mut calls = HashSet::new();
    for_each_unit(session, &|call| outputs.read(call), &mut |unit| {
        let is_background = query.filters.is_background(unit.facts.role);
        if !is_background && matcher.matches(&facts, &unit) {
            // A call is one hit, whatever number of its fields match.
            if let Some(call) = unit.call_index
                && !calls.insert((unit.index, call))
            {
                return;
            }
            let fingerprint = fingerprint_of_text(unit.facts.field, &unit.text());
            let hit = Hit::new(session, &unit, query).in_file(text_of(&file.path).into_owned());
            hits.push((Echoes::key(&session.project, fingerprint), hit));
        }
    });
    hits
}
