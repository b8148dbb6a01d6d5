//! Reads journals as naively as possible: lines of JSON, or one JSON file.
//!
//! No order, no replay, no rules about what supersedes what: only the values that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::document::{Counters, items, strings, text};
use crate::fixtures::children;

/// Everything that the journals and prompt logs of a home hold.
#[derive(Debug, Default)]
pub(super) struct OnDisk {
    /// By message id.
    pub(super) messages: BTreeMap<String, Recorded>,
    /// Strings that must be found in the documents, each with what it is.
    pub(super) strings: BTreeSet<(&'static str, String)>,
    /// What the prompt logs say was typed.
    pub(super) typed: Vec<String>,
}

/// What is recorded under one message id.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// Every set of counters ever written.
    pub(super) tokens: Vec<Counters>,
    /// Whether it holds anything besides tool answers.
    pub(super) says_something: bool,
}

/// Reads everything below the directory that holds the project directories.
pub(super) fn scan(tmp: &Path) -> OnDisk {
    let mut on_disk = OnDisk::default();
    for project in children(tmp) {
        scan_chats(&mut on_disk, &project.join("chats"));
        for log in records(&project.join("logs.json")) {
            for entry in items(&log) {
                on_disk.typed.push(text(&entry["message"]).to_owned());
            }
        }
    }
    on_disk
}

fn scan_chats(on_disk: &mut OnDisk, directory: &Path) {
    for path in children(directory) {
        if path.is_dir() {
            scan_chats(on_disk, &path);
        } else if is_journal(&path) {
            for record in records(&path) {
                take_record(on_disk, &record);
            }
        }
    }
}

fn is_journal(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    matches!(ending, Some("json" | "jsonl"))
}

/// The file as one value, or else its lines; what is not JSON is skipped.
fn records(path: &Path) -> Vec<Value> {
    let bytes = fs::read(path).unwrap_or_default();
    let content = String::from_utf8_lossy(&bytes);
    if let Ok(whole) = serde_json::from_str(&content) {
        return vec![whole];
    }
    let lines = content.lines();
    lines.filter_map(|l| serde_json::from_str(l).ok()).collect()
}

fn take_record(on_disk: &mut OnDisk, record: &Value) {
    for holder in [record, &record["$set"]] {
        for message in items(&holder["messages"]) {
            take_message(on_disk, message);
        }
        on_disk.demand("summary", &holder["summary"]);
    }
    if record["id"].is_string() {
        take_message(on_disk, record);
    }
}

fn take_message(on_disk: &mut OnDisk, message: &Value) {
    let recorded = on_disk.messages.entry(text(&message["id"]).to_owned());
    let recorded = recorded.or_default();
    if message["tokens"].is_object() {
        recorded.tokens.push(Counters::of(&message["tokens"]));
    }
    let parts = items(&message["content"]);
    let only_answers = !parts.is_empty() && parts.iter().all(|p| p["functionResponse"].is_object());
    recorded.says_something |= !only_answers;
    on_disk.demand("text", &message["content"]);
    on_disk.demand("typed text", &message["displayContent"]);
    for part in parts {
        take_part(on_disk, part);
    }
    for thought in items(&message["thoughts"]) {
        on_disk.demand("subject of a thought", &thought["subject"]);
        on_disk.demand("thought", &thought["description"]);
    }
    for call in items(&message["toolCalls"]) {
        take_call(on_disk, call);
    }
}

fn take_part(on_disk: &mut OnDisk, part: &Value) {
    on_disk.demand("text", part);
    // A thought among the parts is also in `thoughts`, in another form.
    if part["thought"] != true {
        on_disk.demand("text", &part["text"]);
    }
    on_disk.demand("id of a call", &part["functionCall"]["id"]);
    let response = &part["functionResponse"]["response"];
    on_disk.demand("answer of a tool", &response["output"]);
    on_disk.demand("answer of a tool", &response["error"]);
    on_disk.demand("attachment", &part["inlineData"]["data"]);
}

/// A call is kept whole: id, arguments, answer, what was shown.
fn take_call(on_disk: &mut OnDisk, call: &Value) {
    let mut found = Vec::new();
    if let Some(fields) = call.as_object() {
        // The time of a call changes when the call is rewritten.
        let kept = fields.iter().filter(|(name, _)| *name != "timestamp");
        for (_, value) in kept {
            strings(value, &mut found);
        }
    }
    for string in found {
        on_disk
            .strings
            .insert(("part of a call", string.to_owned()));
    }
}

impl OnDisk {
    fn demand(&mut self, what: &'static str, value: &Value) {
        if let Some(string) = value.as_str() {
            self.strings.insert((what, string.to_owned()));
        }
    }
}
