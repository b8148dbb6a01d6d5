//! Metrics from the views are those of the sessions, and a stamp tells of every change.

use std::fs;

use gemtrail_core::view::Metrics;
use gemtrail_store::{Library, ListRow, ReadDetail, SessionFilter, StampedRow};
use gemtrail_testkit::fixtures;

use crate::common::{Sandbox, chat, copy, lines};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// Rows and metrics of all sessions, by reference.
fn metrics(library: &Library) -> Vec<(ListRow, Metrics)> {
    let mut rows = library.stamped_rows();
    rows.sort_by_key(|it| it.row.reference);
    let metrics = library.metrics(&rows).into_iter();
    let metrics = metrics.map(|it| it.expect("it is there"));
    rows.into_iter().map(|it| it.row).zip(metrics).collect()
}

#[test]
fn metrics_of_the_views_are_those_of_the_sessions() {
    let mut calls = 0;
    for fixture in fixtures() {
        let sandbox = Sandbox::new();
        copy(&fixture.home, &sandbox.path(".gemini")).expect("it can be copied");
        sandbox.sync();
        let library = sandbox.library();
        let known = metrics(&library);
        let mut listed = library.sessions(&SessionFilter::everything());
        listed.sort_by_key(|row| row.reference);
        assert_eq!(known.len(), listed.len(), "{}", fixture.name());
        for ((row, metrics), mut listed) in known.iter().zip(listed) {
            listed.number = None;
            assert_eq!(*row, listed, "{}", fixture.name());
            let session = library.read(row.reference, ReadDetail::Words);
            let session = session.expect("it can be read");
            assert_eq!(*metrics, Metrics::of(&session), "{}", fixture.name());
            assert_eq!(metrics.tokens, session.tokens);
            calls += metrics.calls.len();
        }
        let from_disk = metrics_by_reference(&sandbox.disk_library());
        let from_views = metrics_by_reference(&library);
        assert_eq!(from_views, from_disk, "{}", fixture.name());
    }
    assert!(calls > 100, "{calls} calls");
}

fn metrics_by_reference(library: &Library) -> Vec<(String, Metrics)> {
    let metrics = metrics(library).into_iter();
    metrics
        .map(|(row, metrics)| (row.reference.to_string(), metrics))
        .collect()
}

fn stamps(library: &Library) -> Vec<u64> {
    let rows = library.stamped_rows();
    rows.iter().map(|it: &StampedRow| it.fingerprint).collect()
}

/// Counts, times and sizes are all the same.
#[test]
fn an_edit_of_the_same_length_changes_the_stamp() {
    let sandbox = Sandbox::with_session(ID);
    let file = sandbox.path(&chat("2f1e0a52.jsonl"));
    sandbox.sync();
    let before = (stamps(&sandbox.library()), stamps(&sandbox.disk_library()));
    sandbox.sync();
    assert_eq!(stamps(&sandbox.library()), before.0);
    assert_eq!(stamps(&sandbox.disk_library()), before.1);
    let text = fs::read_to_string(&file).expect("it can be read");
    fs::write(&file, text.replace("first", "other")).expect("it can be written");
    sandbox.sync();
    assert_ne!(stamps(&sandbox.library()), before.0);
    assert_ne!(stamps(&sandbox.disk_library()), before.1);
}

/// The views have another session now than the one that was stamped.
#[test]
fn a_session_that_changed_since_its_stamp_is_read() {
    let sandbox = Sandbox::with_session(ID);
    sandbox.sync();
    let library = sandbox.library();
    let rows = library.stamped_rows();
    let more = lines(ID, &[("u1", "one"), ("g1", "first"), ("g2", "second")]);
    sandbox.write(&chat("2f1e0a52.jsonl"), &more);
    sandbox.sync();
    let metrics = library.metrics(&rows);
    let session = library.read(rows[0].row.reference, ReadDetail::Words);
    let wanted = Metrics::of(&session.expect("it can be read"));
    assert_eq!(
        metrics.into_iter().next().and_then(Result::ok),
        Some(wanted)
    );
}
