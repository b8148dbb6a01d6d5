//! Finds the edits of a file.

use std::collections::HashSet;

use gemtrail_core::model::Project;
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
        let found = self.facts(None);
        let families = Families::of(&found);
        let mut known = HashSet::new();
        let editors = found.iter().filter(|(row, facts)| {
            let mut files = facts.files.iter();
            files.any(|file| is_wanted(file) || is_wanted(&in_project(file, &row.project)))
        });
        let roots = editors.map(|(row, _)| families.root_of(row));
        roots
            .filter(|row| known.insert(row.reference))
            .cloned()
            .collect()
    }
}

/// A recorded path below the root of its project.
fn in_project(path: &str, project: &Project) -> String {
    match &project.path {
        Some(root) => format!("{root}/{}", path.trim_start_matches("./")),
        None => path.to_owned(),
    }
}
