//! Finds the sessions that changed a file.

use std::collections::HashSet;

use super::Library;
use super::stats::Families;
use crate::index::rows::ListRow;

impl Library {
    /// The sessions whose tools, or whose agents' tools, changed a file with such a recorded path. Agents
    /// stand for the sessions that they worked for.
    pub fn editors_of(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<ListRow> {
        let found = self.facts(None);
        let families = Families::of(&found);
        let mut known = HashSet::new();
        let editors = found
            .iter()
            .filter(|(_, facts)| facts.files.iter().any(|file| is_wanted(file)));
        let roots = editors.map(|(row, _)| families.root_of(row));
        roots
            .filter(|row| known.insert(row.reference))
            .cloned()
            .collect()
    }
}
