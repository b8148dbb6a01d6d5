//! Proof of root paths: a path is a project's root if and only if its SHA-256 is the project's
//! hash.

use std::ops::ControlFlow;

use foldhash::{HashMap, HashSet, HashSetExt as _};
use sha2::{Digest, Sha256};

use super::path_text::PathText;

/// Fixed cost of a try on top of the path's length: one SHA-256 block.
const COST_OF_A_TRY: usize = 64;

/// The hashes whose paths are looked for.
#[derive(Debug, Default)]
pub struct Wanted {
    projects: HashMap<[u8; 32], usize>,
}

impl Wanted {
    /// Takes hashes in hex, each with the caller's index of the project.
    pub fn new<'a>(hashes: impl IntoIterator<Item = (usize, &'a str)>) -> Self {
        let projects = hashes
            .into_iter()
            .filter_map(|(project, hash)| Some((digest_of_hex(hash)?, project)))
            .collect();
        Self { projects }
    }

    /// The projects, in their order.
    pub(super) fn projects(&self) -> Vec<usize> {
        let mut projects: Vec<usize> = self.projects.values().copied().collect();
        projects.sort_unstable();
        projects
    }

    /// True if nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.projects.is_empty()
    }

    /// The number of hashes.
    pub fn len(&self) -> usize {
        self.projects.len()
    }
}

/// A root path that is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The caller's index of the project.
    pub project: usize,
    /// The path.
    pub path: String,
}

/// Tries each candidate once.
#[derive(Debug)]
pub struct Prover<'a> {
    wanted: &'a Wanted,
    tried: HashSet<Box<[u8]>>,
    /// The remaining budget for candidates.
    left: usize,
    proofs: Vec<Proof>,
}

impl<'a> Prover<'a> {
    /// The budget bounds time and memory: a candidate costs its length plus 64, a block of its digest.
    pub fn new(wanted: &'a Wanted, budget: usize) -> Self {
        Self {
            wanted,
            tried: HashSet::new(),
            left: budget,
            proofs: Vec::new(),
        }
    }

    /// Tries one path in all its spellings; `false` if it was tried before.
    pub fn offer(&mut self, path: &[u8]) -> bool {
        if self.left == 0 || self.tried.contains(path) {
            return false;
        }
        self.left = self.left.saturating_sub(path.len() + COST_OF_A_TRY);
        self.tried.insert(path.into());
        let (wanted, proofs) = (self.wanted, &mut self.proofs);
        gemtrail_core::internal::each_spelling(path, |spelling| {
            let digest: [u8; 32] = Sha256::digest(spelling).into();
            if let Some(&project) = wanted.projects.get(&digest)
                && let Ok(path) = std::str::from_utf8(spelling)
            {
                let path = path.to_owned();
                proofs.push(Proof { project, path });
            }
        });
        true
    }

    /// Tries a path and its ancestors.
    pub(super) fn offer_with_ancestors(&mut self, path: &str) {
        self.offer_readings(&PathText::of_path(path));
    }

    /// Tries every reading of a match.
    pub(super) fn offer_readings(&mut self, path: &PathText) {
        for reading in path.readings() {
            // If this was tried before, so were its ancestors.
            if !self.offer(reading) {
                break;
            }
        }
    }

    /// Whether to go on: there is something left to prove and budget to try it.
    pub(super) fn flow(&self, target: Option<usize>) -> ControlFlow<()> {
        let done = match target {
            Some(target) => self.has_proven(target),
            None => self.proofs.len() >= self.wanted.len(),
        };
        if done || self.left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    pub(super) fn has_proven(&self, project: usize) -> bool {
        self.proofs.iter().any(|proof| proof.project == project)
    }

    /// Everything that was tried, in no particular order.
    pub(super) fn tried(&self) -> impl Iterator<Item = &[u8]> {
        self.tried.iter().map(AsRef::as_ref)
    }

    /// What is proven so far.
    pub fn proofs(&self) -> &[Proof] {
        &self.proofs
    }

    /// What was proven.
    pub fn into_proofs(self) -> Vec<Proof> {
        self.proofs
    }
}

fn digest_of_hex(hex: &str) -> Option<[u8; 32]> {
    let digits = hex.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemtrail_core::project_hash;

    fn prove(root: &str, candidates: &[&str]) -> Option<String> {
        let hash = project_hash(root);
        let wanted = Wanted::new([(7, hash.as_str())]);
        let mut prover = Prover::new(&wanted, 10_000);
        for candidate in candidates {
            prover.offer_with_ancestors(candidate);
        }
        prover.into_proofs().pop().map(|proof| {
            assert_eq!(proof.project, 7);
            proof.path
        })
    }

    #[test]
    fn the_digest_decides() {
        let root = Some("/home/alice/my-app".to_owned());
        assert_eq!(
            prove("/home/alice/my-app", &["/home/alice/my-app/src/a"]),
            root
        );
        assert_eq!(prove("/home/alice/my-app", &["/home/alice"]), None);
        assert_eq!(prove("/", &["/"]), Some("/".to_owned()));
    }

    #[test]
    fn spellings_of_windows_prove_each_other() {
        let windows = "C:\\Users\\Alice\\Projects\\My App";
        let sandbox = "/c/Users/Alice/Projects/My App";
        assert_eq!(prove(windows, &[sandbox]), Some(windows.to_owned()));
        assert_eq!(
            prove(sandbox, &["C:\\Users\\Alice\\Projects\\My App\\x.ts"]),
            Some(sandbox.to_owned())
        );
        assert_eq!(prove("c:\\x", &["C:\\x\\y"]), Some("c:\\x".to_owned()));
    }

    #[test]
    fn the_number_of_tries_is_bounded() {
        let hash = project_hash("/wanted");
        let wanted = Wanted::new([(0, hash.as_str()), (1, "no hash")]);
        assert_eq!(wanted.len(), 1);
        let mut prover = Prover::new(&wanted, 2 * COST_OF_A_TRY);
        prover.offer_with_ancestors("/a/b");
        assert_eq!(prover.flow(None), ControlFlow::Break(()));
        prover.offer_with_ancestors("/wanted");
        assert!(prover.proofs().is_empty());
    }
}
