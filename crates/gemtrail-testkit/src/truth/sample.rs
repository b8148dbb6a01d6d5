//! A small valid session, written by hand: its journal, its document, and what happened in it.

use serde_json::{Value, json};

const TOKENS: [u64; 2] = [1010, 1108];

fn tokens(input: u64, output: u64) -> Value {
    json!({"input": input, "output": output, "cached": 0, "thoughts": 0, "tool": 0,
           "total": input + output})
}

/// What was typed and served.
pub(crate) fn expected() -> Value {
    json!({"project": "/srv/demo/notes", "turns": [{
        "prompt": "Read it.",
        "model_turns": [
            {"model": "gemini-x", "thoughts": ["**Reading**\nThe file."], "text": "",
             "tool_calls": [{"name": "read_file", "args": {"file_path": "notes.txt"}}],
             "usage": {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": TOKENS[0]}},
            {"model": "gemini-x", "thoughts": [], "text": "Two notes.\n", "tool_calls": [],
             "usage": {"promptTokenCount": 1100, "candidatesTokenCount": 8, "totalTokenCount": TOKENS[1]}}],
        "tool_responses_sent_back": [{"name": "read_file", "response": {"output": "first note\n"}}],
        "faults": []}]})
}

/// The document that says so.
pub(crate) fn document() -> Value {
    let hash = super::project::hash_of("/srv/demo/notes");
    json!({
        "schema": "gemtrail.session/1", "id": "11111111-aaaa", "stems": ["session-2026-01-01T00-00-11111111"],
        "project": {"dir": "notes", "hash": hash, "path": "/srv/demo/notes", "path_source": "marker"},
        "origin": {"home": "/h", "host": null, "user": null}, "kind": "main", "parent": null,
        "title": "Read it.", "summary": null, "started": "2026-01-01T00:00:00.000Z",
        "updated": "2026-01-01T00:00:02.000Z", "models": ["gemini-x"],
        "counts": {"messages": 3, "human": 1, "assistant": 2, "tool_calls": 1, "tool_errors": 0, "tool_failures": 0, "superseded": 0},
        "tokens": tokens(2100, 18),
        "journals": [{"path": "/h/x.jsonl", "format": "jsonl", "bytes": 1, "sha256": "00"}],
        "messages": messages(),
        "logged": [{"time": null, "text": "/stats"}], "subagents": [], "diagnostics": []})
}

fn messages() -> Value {
    json!([
        {"id": "u1", "role": "human", "state": "current", "text": "Read it.", "content": [{"text": "Read it."}]},
        {"id": "g1", "role": "assistant", "state": "current", "text": "", "model": "gemini-x",
         "thoughts": [{"subject": "Reading", "text": "The file.", "time": null}],
         "tool_calls": [{"id": "c1", "name": "read_file", "args": {"file_path": "notes.txt"}, "status": "success",
            "error": null, "output": "first note\n", "result": [{"functionResponse": {"id": "c1",
            "name": "read_file", "response": {"output": "first note\n"}}}]}],
         "tokens": tokens(1000, 10), "content": ""},
        {"id": "g2", "role": "assistant", "state": "current", "text": "Two notes.", "model": "gemini-x",
         "tokens": tokens(1100, 8), "content": "Two notes."}])
}

/// Its row in a list.
pub(crate) fn row() -> Value {
    let mut row = document();
    if let Some(fields) = row.as_object_mut() {
        for left_out in ["messages", "logged", "subagents", "diagnostics"] {
            fields.remove(left_out);
        }
        fields.insert("first_prompt".into(), "Read it.".into());
        fields.insert("last_prompt".into(), "Read it.".into());
        fields.insert("on_disk".into(), true.into());
        fields.insert("archived".into(), false.into());
        fields.insert("tokens_with_subagents".into(), tokens(2100, 18));
    }
    row
}

/// The journal it could have been read from, torn last line included.
pub(crate) fn journal() -> String {
    let answer = json!([{"functionResponse": {"id": "c1", "name": "read_file",
        "response": {"output": "first note\n"}}}]);
    let lines = [
        json!({"sessionId": "11111111-aaaa", "projectHash": "00"}),
        json!({"id": "u1", "type": "user", "content": [{"text": "Read it."}]}),
        json!({"id": "g1", "type": "gemini", "content": "", "tokens": tokens(1000, 10),
            "thoughts": [{"subject": "Reading", "description": "The file."}],
            "toolCalls": [{"id": "c1", "name": "read_file", "args": {"file_path": "notes.txt"},
                "result": answer, "status": "success", "timestamp": "2026-01-01T00:00:01.000Z"}]}),
        json!({"id": "r1", "type": "user", "content": answer}),
        json!({"id": "g2", "type": "gemini", "content": "Two notes.", "tokens": tokens(1100, 8)}),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    format!("{}\n{{\"id\":\"torn", lines.join("\n"))
}
