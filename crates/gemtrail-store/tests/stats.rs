//! Facts for statistics do not depend on how much of a file was kept.

use gemtrail_core::Detail;
use gemtrail_core::model::Session;
use gemtrail_core::stats::SessionFacts;
use gemtrail_store::{Library, Places};
use gemtrail_testkit::fixtures;

fn facts(session: &Session, into: &mut Vec<(String, SessionFacts)>) {
    into.push((session.id.to_string(), SessionFacts::of(session)));
    for subagent in &session.subagents {
        facts(subagent, into);
    }
}

fn all(library: &Library, detail: Detail) -> Vec<(String, SessionFacts)> {
    let mut found = Vec::new();
    for entry in library.projects() {
        for session in library.read_project(entry, detail).sessions {
            facts(&session, &mut found);
        }
    }
    found
}

#[test]
fn facts_are_the_same_whether_texts_were_kept_or_not() {
    let mut requests = 0;
    for fixture in fixtures() {
        let places = Places {
            homes: vec![fixture.home.clone()],
            ..Places::default()
        };
        let library = Library::open(&places).expect("it can be opened");
        let counted = all(&library, Detail::Counts);
        assert_eq!(counted, all(&library, Detail::Full), "{}", fixture.name());
        requests += counted
            .iter()
            .map(|(_, it)| it.requests.len())
            .sum::<usize>();
    }
    assert!(requests > 100, "{requests} requests");
}
