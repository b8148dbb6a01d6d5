//! What Gemini CLI writes and gemtrail does not know.

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::model::{Session, SessionRef, SessionRow};
use gemtrail_core::view::{Unknown, unknowns};
use rayon::prelude::*;

use super::long_drift;
use super::report::UnknownReport;
use crate::discover::FoundFile;
use crate::index::rows::ListRow;
use crate::library::{Library, SessionFilter, select};
use crate::load::Depth;
use crate::paths::text_of;

/// How many sessions are looked at. What a newer version of Gemini CLI writes is in the newest ones.
pub(super) const NEWEST: usize = 50;

/// Sessions with more bytes than this are read one message at a time.
const LONG: u64 = 32 << 20;

/// The list rows of the newest of these sessions. Their paths include those of subagents.
pub(super) fn newest_of(sessions: Vec<Session>) -> Vec<ListRow> {
    let filter = SessionFilter {
        limit: Some(NEWEST),
        ..SessionFilter::default()
    };
    select(rows_of(sessions), &filter, |row| row)
}

fn rows_of(sessions: Vec<Session>) -> Vec<ListRow> {
    let rows = sessions.into_iter().map(|session| {
        let (row, subagents) = SessionRow::split(session);
        let mut row = ListRow::from(&row);
        let of_subagents = subagents.into_iter().flat_map(|it| it.journals);
        row.paths.extend(of_subagents.map(|journal| journal.path));
        row
    });
    rows.collect()
}

/// Everything unknown in the newest of these sessions, which come with the indices of their projects.
pub(super) fn find(library: &Library, sessions: Vec<(usize, ListRow)>) -> Vec<UnknownReport> {
    let filter = SessionFilter {
        limit: Some(NEWEST),
        ..SessionFilter::default()
    };
    let newest = select(sessions, &filter, |(_, row)| row);
    let found: Vec<(SessionRef, Unknown)> = newest
        .par_iter()
        .flat_map_iter(|(project, row)| {
            let unknown = unknown_in(library, *project, row, LONG).unwrap_or_default();
            unknown.into_iter().map(|it| (row.reference, it))
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

/// What is unknown in a session and in those of its subagents.
fn unknown_in(
    library: &Library,
    project: usize,
    row: &ListRow,
    long: u64,
) -> Option<BTreeSet<Unknown>> {
    let entry = library.projects().get(project)?;
    let is_its = |(_, file): &&(usize, FoundFile)| {
        file.kind.is_journal() && row.paths.iter().any(|path| *path == text_of(&file.path))
    };
    let files: Vec<&(usize, FoundFile)> = entry.files().iter().filter(is_its).collect();
    let read = |depth: Depth| -> Option<Session> {
        let mut sessions = library.catalog.assemble(entry, &files, &[], depth).sessions;
        let at = sessions
            .iter()
            .position(|it| it.reference == row.reference)?;
        Some(sessions.swap_remove(at))
    };
    let bytes: u64 = files.iter().map(|(_, file)| file.bytes).sum();
    if bytes > long
        && let Some(traced) = read(Depth::Survey { long_from: 0 })
        && let Some(unknown) = long_drift::find(&traced, &files)
    {
        return Some(unknown);
    }
    Some(unknowns(&read(Depth::Words)?))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gemtrail_testkit::{examples, fixtures};

    use super::*;
    use crate::Places;

    /// What is unknown in each session of a home, with every session read as if it were long.
    fn unknown_in_all(home: PathBuf) -> Vec<BTreeSet<Unknown>> {
        let places = Places {
            homes: vec![home],
            ..Places::default()
        };
        let library = Library::open(&places).expect("a home");
        let mut all = Vec::new();
        for (project, entry) in library.projects().iter().enumerate() {
            let journals = entry.files().iter().filter(|(_, it)| it.kind.is_journal());
            let journals: Vec<_> = journals.collect();
            let read = library
                .catalog
                .assemble(entry, &journals, &[], Depth::Counts);
            for row in rows_of(read.sessions) {
                let usual = unknown_in(&library, project, &row, u64::MAX);
                let long = unknown_in(&library, project, &row, 0);
                assert_eq!(long, usual, "{:?}", row.paths);
                all.extend(long);
            }
        }
        all
    }

    #[test]
    fn recorded_sessions_have_nothing_unknown() {
        let homes = fixtures::fixtures().map(|it| it.home);
        let all: Vec<_> = homes.flat_map(unknown_in_all).collect();
        assert!(all.len() > 100, "{}", all.len());
        assert!(all.iter().all(BTreeSet::is_empty), "{all:?}");
    }

    #[test]
    fn long_sessions_are_told_as_others_are() {
        assert!(!unknown_in_all(examples::home()).is_empty());
        let journal = r#"{"sessionId":"5e551011-0000-4000-8000-000000000000","projectHash":"h","startTime":"2026-11-01T10:00:00.000Z","mood":1}
{"id":"u1","timestamp":"2026-11-01T10:00:00.000Z","type":"user","content":[{"text":"hello"},{"hologram":{}}]}
{"id":"a1","timestamp":"2026-11-01T10:00:01.000Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"fly","status":"airborne"}]}
{"id":"a1","timestamp":"2026-11-01T10:00:01.000Z","type":"gemini","content":"Done.","colour":"red"}
{"id":"x1","timestamp":"2026-11-01T10:00:02.000Z","type":"dream","content":"sheep"}
{"type":"weather","is":"fine"}
"#;
        let home = tempfile::tempdir().expect("a directory");
        let chats = home.path().join(".gemini/tmp/odd/chats");
        std::fs::create_dir_all(&chats).expect("a directory");
        let path = chats.join("session-2026-11-01T10-00-5e551011.jsonl");
        std::fs::write(path, journal).expect("a file");
        let all = unknown_in_all(home.path().to_owned());
        let [unknown] = all.as_slice() else {
            panic!("{all:?}");
        };
        let names: Vec<&str> = unknown.iter().map(|it| it.name.as_str()).collect();
        let expected = [
            "weather", "dream", "colour", "mood", "airborne", "fly", "hologram",
        ];
        assert_eq!(names, expected);
    }
}
