//! One definition of a match, two executors: the index of the archive, and the files.

use gemtrail_core::model::Kind;
use gemtrail_query::{Condition, Filter, Hit, Order, Page, Query};
use gemtrail_store::{Library, ReadDetail};
use gemtrail_testkit::fixtures;
use serde_json::json;

use crate::common::{Sandbox, chat, copy, hits, hits_of, lines};

#[test]
fn times_mean_the_same_to_both() {
    let sandbox = Sandbox::new();
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let mut journal = lines(id, &[]);
    let times = [
        "2026-06-01T00:00:01.000Z",
        "",
        "2026-06-01T00:00:00.999Z",
        "soon",
        "2026-06-01T00:00:01.001Z",
        "2026-06-01T00:00:01.000400Z",
    ];
    for (at, time) in times.into_iter().enumerate() {
        let line = json!({"id": format!("u{at}"), "timestamp": time, "type": "user",
            "content": format!("clock {at}")});
        journal += &(line.to_string() + "\n");
    }
    sandbox.write(&chat("2f1e0a52.jsonl"), &journal);
    sandbox.sync();
    for (query, count) in [
        ("clock", 6),
        ("clock until:2026-06-01T00:00:01", 3),
        ("clock before:2026-06-01T00:00:01", 1),
        ("clock since:2026-06-01T00:00:01", 5),
    ] {
        for order in [Order::Newest, Order::Rank] {
            let kept = hits(&sandbox.library(), query, order);
            assert_eq!(kept.len(), count, "{query}");
            let scanned = hits(&sandbox.disk_library(), query, order);
            assert_eq!(kept, scanned, "{query}");
        }
    }
}

/// Reads excerpts for short pages and whole sessions for long ones.
#[test]
fn every_hit_has_the_address_of_its_message() {
    for fixture in fixtures() {
        let sandbox = Sandbox::new();
        copy(&fixture.home, &sandbox.path(".gemini")).expect("a copy");
        sandbox.sync();
        for library in [sandbox.library(), sandbox.disk_library()] {
            for query in [
                "the",
                "tool:shell",
                "role:context",
                "state:superseded",
                "field:log",
            ] {
                for limit in [2, 30] {
                    let page = Page {
                        limit: Some(limit),
                        ..Page::default()
                    };
                    for hit in hits_of(&library, query, &page) {
                        check(&library, &hit, &fixture.name());
                    }
                }
            }
        }
    }
}

/// Programs make filters that nobody could type.
#[test]
fn the_index_answers_every_filter() {
    let sandbox = Sandbox::new();
    let fixtures = fixtures();
    let fixture = fixtures.last().expect("a fixture");
    copy(&fixture.home, &sandbox.path(".gemini")).expect("a copy");
    sandbox.sync();
    let library = sandbox.library();
    let none_of = |any| Filter { any, not: true };
    let shell = Condition::Tool("shell".to_owned());
    let model = Condition::Model("gemini".to_owned());
    for filters in [
        vec![none_of(Vec::new())],
        vec![none_of(vec![Condition::Anything])],
        vec![none_of(vec![shell.clone(), Condition::Failed])],
        vec![none_of(vec![Condition::Exit(1)]), Filter::only(model)],
        vec![
            Filter::only(shell),
            none_of(vec![Condition::Kind(Kind::Log)]),
        ],
    ] {
        let mut query = Query::default();
        for filter in filters {
            query.filters.push(filter);
        }
        let total = |library: &Library| library.search(&query, &Page::default()).total;
        assert_eq!(total(&library), total(&sandbox.disk_library()), "{query:?}");
        assert_eq!(library.degraded(), None, "{query:?}");
    }
}

fn check(library: &Library, hit: &Hit, fixture: &str) {
    let (named, place) = library.resolve_address(&hit.address).expect("an address");
    assert_eq!(place, hit.place);
    assert_eq!(place.is_some(), hit.message.is_some());
    let Some(place) = place else { return };
    let session = library.read_named(&named, ReadDetail::Document);
    let session = session.expect("it is there");
    let found = session.at(place).expect("something is there");
    assert_eq!(
        Some(&found.message.id),
        hit.message.as_ref(),
        "{fixture} {}",
        hit.address
    );
    let call = found
        .call
        .map(|call| &call.id)
        .filter(|id| !id.as_str().is_empty());
    assert_eq!(call, hit.call.as_ref(), "{fixture} {}", hit.address);
    assert_eq!(found.call.is_some(), hit.tool.is_some());
}
