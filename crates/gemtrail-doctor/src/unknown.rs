//! What Gemini CLI writes and gemtrail does not know.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::model::{Kind, Session, SessionRef};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::view::{Unknown, unknowns};
use gemtrail_home::discover::FoundFile;
use gemtrail_home::load::Depth;
use gemtrail_home::paths::text_of;
use gemtrail_store::Library;
use rayon::prelude::*;

use super::report::UnknownReport;

/// The number of sessions that are looked at: what a newer version of Gemini CLI writes is in the newest ones.
const NEWEST: usize = 50;

/// Longer sessions are passed over: they are in memory as a whole.
const MOST_BYTES: u64 = 64 << 20;

/// A session that may be looked at.
#[derive(Debug)]
pub(super) struct Recent {
    updated: Reverse<Option<Timestamp>>,
    reference: SessionRef,
    /// Of its journals and those of its subagents.
    paths: Vec<String>,
}

/// The newest of these sessions.
pub(super) fn newest(sessions: &[Session]) -> Vec<Recent> {
    let journals = |session: &Session| -> Vec<(String, u64)> {
        let agents = session.subagents.iter().flat_map(|it| &it.journals);
        let all = session.journals.iter().chain(agents);
        all.map(|it| (it.path.clone(), it.bytes)).collect()
    };
    let updated = |it: &Session| Reverse(it.updated.as_deref().and_then(time::parse));
    let is_main = |it: &&Session| it.kind == Kind::Main && it.has_conversation();
    let mut sessions: Vec<(_, &Session)> = sessions
        .iter()
        .filter(is_main)
        .map(|it| (updated(it), it))
        .collect();
    sessions.sort_by_key(|(updated, session)| (*updated, session.reference));
    let recent = sessions.into_iter().filter_map(|(updated, session)| {
        let journals = journals(session);
        let bytes: u64 = journals.iter().map(|(_, bytes)| bytes).sum();
        (bytes <= MOST_BYTES).then(|| Recent {
            updated,
            reference: session.reference,
            paths: journals.into_iter().map(|(path, _)| path).collect(),
        })
    });
    recent.take(NEWEST).collect()
}

/// Everything unknown in the newest of these sessions, which come with the indices of their projects.
pub(super) fn find(library: &Library, mut sessions: Vec<(usize, Recent)>) -> Vec<UnknownReport> {
    sessions.sort_by_key(|(_, session)| (session.updated, session.reference));
    sessions.truncate(NEWEST);
    let found: Vec<(SessionRef, Unknown)> = sessions
        .par_iter()
        .flat_map_iter(|(project, session)| {
            let unknown = unknown_in(library, *project, session).unwrap_or_default();
            unknown.into_iter().map(|it| (session.reference, it))
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

/// Everything unknown in a session and in those of its subagents.
fn unknown_in(library: &Library, project: usize, session: &Recent) -> Option<BTreeSet<Unknown>> {
    let entry = library.projects().get(project)?;
    let is_its = |(_, file): &&(usize, FoundFile)| {
        file.kind.is_journal()
            && session
                .paths
                .iter()
                .any(|path| *path == text_of(&file.path))
    };
    let files: Vec<&(usize, FoundFile)> = entry.files().iter().filter(is_its).collect();
    let read = library.catalog().assemble(entry, &files, &[], Depth::Words);
    let mut sessions = read.sessions.iter();
    let session = sessions.find(|it| it.reference == session.reference)?;
    Some(unknowns(session))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gemtrail_testkit::{examples, fixtures};

    use super::*;
    use gemtrail_store::Places;

    /// The names of what is unknown in each session of a home.
    fn unknown_in_all(home: PathBuf) -> Vec<Vec<String>> {
        let places = Places {
            homes: vec![home],
            ..Places::default()
        };
        let library = Library::open(&places).expect("a home");
        let mut all = Vec::new();
        for (project, entry) in library.projects().iter().enumerate() {
            let journals = entry.files().iter().filter(|(_, it)| it.kind.is_journal());
            let journals: Vec<_> = journals.collect();
            let catalog = library.catalog();
            let read = catalog.assemble(entry, &journals, &[], Depth::Counts);
            for session in newest(&read.sessions) {
                let unknown = unknown_in(&library, project, &session).unwrap_or_default();
                all.push(unknown.into_iter().map(|it| it.name).collect());
            }
        }
        all
    }

    #[test]
    fn recorded_sessions_have_nothing_unknown() {
        let homes = fixtures::fixtures().map(|it| it.home);
        let all: Vec<_> = homes.flat_map(unknown_in_all).collect();
        assert!(all.len() > 100, "{}", all.len());
        assert!(all.iter().all(Vec::is_empty), "{all:?}");
    }

    #[test]
    fn what_is_new_is_named() {
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
        let expected = [
            "weather", "dream", "colour", "mood", "airborne", "fly", "hologram",
        ];
        assert_eq!(all, [expected]);
    }
}
