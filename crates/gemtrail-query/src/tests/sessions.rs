//! The texts of a session and the conditions on them.

use gemtrail_core::Detail;
use gemtrail_core::model::Session;
use gemtrail_core::{SourceJournal, Sources};

use super::query;
use crate::{Field, Hit, Matcher, SessionFacts, for_each_unit};

const JOURNAL: &str = r#"{"sessionId":"2f1e0a52-aaaa","projectHash":"76a2","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:05:00.000Z","summary":"About the cart","messages":[
{"id":"u1","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":"Fix the cart please"},
{"id":"g1","timestamp":"2026-06-01T10:00:09.000Z","type":"gemini","model":"gemini-3-pro","content":"Done with the cart",
 "thoughts":[{"subject":"Plan","description":"look first","timestamp":"2026-06-01T10:00:02.000Z"},{"subject":"","description":"then fix","timestamp":"2026-06-01T10:00:03.000Z"}],
 "toolCalls":[{"id":"c1","name":"read_file","args":{"file_path":"src/cart.js"},"status":"success","timestamp":"2026-06-01T10:00:05.000Z","result":[{"functionResponse":{"id":"c1","name":"read_file","response":{"output":"let total = 0"}}}]},
 {"id":"c2","name":"run_shell_command","args":{"command":"npm test"},"status":"error","timestamp":"2026-06-01T10:00:06.000Z","result":[{"functionResponse":{"id":"c2","name":"run_shell_command","response":{"error":"exit 1"}}}]}]}]}"#;

fn session() -> Session {
    session_of(JOURNAL)
}

fn session_of(text: &str) -> Session {
    let journal = SourceJournal {
        path: "session-2026-06-01T10-00-2f1e0a52.json".to_owned(),
        bytes: 0,
        sha256: None,
        earlier: false,
        log: gemtrail_core::read(text.as_bytes(), Detail::Full),
    };
    Sources::single(journal).assemble()
}

/// The fields and texts of all hits.
fn hits(query_text: &str) -> Vec<String> {
    hits_in(&session(), query_text)
}

fn hits_in(session: &Session, query_text: &str) -> Vec<String> {
    let query = query(query_text);
    let matcher = Matcher::new(&query);
    let facts = SessionFacts::of(session);
    let mut hits = Vec::new();
    for_each_unit(session, &|_| None, &mut |unit| {
        if matcher.matches(&facts, &unit) {
            hits.push(format!(
                "{} {}: {}",
                unit.number,
                unit.facts.field.as_str(),
                unit.text()
            ));
        }
    });
    hits
}

#[test]
fn units_stand_in_a_fixed_order() {
    use Field::{Summary, Text, Thought, Title, ToolArgs, ToolOutput};
    let session = session();
    let mut fields = Vec::new();
    for_each_unit(&session, &|_| None, &mut |unit| {
        assert_eq!(unit.number, fields.len());
        fields.push(unit.facts.field);
    });
    let expected = [
        Title, Summary, Text, Text, Thought, ToolArgs, ToolOutput, ToolArgs, ToolOutput,
    ];
    assert_eq!(fields, expected);
}

#[test]
fn one_unit_has_all_words() {
    assert_eq!(hits("fix cart"), ["2 text: Fix the cart please"]);
    assert_eq!(hits("plan fix"), ["4 thought: Plan\nlook first\nthen fix"]);
    assert_eq!(hits("done npm"), Vec::<String>::new());
    assert_eq!(
        hits("npm"),
        ["7 tool_args: run_shell_command\ncommand: npm test"]
    );
}

#[test]
fn a_title_is_searched_when_it_is_asked_for() {
    assert_eq!(hits("about"), ["1 summary: About the cart"]);
    assert_eq!(hits("about field:title"), ["0 title: About the cart"]);
}

#[test]
fn conditions_narrow() {
    assert_eq!(hits("cart role:human").len(), 1);
    assert_eq!(
        hits("cart -role:human field:text"),
        ["3 text: Done with the cart"]
    );
    assert_eq!(hits("tool:shell status:error").len(), 2);
    assert_eq!(
        hits("tool:file_read field:tool_output"),
        ["6 tool_output: let total = 0"]
    );
    assert_eq!(hits("file:SRC/cart").len(), 2);
    assert_eq!(hits("model:3-pro field:text").len(), 1);
    assert_eq!(hits("cart session:2f1e").len(), 4);
    assert_eq!(hits("cart session:zzzz").len(), 0);
    assert_eq!(hits("cart state:superseded").len(), 0);
    assert_eq!(hits("before:2026-06-01T10:00:02Z").len(), 1);
    assert_eq!(
        hits("after:2026-06-01T10:00:05Z before:2026-06-01T10:00:06Z").len(),
        2
    );
    assert_eq!(hits("cart before:2026-06-01").len(), 0);
}

#[test]
fn hits_say_where_they_come_from() {
    let (session, query) = (session(), query("npm"));
    let mut hit = None;
    for_each_unit(&session, &|_| None, &mut |unit| {
        if unit.number == 7 {
            hit = Some(Hit::new(&session, &unit, &query));
        }
    });
    let hit = serde_json::to_value(hit.unwrap()).unwrap();
    assert_eq!(hit["schema"], "gemtrail.search/1");
    assert_eq!(hit["session"], "2f1e0a52-aaaa");
    assert_eq!(
        (&hit["message"], &hit["call"]),
        (&"g1".into(), &"c2".into())
    );
    assert_eq!(hit["time"], "2026-06-01T10:00:06.000Z");
    assert_eq!(hit["snippet"], "run_shell_command command: npm test");
    assert_eq!(hit["highlights"], serde_json::json!([[27, 30]]));
    assert_eq!(
        (&hit["role"], &hit["state"]),
        (&"assistant".into(), &"current".into())
    );
}

#[test]
fn a_command_that_ends_with_another_code_than_0_has_failed() {
    let of_status = r#""status":"error","timestamp":"2026-06-01T10:00:06.000Z","result":[{"functionResponse":{"id":"c2","name":"run_shell_command","response":{"error":"exit 1"}}}]"#;
    let by_code = r#""status":"success","result":[{"functionResponse":{"id":"c2","name":"run_shell_command","response":{"output":"Output: 1 failed\nExit Code: 1\nProcess Group PGID: 7"}}}]"#;
    assert!(JOURNAL.contains(of_status));
    let session = session_of(&JOURNAL.replace(of_status, by_code));
    assert_eq!(hits_in(&session, "status:error"), [] as [&str; 0]);
    for failed in [&session, &self::session()] {
        assert_eq!(hits_in(failed, "status:failed").len(), 2);
        assert_eq!(hits_in(failed, "status:failed tool:read").len(), 0);
        assert_eq!(hits_in(failed, "status:failed,success").len(), 4);
    }
}

#[test]
fn commands_are_found_by_their_exit_code() {
    let of_status = r#""status":"error","timestamp":"2026-06-01T10:00:06.000Z","result":[{"functionResponse":{"id":"c2","name":"run_shell_command","response":{"error":"exit 1"}}}]"#;
    let by_code = r#""status":"success","result":[{"functionResponse":{"id":"c2","name":"run_shell_command","response":{"output":"Output: no\nExit Code: 127\nProcess Group PGID: 7"}}}]"#;
    let session = session_of(&JOURNAL.replace(of_status, by_code));
    for query in ["exit:127", "exit:1,127", "exit:127 status:failed"] {
        assert_eq!(hits_in(&session, query).len(), 2, "{query}");
    }
    for query in [
        "exit:1",
        "exit:0",
        "exit:127 tool:read",
        "exit:127 -exit:127",
    ] {
        assert_eq!(hits_in(&session, query).len(), 0, "{query}");
    }
    // No code was recorded.
    assert_eq!(hits_in(&self::session(), "exit:1").len(), 0);
}
