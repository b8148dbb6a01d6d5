//! Where the records of a message are, and what they rebuild.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_core::model::{Session, Span};
use gemtrail_core::{Detail, Sources, read, read_message};

use common::{assert_traced, journal, retell, spans};

const PATH: &str = "tmp/hash/chats/session-a.jsonl";
const HEADER: &str = r#"{"sessionId":"s","projectHash":"h"}"#;

fn session(bytes: &[u8]) -> Session {
    let session = Sources::single(journal(read(bytes, Detail::Full), PATH)).assemble();
    retell(&session, &[(PATH, bytes)]);
    assert_traced(&session, bytes, PATH);
    session
}

/// The records of each message, as text.
fn records<'a>(session: &Session, bytes: &'a [u8]) -> Vec<Vec<&'a str>> {
    let text = |bytes| std::str::from_utf8(bytes).expect("text");
    let told = |spans: &[Span]| {
        let found = spans.iter().filter_map(|span| span.of(bytes));
        found.map(text).collect()
    };
    spans(session).into_iter().map(told).collect()
}

fn log(lines: &[&str]) -> Vec<u8> {
    format!("{HEADER}\n{}\n", lines.join("\n")).into_bytes()
}

/// All files below a directory.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn recorded_messages_are_made_again_from_their_records() {
    let mut found = Vec::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded");
    files(&recorded, &mut found);
    found.retain(|path| path.components().any(|part| part.as_os_str() == "chats"));
    let (mut messages, mut traced) = (0, 0);
    for path in found {
        let bytes = fs::read(&path).expect("a file");
        let path = path.to_string_lossy();
        let log = read(&bytes, Detail::Full);
        let session = Sources::single(journal(log, &path)).assemble();
        traced += retell(&session, &[(&path, &bytes)]);
        assert_traced(&session, &bytes, &path);
        messages += session.messages.len();
    }
    assert!(messages > 1000, "{messages} messages");
    // No real client has ever written a message that cannot be traced.
    assert_eq!(traced, messages);
}

#[test]
fn all_records_of_an_id_count_in_their_order() {
    let calling = r#"{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"ls"}]}"#;
    let saying = r#"{"id":"1","type":"gemini","content":"Done.","model":"m"}"#;
    let other = r#"{"id":"2","type":"user","content":"hi"}"#;
    let bytes = log(&[calling, &format!(" \t{other}\r"), "", saying]);
    let session = session(&bytes);
    assert_eq!(
        records(&session, &bytes),
        [vec![calling, saying], vec![other]]
    );
}

#[test]
fn a_mark_and_white_space_before_the_first_line_are_counted() {
    let line = r#"{"id":"1","type":"user","content":"hi"}"#;
    let bytes = format!("\u{FEFF} \n\n{HEADER}\n{line}").into_bytes();
    assert_eq!(records(&session(&bytes), &bytes), [[line]]);
}

#[test]
fn elements_of_a_list_are_records() {
    let line = r#"{"id":"1","type":"user","content":"one"}"#;
    let again = r#"{"id":"1","type":"user","content":[{"text":"one"}]}"#;
    let new = r#"{ "id": "2", "type": "gemini", "content": "é" }"#;
    let set = format!(r#"{{"$set":{{"messages":[7, {again},{new}]}}}}"#);
    let header = format!(r#"{{"sessionId":"s","messages":[{new}]}}"#);
    let bytes = log(&[line, &set, &header]);
    assert_eq!(
        records(&session(&bytes), &bytes),
        [vec![line, again], vec![new, new]]
    );
}

#[test]
fn objects_of_a_whole_file_record_are_records() {
    let messages = serde_json::json!([
        {"id": "1", "type": "user", "content": "é"},
        {"type": "user", "content": "without an id"},
        {"id": "1", "type": "user", "content": "ü"},
    ]);
    let record = serde_json::json!({"sessionId": "s", "messages": messages, "summary": "x"});
    for bytes in [
        serde_json::to_vec_pretty(&record).expect("JSON"),
        serde_json::to_vec(&record).expect("JSON"),
    ] {
        let session = session(&bytes);
        let told = records(&session, &bytes);
        let parsed = |records: &[&str]| -> Vec<serde_json::Value> {
            let records = records.iter();
            let parsed = records.map(|record| serde_json::from_str(record).expect("a record"));
            parsed.collect()
        };
        let told: Vec<_> = told.iter().map(|records| parsed(records)).collect();
        // Each is a message, even if two have one id.
        let expected = [vec![messages[0].clone()], vec![], vec![messages[2].clone()]];
        assert_eq!(told, expected);
    }
}

#[test]
fn a_line_that_is_not_utf8_is_unknown_and_no_other() {
    let lines = [1, 2, 3].map(|n| format!(r#"{{"id":"{n}","type":"user","content":"?"}}"#));
    let mut bytes = log(&[&lines[0], &lines[1], &lines[2]]);
    let second = HEADER.len() + lines[0].len() + 2;
    let at = bytes[second..].iter().position(|b| *b == b'?');
    bytes[second + at.expect("a mark")] = 0xFF;
    let session = session(&bytes);
    assert_eq!(session.messages[1].text, "\u{FFFD}");
    assert_eq!(
        records(&session, &bytes),
        [vec![lines[0].as_str()], vec![], vec![lines[2].as_str()]]
    );
}

#[test]
fn objects_after_bytes_that_are_not_utf8_are_unknown() {
    let first = r#"{"id":"1","type":"user","content":"a"}"#;
    let mut bytes = format!("{{\n\"messages\":[{first},\n").into_bytes();
    bytes.extend(b"{\"id\":\"2\",\"content\":\"\xFF\xC3\"},\n{\"id\":\"3\",\"content\":\"b\"}]}");
    let session = session(&bytes);
    assert_eq!(session.messages.len(), 3);
    assert_eq!(records(&session, &bytes), [vec![first], vec![], vec![]]);
}

#[test]
fn what_is_found_in_a_damaged_line_is_unknown_for_good() {
    let line = r#"{"id":"1","timestamp":"2026-06-01T10:00:00Z","type":"user","content":"a"}"#;
    let bytes = log(&[&format!("{{\"id\":\"0{line}"), line]);
    let session = session(&bytes);
    assert_eq!(session.messages[0].text, "a");
    assert!(session.messages[0].trace.is_empty());
}

const ASKING: &str = r#"{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"ls"},{"id":"d","name":"ls"}]}"#;

fn answer(message: &str, call: &str, output: &str) -> String {
    let response =
        serde_json::json!({"id": call, "name": "ls", "response": {"output": output}}).to_string();
    format!(r#"{{"id":"{message}","type":"user","content":[{{"functionResponse":{response}}}]}}"#)
}

#[test]
fn answers_that_a_call_took_over_are_among_its_records() {
    let (first, second) = (answer("2", "c", "short"), answer("3", "d", "x"));
    let longer = answer("2", "c", "longer");
    let bytes = log(&[ASKING, &first, &second, &longer, &answer("4", "d", "x")]);
    let session = session(&bytes);
    assert_eq!(
        session.messages[0].tool_calls[0].output.as_deref(),
        Some("longer")
    );
    // The last one says nothing that the call does not already have.
    assert_eq!(
        records(&session, &bytes),
        [vec![ASKING, first.as_str(), &longer, &second]]
    );
}

#[test]
fn answers_that_more_than_an_id_tells_make_a_trace_unknown() {
    let nameless = ASKING.replace(r#""id":"d","#, "");
    let (answer, other) = (answer("2", "c", "a.txt"), answer("4", "d", "b.txt"));
    let asks_too = answer.replace("[{", r#"[{"functionCall":{"id":"e","name":"ls"}},{"#);
    let to_itself = asks_too.replace(r#""id":"2""#, r#""id":"1""#);
    let again = ASKING.replace(r#""id":"1""#, r#""id":"3""#);
    for lines in [
        [nameless.as_str(), &answer, &other],
        [ASKING, &asks_too, &other],
        [ASKING, &to_itself, &other],
        [ASKING, &again, &answer],
    ] {
        let bytes = log(&lines);
        let session = session(&bytes);
        assert!(session.messages[0].trace.is_empty(), "{lines:?}");
    }
}

#[test]
fn answers_in_another_journal_make_a_trace_unknown() {
    let (asking, answering) = (log(&[ASKING]), log(&[&answer("2", "c", "a.txt")]));
    let journals = vec![
        journal(read(&asking, Detail::Full), "a.jsonl"),
        journal(read(&answering, Detail::Full), "b.jsonl"),
    ];
    let session = Sources {
        journals,
        ..Sources::default()
    }
    .assemble();
    let message = &session.messages[0];
    assert_eq!(message.tool_calls[0].output.as_deref(), Some("a.txt"));
    assert!(message.trace.is_empty());
}

#[test]
fn a_message_without_a_call_that_its_record_has_is_unknown() {
    let owner = r#"{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"ls","status":"success"}]}"#;
    let repeating = r#"{"id":"2","type":"gemini","content":[{"text":"a"},{"functionCall":{"id":"c","name":"ls"}}]}"#;
    let bytes = log(&[owner, repeating]);
    let session = session(&bytes);
    assert!(session.messages[1].tool_calls.is_empty());
    assert_eq!(records(&session, &bytes), [vec![owner], vec![]]);
}

#[test]
fn a_message_of_two_journals_is_unknown_and_its_neighbours_are_not() {
    let line = |id: &str| format!(r#"{{"id":"{id}","type":"user","content":"{id}"}}"#);
    let (one, other) = (
        log(&[&line("1"), &line("2")]),
        log(&[&line("2"), &line("3")]),
    );
    let paths = ["a.jsonl", "b.jsonl"];
    let journals = |earlier: bool| {
        let mut first = journal(read(&one, Detail::Full), paths[usize::from(earlier)]);
        first.earlier = earlier;
        vec![first, journal(read(&other, Detail::Full), paths[1])]
    };
    let known = |earlier: bool| -> Vec<bool> {
        let session = Sources {
            journals: journals(earlier),
            ..Sources::default()
        }
        .assemble();
        retell(&session, &[(paths[0], &one), (paths[1], &other)]);
        let traces = session.messages.iter().map(|message| &message.trace);
        traces.map(|trace| !trace.is_empty()).collect()
    };
    assert_eq!(known(false), [true, false, true]);
    // What only an earlier version of the file had is no longer in it.
    assert_eq!(known(true), [false, false, true]);
}

#[test]
fn a_copy_leaves_the_trace_of_its_original() {
    let original = r#"{"id":"1","type":"user","content":"hello"}"#;
    let set = r#"{"$set":{"messages":[{"id":"2","type":"user","content":[{"text":"hello"}]}]}}"#;
    let bytes = log(&[original, set]);
    let session = session(&bytes);
    assert_eq!(session.messages[0].copies.len(), 1);
    assert_eq!(records(&session, &bytes), [[original]]);
}

#[test]
fn what_is_no_message_gives_none() {
    assert_eq!(read_message(&[] as &[&str]), None);
    let message = r#" {"id":"1","type":"user","content":"a"} "#;
    let read = read_message(&[message]).expect("a message");
    assert_eq!((read.text.as_str(), read.journal), ("a", None));
    for bad in [
        "",
        "7",
        r#"{"type":"user","content":"a"}"#,
        r#"{"id":"1","#,
        r#"{"id":"1"} {"id":"1"}"#,
    ] {
        assert_eq!(read_message(&[bad]), None, "{bad}");
        assert_eq!(read_message(&[message, bad]), None, "{bad}");
    }
    assert_eq!(read_message(&[b"{\"id\":\"\xFF\"}"]), None);
}
