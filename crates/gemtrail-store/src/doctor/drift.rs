//! What Gemini CLI writes and gemtrail does not know.

use std::collections::BTreeMap;

use gemtrail_core::model::{Session, SessionRef};
use gemtrail_core::view::{Unknown, unknowns};
use rayon::prelude::*;

use super::report::UnknownReport;
use crate::discover::FoundFile;
use crate::library::{Library, ListRow, SessionFilter, select};
use crate::load::Depth;
use crate::spelled::text_of;

/// How many sessions are looked at. What a newer version of Gemini CLI writes is in the newest ones.
pub(super) const NEWEST: usize = 50;

/// Everything unknown in the newest of these sessions, which come with the indices of their projects.
pub(super) fn find(library: &Library, sessions: Vec<(usize, ListRow)>) -> Vec<UnknownReport> {
    let filter = SessionFilter {
        limit: Some(NEWEST),
        ..SessionFilter::default()
    };
    let newest = select(sessions, &filter, |(_, row)| row);
    let found: Vec<(SessionRef, Unknown)> = newest
        .par_iter()
        .filter_map(|(project, row)| read(library, *project, row))
        .flat_map_iter(|session| {
            let reference = session.reference;
            unknowns(&session)
                .into_iter()
                .map(move |it| (reference, it))
        })
        .collect();
    let mut sessions: BTreeMap<Unknown, Vec<SessionRef>> = BTreeMap::new();
    for (reference, unknown) in found {
        sessions.entry(unknown).or_default().push(reference);
    }
    let report = |(unknown, sessions): (Unknown, Vec<SessionRef>)| {
        let example = *sessions.iter().max()?;
        Some(UnknownReport {
            unknown,
            sessions: sessions.len(),
            example,
        })
    };
    sessions.into_iter().filter_map(report).collect()
}

/// Reads the files of a session and of its subagents.
fn read(library: &Library, project: usize, row: &ListRow) -> Option<Session> {
    let entry = library.projects().get(project)?;
    let is_its = |(_, file): &&(usize, FoundFile)| {
        file.kind.is_journal() && row.paths.iter().any(|path| *path == text_of(&file.path))
    };
    let files: Vec<&(usize, FoundFile)> = entry.files().iter().filter(is_its).collect();
    let sessions = library.assemble(entry, &files, &[], Depth::Words).sessions;
    let mut sessions = sessions.into_iter();
    sessions.find(|session| session.reference == row.reference)
}
