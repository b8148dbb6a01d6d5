//! The journal, line by line.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{Kind, Role, Session, Thought, ThoughtSource};
use serde_json::{Value, json};

use super::write;
use crate::options::FormatOptions;
use crate::test_support::{
    answered, assistant, call, calling, human, json_lines, notice, raw, rewound, session, written,
};

fn journal(session: &Session) -> Vec<Value> {
    json_lines(&written(|out| {
        write(session, &FormatOptions::default(), out)
    }))
}

#[test]
fn the_header_has_the_five_keys() {
    let mut subagent = session([human("hi")]);
    subagent.kind = Kind::Subagent;
    assert_eq!(
        journal(&subagent)[0],
        json!({
            "sessionId": "2f1e0a52-0000-4000-8000-000000000001",
            "projectHash": "76a2",
            "startTime": "2026-06-01T10:00:00.000Z",
            "lastUpdated": "2026-06-01T10:00:00.000Z",
            "kind": "main",
        })
    );
}

#[test]
fn a_restored_journal_can_claim_to_be_fresh() {
    let options = FormatOptions {
        last_updated: Some("2027-01-01T00:00:00.000Z".to_owned()),
        ..FormatOptions::default()
    };
    let text = written(|out| write(&session([human("hi")]), &options, out));
    assert_eq!(
        json_lines(&text)[0]["lastUpdated"],
        "2027-01-01T00:00:00.000Z"
    );
}

#[test]
fn input_without_id_and_times_gets_an_id_that_stays() {
    let mut bare = session([human("hi")]);
    bare.id = "".into();
    bare.project.hash = None;
    bare.started = None;
    bare.updated = None;
    bare.messages[0].time = None;
    let header = &journal(&bare)[0];
    assert_eq!(header["sessionId"].as_str().map(str::len), Some(36));
    assert_eq!(header["projectHash"], "unknown");
    assert_eq!(header.get("startTime"), None);
    assert_eq!(header, &journal(&bare)[0]);
}

#[test]
fn a_prompt_does_not_begin_with_the_context_that_was_sent_with_it() {
    let context = "<session_context>\nToday\n</session_context>";
    let mut apart = human("hi");
    apart.content = Some(raw(
        &json!([{"text": context}, {"text": "hi"}, {"inlineData": {}}]).to_string(),
    ));
    let mut together = human("ho");
    together.content = Some(raw(&json!(format!("{context}\nho")).to_string()));
    let mut alone = human("");
    alone.role = Role::Context;
    alone.content = Some(raw(&json!([{"text": context}]).to_string()));
    let lines = journal(&session([alone, apart, together]));
    assert_eq!(lines[1]["content"], json!([{"text": context}]));
    assert_eq!(
        lines[2]["content"],
        json!([{"text": "hi"}, {"inlineData": {}}])
    );
    assert_eq!(lines[3]["content"], json!([{"text": "ho"}]));
}

#[test]
fn c_15_c_26_messages_have_the_fields_that_the_cli_writes() {
    let mut read = answered("read_file", r#"{"file_path":"a"}"#, "x");
    read.display = Some(raw(r#"{"summary":"s"}"#));
    read.agent = Some("agent".to_owned());
    read.markdown = Some(true);
    read.description = Some("Reads a file".to_owned());
    read.extra.set("later", raw("1.0"));
    let mut answer = calling(assistant("Looking."), [read]);
    answer.thoughts.push(Thought {
        subject: "S".to_owned(),
        text: "D".to_owned(),
        time: Some("2026-06-01T10:00:09.000Z".to_owned()),
        source: ThoughtSource::Thoughts,
        extra: Fields::default(),
    });
    answer.extra.set("newer", raw("[]"));
    let lines = journal(&session([human("hi"), answer]));
    assert_eq!(
        lines[1],
        json!({"id": "m1", "timestamp": "2026-06-01T10:00:00.000Z", "type": "user", "content": [{"text": "hi"}]})
    );
    assert_eq!(
        lines[2],
        json!({
            "id": "m2", "timestamp": "2026-06-01T10:00:10.000Z", "type": "gemini", "content": "Looking.",
            "thoughts": [{"subject": "S", "description": "D", "timestamp": "2026-06-01T10:00:09.000Z"}],
            "tokens": {"input": 7, "output": 3, "cached": 1, "thoughts": 2, "tool": 0, "total": 12},
            "model": "gemini-3-pro-preview",
            "toolCalls": [{
                "id": "read_file__1", "name": "read_file", "args": {"file_path": "a"},
                "result": [{"functionResponse": {"id": "read_file__1", "name": "read_file", "response": {"output": "x"}}}],
                "status": "success", "timestamp": "2026-06-01T10:00:10.500Z", "agentId": "agent",
                "resultDisplay": {"summary": "s"}, "description": "Reads a file", "renderOutputAsMarkdown": true, "later": 1.0,
            }],
            "newer": [],
        })
    );
}

#[test]
fn answers_to_other_calls_of_the_turn_are_left_to_those() {
    let mut glob = answered("glob", "{}", "x");
    glob.result = Some(raw(
        r#"[{"functionResponse":{"id":"other"}},{"functionResponse":{"id":"glob__1"}}]"#,
    ));
    let mut text = answered("web_fetch", "{}", "x");
    text.result = Some(Raw::string("plain"));
    let lines = journal(&session([calling(
        assistant(""),
        [glob, text, call("ask_user", "{}")],
    )]));
    let calls = &lines[1]["toolCalls"];
    assert_eq!(
        calls[0]["result"],
        json!([{"functionResponse": {"id": "glob__1"}}])
    );
    assert_eq!(calls[1]["result"], "plain");
    assert_eq!(calls[2].get("result"), None);
}

#[test]
fn only_current_messages_are_written() {
    let session = session([human("a"), rewound(human("b")), notice(Role::Info, "c")]);
    let types: Vec<_> = journal(&session)[1..]
        .iter()
        .map(|line| (line["id"].clone(), line["type"].clone()))
        .collect();
    assert_eq!(
        types,
        [("m1".into(), "user".into()), ("m3".into(), "info".into())]
    );
}

#[test]
fn summary_directories_and_unknown_facts_are_kept() {
    let mut session = session([human("a")]);
    assert_eq!(journal(&session).len(), 2);
    session.summary = Some("A summary".to_owned());
    session.directories = vec!["/srv/other".to_owned()];
    session
        .extra
        .set("memoryScratchpad", raw(r#"{"version":1}"#));
    assert_eq!(
        journal(&session)[1],
        json!({"$set": {
            "summary": "A summary",
            "directories": ["/srv/other"],
            "memoryScratchpad": {"version": 1},
        }})
    );
}

#[test]
fn words_without_recorded_content_get_the_form_of_their_type() {
    let mut asked = human("hi");
    asked.content = None;
    let mut said = assistant("hello");
    said.content = None;
    let lines = journal(&session([asked, said]));
    assert_eq!(lines[1]["content"], json!([{"text": "hi"}]));
    assert_eq!(lines[2]["content"], "hello");
}
