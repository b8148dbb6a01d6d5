//! Small session files and prompt logs, made for a test.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// A prompt or an answer, by the first letter of its id; answers cost ten tokens.
pub fn message(id: &str, text: &str) -> Value {
    let minute = id
        .bytes()
        .fold(0_u32, |sum, byte| sum * 7 + u32::from(byte))
        % 50
        + 1;
    let time = format!("2026-06-01T10:{minute:02}:00.000Z");
    if id.starts_with('u') {
        json!({"id": id, "timestamp": time, "type": "user", "content": text})
    } else {
        json!({"id": id, "timestamp": time, "type": "gemini", "model": "gemini-3-pro",
            "content": text, "tokens": {"input": 7, "output": 3, "cached": 0, "thoughts": 0,
            "tool": 0, "total": 10}})
    }
}

fn header(id: &str) -> Value {
    json!({"sessionId": id, "projectHash": "shop", "startTime": "2026-06-01T10:00:00.000Z",
        "lastUpdated": "2026-06-01T10:59:00.000Z"})
}

/// A session file in the old format, which was rewritten as a whole with each message.
pub fn whole(id: &str, messages: &[(&str, &str)]) -> String {
    let mut file = header(id);
    let messages = messages.iter().map(|(id, text)| message(id, text));
    file["messages"] = messages.collect();
    format!("{file:#}")
}

/// A session file to which messages are appended.
pub fn lines(id: &str, messages: &[(&str, &str)]) -> String {
    let messages = messages.iter().map(|(id, text)| message(id, text));
    let lines = std::iter::once(header(id)).chain(messages);
    lines.map(|line| line.to_string() + "\n").collect()
}

/// A prompt log: what was typed at that time, and in which session.
pub fn log(time: &str, entries: &[(&str, &str)]) -> String {
    let entry = |(at, (id, text)): (usize, &(&str, &str))| json!({"sessionId": id, "messageId": at, "type": "user", "message": text, "timestamp": time});
    let log: Value = entries.iter().enumerate().map(entry).collect();
    format!("{log:#}")
}

/// The path of a session file.
pub fn chat(name: &str) -> String {
    format!(".gemini/tmp/shop/chats/session-2026-06-01T10-00-{name}")
}

/// Ids, states and reasons of all messages of a session document.
pub fn said(session: &Value) -> Vec<(String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let messages = session["messages"].as_array().into_iter().flatten();
    messages
        .map(|it| {
            (
                word(&it["id"]),
                word(&it["state"]),
                word(&it["superseded_by"]),
            )
        })
        .collect()
}

/// The ids of these sessions, sorted.
pub fn ids(rows: &[Value]) -> Vec<String> {
    let ids = rows.iter().filter_map(|row| row["id"].as_str());
    let mut ids: Vec<String> = ids.map(str::to_owned).collect();
    ids.sort();
    ids
}

/// A document without these fields, at any depth.
pub fn without(mut value: Value, fields: &[&str]) -> Value {
    match &mut value {
        Value::Object(fields_of) => {
            for field in fields {
                fields_of.remove(*field);
            }
            for inner in fields_of.values_mut() {
                *inner = without(inner.take(), fields);
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without(item.take(), fields);
            }
        }
        _ => {}
    }
    value
}

/// Copies a directory, preserving the files' times.
pub fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to)?;
            continue;
        }
        fs::copy(entry.path(), &to)?;
        let modified = entry.metadata()?.modified()?;
        fs::File::options()
            .write(true)
            .open(&to)?
            .set_modified(modified)?;
    }
    Ok(())
}
