//! What the list says of each session.

use serde_json::{Value, json};

use crate::support::Person;

const FILE: &str = ".gemini/tmp/app/chats/session-2026-06-01T10-00-2f1e0a52.json";

fn write(person: &Person, change: impl FnOnce(&mut Value)) {
    let said = |id: &str, minute: u32, kind: &str, content: Value| json!({"id": id, "timestamp": format!("2026-06-01T10:{minute:02}:00.000Z"), "type": kind, "content": content});
    let mut record = json!({
        "sessionId": "2f1e0a52-0000-4000-8000-000000000001", "projectHash": "76a2",
        "startTime": "2026-06-01T10:00:00.000Z", "lastUpdated": "2026-06-01T10:30:00.000Z",
        "summary": "Three questions", "messages": [
            said("0", 0, "user", json!([{"text": "<session_context>\nToday\n</session_context>"}])),
            said("1", 1, "user", json!([{"text": "the first"}])),
            said("2", 2, "gemini", json!("an answer")),
            said("3", 3, "user", json!("the second")),
            said("4", 4, "user", json!([{"text": "the last "}, {"inlineData": {"mimeType": "image/png", "data": ""}}, {"text": "one"}])),
            said("5", 5, "user", json!([{"functionResponse": {"id": "c", "name": "x", "response": {}}}])),
            said("6", 6, "info", json!("bye")),
        ],
    });
    change(&mut record);
    person.write(FILE, &record.to_string());
}

fn row(person: &Person) -> Value {
    serde_json::from_str(person.run(&["list", "--json"]).out.trim()).expect("one row")
}

#[test]
fn s001_14_id_times_and_summary() {
    let person = Person::new();
    write(&person, |_| {});
    let row = row(&person);
    assert_eq!(row["id"], "2f1e0a52-0000-4000-8000-000000000001");
    assert_eq!(row["started"], "2026-06-01T10:00:00.000Z");
    assert_eq!(row["updated"], "2026-06-01T10:30:00.000Z");
    assert_eq!(row["summary"], "Three questions");
}

#[test]
fn s001_15_the_first_and_the_last_prompt() {
    let person = Person::new();
    write(&person, |_| {});
    let row = row(&person);
    assert_eq!(row["first_prompt"], "the first");
    assert_eq!(row["last_prompt"], "the last one");
}

#[test]
fn s001_16_c_16_the_time_of_the_update_is_not_that_of_the_file() {
    let person = Person::new();
    // The file itself is from today.
    write(&person, |_| {});
    assert_eq!(row(&person)["updated"], "2026-06-01T10:30:00.000Z");
    let listed = |filter: &str| person.run(&["list", "--since", filter]).code;
    assert_eq!(listed("2026-06-01"), Some(0));
    assert_eq!(listed("2026-06-02"), Some(1), "filters go by it, too");
    write(&person, |record| {
        record
            .as_object_mut()
            .expect("an object")
            .remove("lastUpdated");
    });
    assert_eq!(
        row(&person)["updated"],
        "2026-06-01T10:06:00.000Z",
        "the last message"
    );
}

#[test]
fn s002_13_c_17_files_of_one_id_are_one_session_in_the_order_of_their_start() {
    let person = Person::new();
    let part = |name: &str, start: &str, text: &str| {
        let record = json!({
            "sessionId": "2f1e0a52-0000-4000-8000-000000000001", "projectHash": "76a2", "startTime": start,
            "messages": [{"id": text, "timestamp": start, "type": "user", "content": text}],
        });
        person.write(
            &format!(".gemini/tmp/app/chats/{name}"),
            &record.to_string(),
        );
    };
    part(
        "session-2026-06-01T11-00-2f1e0a52.json",
        "2026-06-01T11:00:00.000Z",
        "after",
    );
    part(
        "session-2026-06-01T10-00-2f1e0a52.json",
        "2026-06-01T10:00:00.000Z",
        "before",
    );
    let session: Value =
        serde_json::from_str(&person.run(&["show", "latest", "--json"]).out).expect("JSON");
    let texts: Vec<&str> = session["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|message| message["text"].as_str().expect("text"))
        .collect();
    assert_eq!(texts, ["before", "after"]);
    assert_eq!(session["stems"].as_array().map(Vec::len), Some(2));
}
