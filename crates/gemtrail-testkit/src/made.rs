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

/// The id of the session that [`needles`] writes.
pub const NEEDLE_ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
/// The id of its subagent.
pub const NEEDLE_AGENT: &str = "5e1e0a52-aaaa-4bbb-8ccc-0123456789ab";
/// The id of another session, which has no needles.
pub const NEEDLE_OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
/// When the prompts of both were logged.
pub const NEEDLE_LOGGED: &str = "2026-06-01T10:00:30.000Z";

/// Words with unique prefixes: in a prompt, an answer, a tool output, a subagent, the prompt log, and
/// an output in a file of its own.
pub const NEEDLES: [&str; 6] = [
    "vqjxneedle7731",
    "wqkzneedle7732",
    "xqjvneedle7733",
    "zqwkneedle7734",
    "jqxvneedle7735",
    "kqzwneedle7736",
];

/// Writes a session with a needle in everything that is its own, and another one.
pub fn needles(write: impl Fn(&str, &str)) {
    let (id, agent_id, other) = (NEEDLE_ID, NEEDLE_AGENT, NEEDLE_OTHER);
    let [prompt, answer, output, agent, logged, spilled] = NEEDLES;
    let mut call = message("g2", answer);
    call["toolCalls"] = json!([{"id": "c1", "name": "read_file", "args": {"file_path": "a.txt"},
        "status": "success", "timestamp": "2026-06-01T10:00:05.000Z", "result": [
            {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": output}}}]}]);
    let journal = lines(id, &[("u1", prompt), ("g1", "yes")]) + &call.to_string() + "\n";
    write(&chat("2f1e0a52.jsonl"), &journal);
    let file = format!(".gemini/tmp/shop/chats/{id}/{agent_id}.jsonl");
    write(&file, &lines(agent_id, &[("u1", agent), ("g1", "done")]));
    let file = format!(".gemini/tmp/shop/tool-outputs/session-{id}/read_file_1.txt");
    write(&file, spilled);
    let prompts = [(id, prompt), (id, logged), (other, "unsaid of the other")];
    write(".gemini/tmp/shop/logs.json", &log(NEEDLE_LOGGED, &prompts));
    let stays = whole(other, &[("u1", "stays"), ("g1", "as it is")]);
    write(&chat("3a1e0a52.json"), &stays);
}

/// What may be left of a log of lines that no longer names its session.
pub fn remains(log: &str) -> [String; 4] {
    let torn_header = log.chars().take(30).collect();
    let header_only = log.split_inclusive('\n').take(1).collect();
    [
        String::new(),
        "garbage\n".to_owned(),
        torn_header,
        header_only,
    ]
}
