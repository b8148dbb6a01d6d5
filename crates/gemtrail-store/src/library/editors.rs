//! Finds the sessions that changed a file.

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::model::SessionRef;

use super::Library;
use super::stats::Families;
use crate::index::rows::ListRow;

impl Library {
    /// The sessions whose tools, or whose agents' tools, changed a file with such a recorded path. Agents
    /// stand for the sessions that they worked for.
    pub fn editors_of(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<ListRow> {
        let edited = self.edited_files().into_iter();
        let editors = edited.filter(|(_, files)| files.iter().any(|file| is_wanted(file)));
        editors.map(|(row, _)| row).collect()
    }

    /// The sessions whose tools, or whose agents' tools, changed files, with the recorded paths of these.
    pub fn edited_files(&self) -> Vec<(ListRow, BTreeSet<String>)> {
        let found = self.facts(None);
        let families = Families::of(&found);
        let mut places: BTreeMap<SessionRef, usize> = BTreeMap::new();
        let mut edited: Vec<(ListRow, BTreeSet<String>)> = Vec::new();
        for (row, facts) in found.iter().filter(|(_, facts)| !facts.files.is_empty()) {
            let root = families.root_of(row);
            let at = *places.entry(root.reference).or_insert(edited.len());
            if at == edited.len() {
                edited.push((root.clone(), BTreeSet::new()));
            }
            edited[at].1.extend(facts.files.iter().cloned());
        }
        edited
    }
}
