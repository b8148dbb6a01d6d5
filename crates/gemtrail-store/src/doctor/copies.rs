//! Copies of a journal that diverged.
//!
//! Homes are copied, and so are hash directories when Gemini CLI 0.29 or later first opens a
//! project. Usually only the copy is continued; if both were, neither is complete.

use std::collections::{BTreeMap, HashSet};

use gemtrail_core::model::{Code, Diagnostic};

use crate::discover::FileKind;
use crate::versions::LoadedJournal;

/// Compares journals with the same name and session in different directories.
pub(super) fn conflicts(journals: &[LoadedJournal<'_>]) -> Vec<Diagnostic> {
    let mut by_name: BTreeMap<(String, String), Vec<&LoadedJournal<'_>>> = BTreeMap::new();
    for loaded in journals {
        let name = loaded.file.path.file_name().unwrap_or_default();
        if loaded.file.kind != FileKind::UnreadableJournal {
            let key = (loaded.key().id, name.to_string_lossy().into_owned());
            by_name.entry(key).or_default().push(loaded);
        }
    }
    let several = by_name.into_values().filter(|copies| copies.len() > 1);
    several.flat_map(|copies| compare(&copies)).collect()
}

fn compare(copies: &[&LoadedJournal<'_>]) -> Vec<Diagnostic> {
    let said: Vec<HashSet<&str>> = copies
        .iter()
        .map(|loaded| loaded.journal.log.timeline().collect())
        .collect();
    let mut diagnostics = Vec::new();
    for (at, loaded) in copies.iter().enumerate().skip(1) {
        let conflict = said[..at]
            .iter()
            .position(|other| !other.is_subset(&said[at]) && !said[at].is_subset(other));
        if let Some(other) = conflict {
            let what = format!(
                "has messages that its copy {} lacks, and the other way round",
                copies[other].journal.path
            );
            diagnostics.push(
                Diagnostic::new(Code::ConflictingCopies, what)
                    .in_journal(loaded.journal.path.clone()),
            );
        }
    }
    diagnostics
}
