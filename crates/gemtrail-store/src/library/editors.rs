//! Finds the edits of a file.

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::model::{Project, SessionRef};
use gemtrail_origin::Edit;

use super::Library;
use super::read::ReadDetail;
use super::stats::Families;
use crate::index::rows::ListRow;

impl Library {
    /// The edits of files with such a path, of the sessions that are wanted; those of agents are among those
    /// of the session that they worked for. `progress` hears how many sessions were read, of how many.
    pub fn edits_of(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        takes: impl Fn(&ListRow) -> bool,
        progress: impl Fn(usize, usize),
    ) -> Vec<(ListRow, Edit)> {
        let mut editors = self.editors_of(&is_wanted);
        editors.retain(takes);
        let mut found = Vec::new();
        for (at, row) in editors.iter().enumerate() {
            progress(at, editors.len());
            // Its files may be gone since the index was made.
            let Ok(session) = self.read(row.reference, ReadDetail::Words) else {
                continue;
            };
            let edits = Edit::of_session(&session).into_iter();
            let edits = edits.filter(|edit| is_wanted(&edit.path));
            found.extend(edits.map(|edit| (row.clone(), edit)));
        }
        found
    }

    /// The sessions whose tools, or whose agents' tools, changed a file with such a path.
    pub fn editors_of(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<ListRow> {
        let edited = self.edited_files().into_iter();
        let editors = edited.filter(|(row, files)| {
            let mut files = files.iter();
            files.any(|file| is_wanted(file) || is_wanted(&in_project(file, &row.project)))
        });
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

/// A recorded path below the root of its project.
fn in_project(path: &str, project: &Project) -> String {
    match &project.path {
        Some(root) => format!("{root}/{}", path.trim_start_matches("./")),
        None => path.to_owned(),
    }
}
