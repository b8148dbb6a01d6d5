//! Finds the root paths that neither the marker nor the registry knows. Only projects without a
//! path pay for it, and the likeliest candidates come first.

use std::path::Path;

use gemtrail_core::model::{PathSource, Project};
use rayon::prelude::*;

use super::prove::{Proof, Prover, Wanted};
use super::registry::{Registry, trusted_folders};
use super::search::{Limits, search};
use super::{Effort, Hints, ProjectEntry, siblings, unproven};
use crate::discover::Found;

/// Resolves the projects. Returns the paths worth remembering: those that the homes themselves will
/// not reveal next time, or only slowly.
pub(crate) fn resolve(
    entries: &mut [ProjectEntry],
    found: &[Found],
    registries: &[Registry],
    hints: &Hints,
) -> Vec<String> {
    let mut resolution = Resolution {
        entries,
        learned: Vec::new(),
    };
    for entry in resolution.entries.iter_mut() {
        if entry.known.path.is_none() && entry.known.hash.is_none() {
            unproven::settle(entry, &hints.taught);
        }
    }
    resolution.prove(found, registries, hints);
    resolution.learned
}

/// True if a path will be found again without help.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextTime {
    FoundAgain,
    Remember,
}

struct Resolution<'a> {
    entries: &'a mut [ProjectEntry],
    learned: Vec<String>,
}

impl Resolution<'_> {
    fn prove(&mut self, found: &[Found], registries: &[Registry], hints: &Hints) {
        self.search_lists(found, registries, hints);
        self.search_own_files(Limits::STARTS);
        // Late, so that only paths not found otherwise are remembered.
        self.try_current_dir(hints);
        if hints.effort == Effort::Thorough {
            self.search_own_files(Limits::ALL);
            self.search_all_files();
            for entry in self.entries.iter() {
                entry.settle();
            }
        }
    }

    /// The hashes without a path so far.
    fn wanted(&self) -> Wanted {
        let unresolved = |(index, entry): (usize, &'_ ProjectEntry)| {
            let Project { hash, path, .. } = &entry.known;
            path.is_none()
                .then_some(hash.clone())
                .flatten()
                .map(|hash| (index, hash))
        };
        let hashes: Vec<(usize, String)> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(unresolved)
            .collect();
        Wanted::new(hashes.iter().map(|(index, hash)| (*index, hash.as_str())))
    }

    fn take(&mut self, proofs: Vec<Proof>, next_time: NextTime) {
        for proof in proofs {
            let project = &mut self.entries[proof.project].known;
            if project.path.is_none() {
                if next_time == NextTime::Remember {
                    self.learned.push(proof.path.clone());
                }
                project.path = Some(proof.path);
                project.path_source = PathSource::Hash;
            }
        }
    }

    /// Registries, trusted folders and taught paths.
    fn search_lists(&mut self, found: &[Found], registries: &[Registry], hints: &Hints) {
        let wanted = self.wanted();
        if wanted.is_empty() {
            return;
        }
        let mut prover = Prover::new(&wanted, Limits::MOST.tries);
        prover.offer(b"/");
        for path in registries.iter().flat_map(Registry::paths) {
            prover.offer_with_ancestors(path);
        }
        for path in found
            .iter()
            .filter_map(|found| found.trusted_folders.as_ref())
            .flat_map(trusted_folders)
        {
            prover.offer_with_ancestors(&path);
        }
        for path in &hints.taught {
            prover.offer_with_ancestors(path);
        }
        self.take(prover.into_proofs(), NextTime::FoundAgain);
    }

    /// The current directory and its ancestors.
    fn try_current_dir(&mut self, hints: &Hints) {
        if let Some(current) = hints.current_dir.as_deref().and_then(Path::to_str) {
            let wanted = self.wanted();
            let mut prover = Prover::new(&wanted, Limits::MOST.tries);
            prover.offer_with_ancestors(current);
            self.take(prover.into_proofs(), NextTime::Remember);
        }
    }

    /// The files of each unresolved project, then its neighbourhood.
    fn search_own_files(&mut self, limits: Limits) {
        let wanted = self.wanted();
        let searched: Vec<(Vec<Proof>, Vec<Vec<u8>>)> = wanted
            .projects()
            .into_par_iter()
            .map(|index| {
                let entry = &self.entries[index];
                let mut prover = Prover::new(&wanted, limits.tries);
                search(&mut prover, entry.files(), Some(index), limits);
                let names = if prover.has_proven(index) {
                    Vec::new()
                } else {
                    siblings::names(entry.known.dir.as_deref(), prover.tried())
                };
                (prover.into_proofs(), names)
            })
            .collect();
        let mut all_names = Vec::new();
        for (proofs, names) in searched {
            self.take(proofs, NextTime::FoundAgain);
            all_names.extend(names);
        }
        self.search_siblings(&all_names);
    }

    /// Directories next to known projects.
    fn search_siblings(&mut self, names: &[Vec<u8>]) {
        let wanted = self.wanted();
        if wanted.is_empty() {
            return;
        }
        let known = self
            .entries
            .iter()
            .filter_map(|entry| entry.known.path.as_deref());
        let parents = siblings::parents(known);
        let mut prover = Prover::new(&wanted, Limits::MOST.tries);
        siblings::offer_names(&mut prover, &parents, names);
        let guessed = prover.proofs().len();
        siblings::offer_neighbours(&mut prover, &parents);
        let mut proofs = prover.into_proofs();
        let neighbours = proofs.split_off(guessed);
        self.take(proofs, NextTime::FoundAgain);
        self.take(neighbours, NextTime::Remember);
    }

    /// The files of all other projects.
    fn search_all_files(&mut self) {
        let wanted = self.wanted();
        if wanted.is_empty() {
            return;
        }
        let searched: Vec<Vec<Proof>> = self
            .entries
            .par_iter()
            .filter(|entry| entry.known.path.is_some())
            .map(|entry| {
                let mut prover = Prover::new(&wanted, Limits::ALL.tries);
                search(&mut prover, entry.files(), None, Limits::ALL);
                prover.into_proofs()
            })
            .collect();
        self.take(searched.concat(), NextTime::Remember);
    }
}

#[cfg(test)]
mod tests;
