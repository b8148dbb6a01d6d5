//! Sessions to write, and helpers that write them.

use gemtrail_core::model::Session;
use gemtrail_export::present::{Options, ToolDetail};
use gemtrail_export::{html, markdown, plain};
use serde_json::{Value, json};

/// A long session with everything in it: edits, plans, colours, pictures, subagents, Japanese.
pub(crate) fn demo_document() -> Value {
    serde_json::from_str(include_str!("../fixtures/demo.json")).unwrap()
}

pub(crate) fn demo() -> Session {
    serde_json::from_value(demo_document()).unwrap()
}

/// A session of these messages; each is completed with what every message has.
pub(crate) fn session(messages: &[Value]) -> Session {
    let messages: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(index, message)| {
            let mut whole = json!({
                "id": format!("m{index}"), "time": format!("2026-11-15T10:{index:02}:00.000Z"),
                "role": "human", "type": "user", "state": "current", "text": "", "content": null,
            });
            let fields = message.as_object().unwrap().clone();
            whole.as_object_mut().unwrap().extend(fields);
            whole
        })
        .collect();
    let counters =
        json!({"input": 0, "output": 0, "cached": 0, "thoughts": 0, "tool": 0, "total": 0});
    let document = json!({
        "schema": "gemtrail.session/1", "id": "11111111-2222-4333-8444-555555555555", "stems": [],
        "project": {"dir": "shop", "hash": "ab".repeat(32), "path": null, "path_source": "none"},
        "origin": {"home": null, "host": null, "user": null}, "kind": "main", "parent": null,
        "title": "A test", "summary": null, "started": "2026-11-15T10:00:00.000Z",
        "updated": "2026-11-15T10:30:00.000Z", "models": [],
        "counts": {"messages": messages.len(), "human": 0, "assistant": 0, "tool_calls": 0,
            "tool_errors": 0, "superseded": 0},
        "tokens": counters, "journals": [], "messages": messages, "logged": [], "subagents": [],
        "diagnostics": [],
    });
    serde_json::from_value(document).unwrap()
}

/// A call of a tool; completed with what every call has.
pub(crate) fn call(mut fields: Value) -> Value {
    let mut whole = json!({
        "id": "c1", "name": "read_file", "canonical": "file_read", "category": "read",
        "server": null, "args": {}, "status": "success", "error": null, "output": null,
        "result": null, "display": null, "agent": null, "time": "2026-11-15T10:00:05.000Z",
    });
    let fields = std::mem::take(fields.as_object_mut().unwrap());
    whole.as_object_mut().unwrap().extend(fields);
    whole
}

pub(crate) fn md(session: &Session, options: &Options) -> String {
    let mut out = Vec::new();
    markdown::write(session, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub(crate) fn txt(session: &Session, options: &Options) -> String {
    let mut out = Vec::new();
    plain::write(session, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The page without its style and script.
pub(crate) fn page(session: &Session, options: &Options) -> String {
    let mut out = Vec::new();
    html::write(session, options, &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    let without = |page: &str, open: &str, close: &str| {
        let mut kept = String::new();
        let mut rest = page;
        while let Some((before, after)) = rest.split_once(open) {
            kept.push_str(before);
            rest = after.split_once(close).unwrap().1;
        }
        kept + rest
    };
    without(
        &without(&page, "<style>", "</style>"),
        "<script>",
        "</script>",
    )
}

/// All three formats.
pub(crate) fn all(session: &Session, options: &Options) -> [String; 3] {
    [
        md(session, options),
        txt(session, options),
        page(session, options),
    ]
}

pub(crate) fn brief() -> Options {
    Options {
        tools: ToolDetail::Brief,
        ..Options::default()
    }
}
