//! Sessions as vCons.

use gemtrail_attest::vac::{RecordOptions, record};
use gemtrail_attest::validate::validate_vcon;
use gemtrail_attest::value::{Layout, Value};
use gemtrail_attest::vcon::{Redaction, VconOptions, vcon};
use gemtrail_attest::{Payload, SignOptions, sign, verify};
use gemtrail_core::model::{CallStatus, Kind, PathSource, Session, SessionId};
use gemtrail_core::view::Selection;

use crate::common::{example_recorder, record_v3, rich_session, session, session_of, tree, worked};

const JOURNAL: &str = include_str!("data/vcon/session-2026-10-05T14-02-c0ffee12.jsonl");
const EXAMPLE: &str = include_str!("data/vcon/session-2026-10-05T14-02-c0ffee12.vcon.json");

fn options() -> VconOptions {
    VconOptions {
        record: RecordOptions {
            recorder: example_recorder(),
            ..RecordOptions::default()
        },
        redaction: None,
    }
}

/// The vCon of a session, which has to be valid.
fn made(session: &Session, options: &VconOptions) -> Value {
    let value = vcon(session, options).value;
    assert_eq!(validate_vcon(&value), []);
    value
}

fn vcon_of(session: &Session) -> Value {
    made(session, &options())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .unwrap_or_default()
}

/// A value as JSON, for comparisons.
fn json(value: Option<&Value>) -> String {
    value.map_or_else(String::new, |value| value.to_json(Layout::Compact))
}

/// The bodies of all changes of files.
fn changes(vcon: &Value) -> Vec<&Value> {
    let is_change = |it: &&Value| json(it.get("purpose")) == "\"agent_file_change\"";
    let attachments = list(vcon, "attachments").iter().filter(is_change);
    attachments.filter_map(|it| it.get("body")).collect()
}

/// A session of the example's project.
fn example() -> Session {
    let mut session = session(JOURNAL);
    session.project.path = Some("/home/dana/widget".to_owned());
    session.project.path_source = PathSource::Hash;
    session
}

/// A session with one call of a tool.
fn with_call(call: &str) -> Session {
    session_of(&format!(
        r#"{{"id":"q","type":"user","content":"Go on","timestamp":"2026-01-01T00:00:01Z"}},
        {{"id":"a","type":"gemini","content":"Done","timestamp":"2026-01-01T00:00:02Z","toolCalls":[{call}]}}"#
    ))
}

#[test]
fn the_example_exactly() {
    let expected = EXAMPLE.trim_end();
    assert_eq!(vcon_of(&example()).to_json(Layout::Pretty), expected);
}

#[test]
fn the_record_is_inside_as_it_is_alone() {
    for session in [worked::session(), rich_session(), example()] {
        let vcon = vcon_of(&session);
        let traces = list(&vcon, "analysis");
        assert_eq!(traces.len(), 1);
        let record = record_v3(&session);
        assert_eq!(json(traces[0].get("body")), record.to_json(Layout::Compact));
    }
}

#[test]
fn a_signature_of_the_record_holds_for_the_vcon() {
    let key = worked::test_key();
    let session = example();
    let record = record(&session, &options().record)
        .value
        .to_json(Layout::Pretty);
    let payload = Payload::read(record.as_bytes()).unwrap();
    let envelope = sign(&key, &payload, &SignOptions::default()).unwrap();
    let vcon = vcon_of(&session).to_json(Layout::Pretty);
    let verdict = |vcon: &str| verify(&key.verifying_key(), &envelope, Some(vcon.as_bytes()));
    assert!(verdict(&vcon).is_valid());
    assert!(!verdict(&vcon.replace("Math.ceil is enough.", "It is.")).is_valid());
}

#[test]
fn times_that_are_none_are_left_out() {
    let session = session(
        r#"{"sessionId":"s","startTime":"soon","messages":[
            {"id":"a","type":"user","content":"One","timestamp":"2026-01-01T00:00:05.000Z"},
            {"id":"b","type":"gemini","content":"Two","timestamp":"later"},
            {"type":"gemini","content":"Three"}]}"#,
    );
    let vcon = vcon_of(&session);
    assert_eq!(json(vcon.get("created_at")), "\"2026-01-01T00:00:05Z\"");
    let dialog = list(&vcon, "dialog");
    assert_eq!(json(dialog[0].get("start")), "\"2026-01-01T00:00:05Z\"");
    assert_eq!(dialog[1].get("start"), None);
    assert_eq!(dialog[2].get("message_id"), None, "it has no id of its own");
}

#[test]
fn without_words_there_is_a_record_and_nothing_to_attach_to() {
    let session = session_of(
        r#"{"id":"a","type":"gemini","content":"","toolCalls":[{"id":"c","name":"write_file","status":"success","args":{"file_path":"a","content":"b"}}]}"#,
    );
    let vcon = vcon_of(&session);
    assert_eq!(json(vcon.get("dialog")), "[]");
    assert_eq!(vcon.get("attachments"), None);
    assert_eq!(json(list(&vcon, "analysis")[0].get("dialog")), "[]");
    let nothing = vcon_of(&Session::default());
    assert_eq!(json(nothing.get("created_at")), "\"1970-01-01T00:00:00Z\"");
    assert!(json(nothing.get("uuid")).starts_with("\"00000000-0000-8"));
}

#[test]
fn the_uuid_tells_what_is_shown() {
    let mut session = example();
    let uuid = |session: &Session, selection, redaction| {
        let mut options = VconOptions {
            redaction,
            ..options()
        };
        options.record.selection = selection;
        json(made(session, &options).get("uuid"))
    };
    let redaction = Redaction {
        kind: "secrets",
        has_changed: |_| false,
    };
    let plain = uuid(&session, Selection::Conversation, None);
    let all = [
        plain.clone(),
        uuid(&session, Selection::All, None),
        uuid(&session, Selection::Current, None),
        uuid(&session, Selection::Conversation, Some(redaction)),
    ];
    for (at, one) in all.iter().enumerate() {
        assert!(!all[..at].contains(one), "{one}");
        assert!(one.starts_with("\"01a10c5f-3ad0-8"), "{one}");
    }
    session.messages.pop();
    session.updated = None;
    assert_eq!(uuid(&session, Selection::Conversation, None), plain);
}

#[test]
fn a_redacted_vcon_names_the_other_one_and_keeps_no_telling_digest() {
    let session = example();
    let with = |has_changed: fn(&str) -> bool| {
        let redaction = Some(Redaction {
            kind: "secrets",
            has_changed,
        });
        made(
            &session,
            &VconOptions {
                redaction,
                ..options()
            },
        )
    };
    let plain = vcon_of(&session);
    let redacted = with(|_| false);
    let expected = format!(r#"{{"uuid":{},"type":"secrets"}}"#, json(plain.get("uuid")));
    assert_eq!(json(redacted.get("redacted")), expected);
    assert!(changes(&redacted)[0].get("content_hash").is_some());
    for has_changed in [
        (|text| text.contains("Math.round")) as fn(&str) -> bool,
        |text| text.contains("Math.ceil"),
    ] {
        let vcon = with(has_changed);
        assert_eq!(changes(&vcon)[0].get("content_hash"), None);
    }
}

/// A call, and the operation and lines of the change.
const CHANGES: [(&str, &str, &str); 12] = [
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"isNewFile":true,"originalContent":"x"}"#,
        "add",
        "",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":"","newContent":"1\n2\n"}"#,
        "add",
        "[1,2]",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":null,"newContent":"1"}"#,
        "add",
        "",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"isNewFile":false}"#,
        "edit",
        "",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":"1\n2\n3\n","newContent":"1\nx\ny\n3\n"}"#,
        "edit",
        "[2,3]",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":"1\n2\n3\n","newContent":"1\n3\n"}"#,
        "edit",
        "",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":"1\n1\n","newContent":"1\n1\n1\n"}"#,
        "edit",
        "[3,3]",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":"1","newContent":"1\n"}"#,
        "edit",
        "[1,1]",
    ),
    (
        r#""args":{"file_path":"a"},"resultDisplay":{"originalContent":"1\n","newContent":"1\n"}"#,
        "edit",
        "",
    ),
    (
        r#""args":{"file_path":"a","content":"1\n"},"resultDisplay":"written""#,
        "write",
        "",
    ),
    (
        r#""args":{"file_path":"a","content":"1\n"},"resultDisplay":{"originalContent":"2\n"}"#,
        "edit",
        "[1,1]",
    ),
    (r#""args":{"file_path":"a"}"#, "write", ""),
];

#[test]
fn changes_say_what_was_done_where() {
    for (call, operation, lines) in CHANGES {
        let call = format!(r#"{{"id":"c","name":"write_file","status":"success",{call}}}"#);
        let vcon = vcon_of(&with_call(&call));
        let [change] = changes(&vcon)[..] else {
            panic!("one change: {call}");
        };
        assert_eq!(
            json(change.get("operation")),
            format!("{operation:?}"),
            "{call}"
        );
        assert_eq!(json(change.get("line_range")), lines, "{call}");
    }
    let edit =
        r#"{"id":"c","name":"replace","status":"success","args":{"file_path":"a","content":"no"}}"#;
    let vcon = vcon_of(&with_call(edit));
    assert_eq!(json(changes(&vcon)[0].get("operation")), "\"edit\"");
    assert_eq!(changes(&vcon)[0].get("content_hash"), None);
}

#[test]
fn only_what_was_done_is_a_change() {
    for call in [
        r#"{"id":"c","name":"write_file","status":"error","args":{"file_path":"a"}}"#,
        r#"{"id":"c","name":"write_file","args":{"file_path":"a"}}"#,
        r#"{"id":"c","name":"read_file","status":"success","args":{"file_path":"a"}}"#,
        r#"{"id":"c","name":"write_file","status":"success","args":{"file_path":""}}"#,
        r#"{"id":"c","name":"write_file","status":"success","args":"a"}"#,
        r#"{"id":"c","name":"write_file","status":"success"}"#,
    ] {
        assert!(changes(&vcon_of(&with_call(call))).is_empty(), "{call}");
    }
}

#[test]
fn paths_are_relative_to_the_project_and_authors_are_told() {
    let call = |path: &str| {
        format!(
            r#"{{"name":"write_file","status":"success","args":{{"file_path":{path:?},"modified_by_user":true}}}}"#
        )
    };
    for (path, shown) in [
        ("/home/dana/widget/src/a.c", "src/a.c"),
        ("/etc/hosts", "/etc/hosts"),
        ("/home/dana/widget/../x", "/home/dana/widget/../x"),
        ("src/a.c", "src/a.c"),
    ] {
        let mut session = with_call(&call(path));
        session.project.path = Some("/home/dana/widget".to_owned());
        let vcon = vcon_of(&session);
        let change = changes(&vcon)[0];
        assert_eq!(json(change.get("path")), format!("{shown:?}"));
        assert_eq!(json(change.get("contributor")), "\"mixed\"");
        assert_eq!(change.get("call_id"), None);
    }
}

/// The entries of the dialog that the changes of a session belong to.
fn places(messages: &str) -> Vec<String> {
    let vcon = vcon_of(&session_of(messages));
    let attachments = list(&vcon, "attachments").iter();
    attachments.map(|it| json(it.get("dialog"))).collect()
}

#[test]
fn a_change_belongs_to_what_was_said_with_it() {
    let prompt = r#"{"id":"p","type":"user","content":"Go"}"#;
    let answer = r#"{"id":"a","type":"gemini","content":"Done"}"#;
    let silent = r#"{"id":"s","type":"gemini","content":"","toolCalls":[{"id":"c","name":"write_file","status":"success","args":{"file_path":"a"}}]}"#;
    let spoken = silent
        .replace("\"\"", "\"Writing\"")
        .replace("\"s\"", "\"t\"");
    let again = prompt.replace("\"p\"", "\"p2\"");
    for (messages, place) in [
        (vec![prompt, &spoken, answer], "1"),
        (vec![prompt, silent, answer], "1"),
        (vec![prompt, silent, &again, answer], "0"),
        (vec![prompt, answer, silent], "1"),
        (vec![silent, prompt], "0"),
    ] {
        assert_eq!(places(&messages.join(",")), [place], "{messages:?}");
    }
}

/// A session whose second answer started a subagent, which started another one.
fn family() -> Session {
    let call = |agent: &str, name: &str| {
        format!(
            r#"{{"id":"c-{agent}","name":"invoke_agent","status":"success","args":{{{name}}},"agentId":"{agent}"}}"#
        )
    };
    let child = |id: &str, call: &str| {
        let mut child = session(&format!(
            r#"{{"sessionId":"{id}","startTime":"2026-01-01T00:00:03Z","kind":"subagent","messages":[
                {{"id":"x","type":"user","content":"Look into it"}},
                {{"id":"y","type":"gemini","content":"It is so","model":"gpt-x","toolCalls":[{call}]}}]}}"#
        ));
        child.kind = Kind::Subagent;
        child
    };
    let mut parent = session_of(&format!(
        r#"{{"id":"p","type":"user","content":"One","timestamp":"2026-01-01T00:00:01Z"}},
        {{"id":"a","type":"gemini","content":"Two","timestamp":"2026-01-01T00:00:02Z","toolCalls":[{}]}},
        {{"id":"b","type":"gemini","content":"Three","timestamp":"2026-01-01T00:00:09Z"}}"#,
        call("left", r#""agent_name":"investigator""#)
    ));
    let write = r#"{"id":"w","name":"write_file","status":"success","args":{"file_path":"a"}}"#;
    let mut left = child("left", &call("deep", ""));
    let mut deep = child("deep", write);
    deep.parent = Some(SessionId::new("left"));
    left.parent = Some(SessionId::new("s"));
    left.subagents.push(deep);
    parent.subagents = vec![left, child("right", "")];
    parent
}

#[test]
fn subagents_are_parties_with_records_of_their_own() {
    let family = family();
    assert_eq!(
        family.messages[1].tool_calls[0].status,
        Some(CallStatus::Success)
    );
    let vcon = vcon_of(&family);
    let names: Vec<_> = list(&vcon, "parties")
        .iter()
        .map(|party| json(party.get("name")))
        .collect();
    let expected = [
        "",
        "\"gemini-cli\"",
        "\"investigator\"",
        "\"subagent\"",
        "\"subagent\"",
    ];
    assert_eq!(names, expected);
    let details = |at: usize, name| {
        let party = &list(&vcon, "parties")[at];
        json(party.at(["meta", "agent_session", name]))
    };
    assert_eq!(details(2, "agent_id"), "\"left\"");
    assert_eq!(details(2, "provider"), "\"openai\"");
    assert_eq!(details(3, "parent_agent_id"), "\"left\"");
    assert_eq!(details(4, "parent_agent_id"), "");
    assert_eq!(details(1, "parent_agent_id"), "");

    let traces = list(&vcon, "analysis");
    let places: Vec<_> = traces.iter().map(|it| json(it.get("dialog"))).collect();
    assert_eq!(places, ["[0,1,2]", "[1]", "[1]", "[1]"]);
    for (trace, session) in traces[1..].iter().zip([
        &family.subagents[0],
        &family.subagents[0].subagents[0],
        &family.subagents[1],
    ]) {
        let record = record_v3(session).to_json(Layout::Compact);
        assert_eq!(json(trace.get("body")), record);
    }
    let change = list(&vcon, "attachments").last().unwrap();
    assert_eq!(json(change.get("party")), "3");
    assert_eq!(json(change.get("dialog")), "1");
}

#[test]
fn a_subagent_by_itself_answers_its_parent() {
    let mut family = family();
    let mut left = family.subagents.remove(0);
    for message in &mut left.messages[..1] {
        message.role = gemtrail_core::model::Role::Agent;
    }
    let vcon = vcon_of(&left);
    let parties = list(&vcon, "parties");
    assert_eq!(
        json(parties.first()),
        r#"{"name":"gemini-cli","type":"bot","role":"agent","validation":"none"}"#
    );
    assert_eq!(json(parties[1].get("name")), "\"subagent\"");
    let asked: Vec<_> = list(&vcon, "dialog")
        .iter()
        .map(|it| json(it.get("parties")))
        .collect();
    assert_eq!(asked, ["[0]", "[1]"]);
}

#[test]
fn bodies_that_are_wrong_are_found() {
    let valid = vcon_of(&example()).to_json(Layout::Compact);
    for (from, to) in [
        (r#""vcon":"0.4.0""#, r#""vcon":"0.0.1""#),
        (r#""parties":[0]"#, r#""parties":[7]"#),
        ("2026-10-05T14:02:10Z", "2026-10-05T14:02:10.000Z"),
        (r#""version":"3.0.0-draft""#, r#""version":3"#),
    ] {
        let broken = tree(&valid.replacen(from, to, 1));
        assert_eq!(validate_vcon(&broken).len(), 1, "{from}");
    }
}
