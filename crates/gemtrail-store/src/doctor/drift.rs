//! What Gemini CLI writes and gemtrail does not know.

use std::collections::BTreeMap;

use gemtrail_core::model::SessionRef;
use gemtrail_core::view::{Unknown, unknowns};
use rayon::prelude::*;

use super::report::UnknownReport;
use crate::library::{Library, ReadDetail};

/// How many sessions are looked at. What a newer version of Gemini CLI writes is in the newest ones.
const NEWEST: usize = 50;

/// Everything unknown in the newest sessions.
pub(super) fn find(library: &Library) -> Vec<UnknownReport> {
    let rows = library.newest_rows(NEWEST);
    let found: Vec<(SessionRef, Unknown)> = rows
        .par_iter()
        .filter_map(|row| library.read(row.reference, ReadDetail::Words).ok())
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
