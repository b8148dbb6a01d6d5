//! Sessions with an odd value in one field: every value that a program may stumble over, in every
//! field that Gemini CLI writes.

use serde_json::{Value, json};

/// Stands for the odd value until the file is text. Many odd values are no `Value`.
const PLACEHOLDER: &str = "@odd@";

/// Values, as JSON texts, that are hardly ever what is expected.
pub fn values() -> Vec<String> {
    let deep = |open: &str, close: &str| open.repeat(100) + close.repeat(100).as_str();
    let mut values: Vec<String> = [
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "-0.0",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "1e18",
        "1e30",
        "1e400",
        "-1e400",
        "\"\"",
        "\" \"",
        "\"@plain\"",
        "\"18446744073709551615\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\u202e\\u001b[31m\\r\\n\"",
        "\"../../../etc\"",
        "\"9999-12-31T23:59:59.999999999Z\"",
        "\"-009999-01-01T00:00:00Z\"",
        "\"+999999-12-31T23:59:59Z\"",
        "\"1969-12-31T23:59:60.000+23:59\"",
        "[]",
        "{}",
        "[null]",
        "[[],{},0,\"\"]",
        "{\"\":null}",
        "{\"text\":1e400}",
    ]
    .map(str::to_owned)
    .to_vec();
    values.push(deep("[", "]"));
    values.push(deep("{\"a\":", "}").replace(":}", ":0}"));
    values.push(format!("\"{}\"", "long ".repeat(2000)));
    values
}

/// The records of a session in which every field is there.
pub fn records(id: &str) -> Vec<Value> {
    let mut told = crate::made::message("g1", "answer");
    told["thoughts"] = json!([{"subject": "s", "description": "d",
        "timestamp": "2026-06-01T10:00:03.000Z"}]);
    told["toolCalls"] = json!([{"id": "c1", "name": "run_shell_command", "args": {"command": "ls"},
        "status": "success", "timestamp": "2026-06-01T10:00:05.000Z", "displayName": "Shell",
        "description": "lists", "renderOutputAsMarkdown": true, "resultDisplay": "a.txt",
        "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command",
            "response": {"output": "Output: a.txt\nExit Code: 0"}}}]}]);
    let mut asked = crate::made::message("u1", "prompt");
    asked["content"] = json!([{"text": "prompt"}]);
    asked["displayContent"] = json!([{"text": "prompt"}]);
    vec![
        json!({"sessionId": id, "projectHash": "shop", "startTime": "2026-06-01T10:00:00.000Z",
            "lastUpdated": "2026-06-01T10:59:00.000Z", "kind": "main", "summary": "a session",
            "directories": ["/w/shop"]}),
        asked,
        told,
        json!({"$set": {"lastUpdated": "2026-06-01T10:59:30.000Z", "summary": "a session"}}),
        crate::made::message("u2", "taken back"),
        json!({"$rewindTo": "u2"}),
    ]
}

/// The places of all values in these records, as JSON pointers.
pub fn places(records: &[Value]) -> Vec<String> {
    let mut places = Vec::new();
    for (at, record) in records.iter().enumerate() {
        collect(record, &format!("/{at}"), &mut places);
    }
    places
}

fn collect(value: &Value, place: &str, places: &mut Vec<String>) {
    places.push(place.to_owned());
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, it)| (name.clone(), it))
            .collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(at, it)| (at.to_string(), it)).collect()
        }
        _ => Vec::new(),
    };
    for (name, it) in inner {
        collect(it, &format!("{place}/{name}"), places);
    }
}

/// These records with a value, given as JSON text, at that place: as a log of lines.
pub fn as_lines(records: &[Value], place: &str, value: &str) -> String {
    let records = Value::Array(with_placeholder(records, place));
    let lines = records.as_array().into_iter().flatten();
    let text: String = lines.map(|line| line.to_string() + "\n").collect();
    fill(&text, value)
}

/// The same in the old format, a file that is rewritten as a whole.
pub fn as_whole(records: &[Value], place: &str, value: &str) -> String {
    let mut records = with_placeholder(records, place).into_iter();
    let mut file = records.next().unwrap_or_default();
    if file.is_object() {
        file["messages"] = records.collect();
    }
    fill(&file.to_string(), value)
}

fn with_placeholder(records: &[Value], place: &str) -> Vec<Value> {
    let mut all = Value::from(records);
    if let Some(value) = all.pointer_mut(place) {
        *value = PLACEHOLDER.into();
    }
    all.as_array().cloned().unwrap_or_default()
}

fn fill(text: &str, value: &str) -> String {
    text.replace(&format!("\"{PLACEHOLDER}\""), value)
}
