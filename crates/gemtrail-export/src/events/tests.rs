//! The event stream, by requirement.

use gemtrail_core::model::{Format, Role, Session};
use serde_json::{Value, json};

use super::write;
use crate::options::{FormatOptions, Timestamps};
use crate::test_support::{
    answered, assistant, call, calling, cancelled, failed, human, json_lines, notice, raw, rewound,
    session, user, written,
};

fn stream_with(session: &Session, options: &FormatOptions) -> Vec<Value> {
    json_lines(&written(|out| write(session, options, out)))
}

fn stream(session: &Session) -> Vec<Value> {
    stream_with(session, &FormatOptions::default())
}

fn synthetic(session: &Session) -> Vec<Value> {
    let options = FormatOptions {
        timestamps: Timestamps::Synthetic,
        ..FormatOptions::default()
    };
    stream_with(session, &options)
}

fn column(events: &[Value], name: &str) -> Vec<String> {
    let text = |event: &Value| event[name].as_str().unwrap_or("-").to_owned();
    events.iter().map(text).collect()
}

/// What a reader makes of `{"history":[…]}`: contents, no times.
fn history() -> Session {
    let mut answer = calling(
        assistant(""),
        [
            answered("read_file", r#"{"target_file":"/src/main.ts"}"#, "contents"),
            failed("run_shell_command", "{}", "command not found"),
        ],
    );
    answer.content = Some(raw(
        r#"[{"functionCall":{"name":"read_file"}},{"text":""},{"functionCall":{"name":"run_shell_command"}}]"#,
    ));
    let mut session = session([human("help me fix this bug"), answer, assistant("Done.")]);
    session.journals[0].format = Format::History;
    session.started = None;
    session.updated = None;
    for message in &mut session.messages {
        message.time = None;
        message
            .tool_calls
            .iter_mut()
            .for_each(|call| call.time = None);
    }
    session
}

#[test]
fn s003_2_every_event_names_the_stem() {
    let mut session = session([human("a")]);
    session
        .stems
        .push("session-2026-06-02T10-00-2f1e0a52".to_owned());
    for event in stream(&session) {
        assert_eq!(event["session_id"], "session-2026-06-01T10-00-2f1e0a52");
    }
}

#[test]
fn s003_3_s003_4_a_history_becomes_the_events_of_its_parts() {
    let events = stream(&history());
    assert_eq!(
        column(&events, "type"),
        [
            "session_start",
            "user_prompt",
            "tool_use",
            "tool_use",
            "tool_result",
            "tool_result",
            "session_end"
        ]
    );
}

#[test]
fn s003_5_user_text_is_a_prompt() {
    let events = stream(&session([human("one"), human("two")]));
    assert_eq!(column(&events, "message"), ["-", "one", "two", "-"]);
    assert_eq!(events[1]["type"], "user_prompt");
}

#[test]
fn s003_5_every_text_part_of_a_history_is_a_prompt() {
    let mut session = history();
    session.messages[0].content = Some(raw(r#"[{"text":"help me "},{"text":"fix this bug"}]"#));
    let events = stream(&session);
    assert_eq!(events[1]["message"], "help me ");
    assert_eq!(events[2]["message"], "fix this bug");
    assert_eq!(events[2]["timestamp"], "2026-06-01T10:00:01.002Z");
}

#[test]
fn s003_6_model_text_is_no_event() {
    let session = session([human("one"), assistant("two")]);
    assert!(!column(&stream(&session), "message").contains(&"two".to_owned()));
}

#[test]
fn c_5_model_text_on_request() {
    let session = session([human("one"), assistant("two")]);
    let options = FormatOptions {
        assistant_text: true,
        ..FormatOptions::default()
    };
    let events = stream_with(&session, &options);
    assert_eq!(events[2]["type"], "assistant_message");
    assert_eq!(events[2]["message"], "two");
}

#[test]
fn s003_7_every_call_is_its_own_use() {
    let calls = [
        answered("glob", r#"{"pattern":"*.rs"}"#, "a.rs"),
        answered("list_directory", "{}", "a.rs"),
    ];
    let events = stream(&session([calling(assistant(""), calls)]));
    let uses: Vec<_> = events.iter().filter(|e| e["type"] == "tool_use").collect();
    assert_eq!(uses.len(), 2);
    assert_eq!(uses[0]["tool_input"], json!({"pattern": "*.rs"}));
    assert_eq!(
        uses[1].get("tool_input"),
        None,
        "empty arguments are left out"
    );
}

#[test]
fn s003_8_c_12_every_response_is_a_result_whatever_its_shape() {
    let mut stray = user(Role::Tool, "");
    stray.content = Some(raw(
        r#"[{"functionResponse":{"id":"x","name":"read_file","response":{"output":"text"}}},
            {"functionResponse":{"name":"glob","response":{"content":[1]}}}]"#,
    ));
    let answer = calling(
        assistant(""),
        [answered("glob", "{}", "a"), call("glob", "{}")],
    );
    let events = stream(&session([answer, stray]));
    let results: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "tool_result")
        .map(|event| event["tool_result"].clone())
        .collect();
    assert_eq!(
        results,
        [
            json!({"success": true, "output": "a"}),
            json!({"success": true, "output": "text"}),
            json!({"success": true, "output": "[1]"}),
        ]
    );
}

#[test]
fn s003_9_an_error_in_the_response_is_a_failure() {
    let events = stream(&history());
    assert_eq!(
        events[4]["tool_result"],
        json!({"success": true, "output": "contents"})
    );
    assert_eq!(
        events[5]["tool_result"],
        json!({"success": false, "error": "command not found"})
    );
    let mut stray = user(Role::Tool, "");
    stray.content = Some(raw(
        r#"[{"functionResponse":{"name":"x","response":{"content":{"error":{"code":1}}}}}]"#,
    ));
    assert_eq!(
        stream(&session([stray]))[1]["tool_result"],
        json!({"success": false, "error": "{\"code\":1}"})
    );
}

#[test]
fn s003_10_one_start_and_one_end() {
    for session in [session([]), session([human("a")]), history()] {
        let types = column(&stream(&session), "type");
        assert_eq!(types.first().map(String::as_str), Some("session_start"));
        assert_eq!(types.last().map(String::as_str), Some("session_end"));
        let inner = &types[1..types.len() - 1];
        assert!(!inner.iter().any(|kind| kind.starts_with("session_")));
    }
}

#[test]
fn s003_11_synthetic_times_keep_the_order() {
    let expected = [
        "2026-06-01T10:00:00.000Z",
        "2026-06-01T10:00:01.001Z",
        "2026-06-01T10:00:02.001Z",
        "2026-06-01T10:00:02.003Z",
        "2026-06-01T10:00:03.001Z",
        "2026-06-01T10:00:03.002Z",
        "2026-06-01T10:00:05.000Z",
    ];
    assert_eq!(column(&stream(&history()), "timestamp"), expected);
    let mut unnamed = history();
    unnamed.stems = vec!["checkpoint-tag".to_owned()];
    let events = stream(&unnamed);
    assert_eq!(events[0]["timestamp"], "1970-01-01T00:00:00.000Z");
    assert_eq!(events[6]["timestamp"], "1970-01-01T00:00:05.000Z");
}

#[test]
fn c_3_real_times_win_unless_asked_otherwise() {
    let call = answered("glob", "{}", "a");
    let session = session([human("one"), calling(assistant(""), [call])]);
    assert_eq!(
        column(&stream(&session), "timestamp"),
        [
            "2026-06-01T10:00:00.000Z",
            "2026-06-01T10:00:00.000Z",
            "2026-06-01T10:00:10.000Z",
            "2026-06-01T10:00:10.500Z",
            "2026-06-01T10:00:10.500Z",
        ]
    );
    assert_eq!(
        column(&synthetic(&session), "timestamp"),
        [
            "2026-06-01T10:00:00.000Z",
            "2026-06-01T10:00:01.001Z",
            "2026-06-01T10:00:02.001Z",
            "2026-06-01T10:00:03.001Z",
            "2026-06-01T10:00:04.000Z",
        ]
    );
}

#[test]
fn events_are_sorted_by_time_whatever_the_order_of_the_records() {
    let mut session = session([human("one"), human("two"), human("three")]);
    session.messages[0].time = Some("2026-06-01T11:00:00.000Z".to_owned());
    session.messages[1].time = None;
    session.started = Some("2026-06-01T12:00:00.000Z".to_owned());
    let events = stream(&session);
    assert_eq!(
        column(&events, "message"),
        ["-", "three", "one", "two", "-"]
    );
    let times = column(&events, "timestamp");
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn s003_12_names_and_categories_are_canonical() {
    let answer = calling(assistant(""), [answered("run_shell_command", "{}", "")]);
    let events = stream(&session([answer]));
    for event in &events[1..3] {
        assert_eq!(event["tool_name"], "shell_exec");
        assert_eq!(event["category"], "execute");
        assert_eq!(event["metadata"]["raw_tool_name"], "run_shell_command");
    }
    assert_eq!(events[0].get("category"), None);
}

#[test]
fn s003_13_other_names_pass_in_lower_case() {
    let answer = calling(
        assistant(""),
        [call("mcp_probe_Echo", "{}"), call("My_Tool", "{}")],
    );
    let events = stream(&session([answer]));
    assert_eq!(
        column(&events[1..3], "tool_name"),
        ["mcp_probe_echo", "my_tool"]
    );
    assert_eq!(column(&events[1..3], "category"), ["other", "other"]);
    assert_eq!(events[1]["metadata"]["mcp_server"], "probe");
    assert_eq!(events[1]["metadata"]["mcp_tool"], "Echo");
}

#[test]
fn s003_14_the_events_do_not_depend_on_the_era_of_the_file() {
    let lines = session([
        human("a"),
        calling(assistant("b"), [answered("glob", "{}", "c")]),
    ]);
    let mut object = lines.clone();
    object.journals[0].format = Format::Json;
    assert_eq!(stream(&lines), stream(&object));
}

#[test]
fn c_1_thoughts_are_no_events() {
    let mut answer = assistant("");
    answer.content = Some(raw(r#"[{"text":"thinking","thought":true}]"#));
    let options = FormatOptions {
        assistant_text: true,
        ..FormatOptions::default()
    };
    assert_eq!(stream_with(&session([answer]), &options).len(), 2);
}

#[test]
fn a_cancelled_call_is_a_refused_permission() {
    let events = stream(&session([calling(
        assistant(""),
        [cancelled("write_file", "{}")],
    )]));
    assert_eq!(
        column(&events, "type"),
        [
            "session_start",
            "tool_use",
            "permission_result",
            "tool_result",
            "session_end"
        ]
    );
    assert_eq!(events[2]["permission_granted"], false);
    assert_eq!(events[3]["tool_result"]["success"], false);
}

#[test]
fn s002_14_no_summary_of_a_compression_is_made_up() {
    let events = stream(&session([human("a"), notice(Role::Info, ""), human("b")]));
    assert_eq!(events[2]["type"], "compaction");
    assert_eq!(events[2].get("message"), None);
}

#[test]
fn what_was_taken_back_is_no_event() {
    let events = stream(&session([human("a"), rewound(human("b"))]));
    assert_eq!(column(&events, "message"), ["-", "a", "-"]);
}

#[test]
fn an_event_has_the_agreed_fields() {
    let events = stream(&session([human("hello")]));
    insta::assert_json_snapshot!(events[1], @r#"
    {
      "cwd": "/home/alice/my-app",
      "harness": "gemini_cli",
      "id": "b53c5702-78e0-87e2-b848-f6eb9c7bdfcf",
      "message": "hello",
      "metadata": {
        "content_index": 0,
        "message_id": "m1"
      },
      "schema": "gemtrail.event/1",
      "session_id": "session-2026-06-01T10-00-2f1e0a52",
      "timestamp": "2026-06-01T10:00:00.000Z",
      "type": "user_prompt"
    }
    "#);
}

#[test]
fn ids_are_unique_and_stay_when_the_session_grows() {
    let short = session([
        human("a"),
        calling(assistant(""), [answered("glob", "{}", "")]),
    ]);
    let mut long = short.clone();
    long.messages.push(human("b"));
    let (short, long) = (column(&stream(&short), "id"), column(&stream(&long), "id"));
    assert!(short.iter().all(|id| long.contains(id)));
    let distinct: std::collections::HashSet<_> = long.iter().collect();
    assert_eq!(distinct.len(), long.len());
}

fn times(events: &[Value]) -> Vec<jiff::Timestamp> {
    let times = events.iter().map(|event| event["timestamp"].as_str());
    times
        .map(|time| time.expect("a time").parse().expect("a valid time"))
        .collect()
}

#[test]
fn s003_11_synthetic_times_strictly_increase() {
    let calls = (0..1500).map(|_| answered("glob", "{}", "x"));
    let mut session = session([
        human("one"),
        calling(assistant("two"), [cancelled("replace", "{}")]),
        notice(Role::Info, ""),
        calling(assistant("three"), calls),
        human("four"),
    ]);
    session.messages[2].content = Some(raw("\"\""));
    let options = FormatOptions {
        timestamps: Timestamps::Synthetic,
        assistant_text: true,
        ..FormatOptions::default()
    };
    let times = times(&stream_with(&session, &options));
    assert!(times.len() > 3000);
    assert!(times.is_sorted_by(|a, b| a < b));
}

#[test]
fn the_session_starts_at_its_start_whatever_a_call_says() {
    let mut call = answered("glob", "{}", "x");
    call.time = Some("2020-01-01T00:00:00.000Z".to_owned());
    let mut session = session([human("one"), calling(assistant("two"), [call])]);
    let start = "2026-06-01T09:59:00.000Z";
    session.started = Some(start.to_owned());
    let events = stream(&session);
    assert_eq!(events[0]["timestamp"], start);
    assert!(times(&events).is_sorted());
}

#[test]
fn a_call_without_a_name_is_of_an_unknown_tool() {
    let session = session([calling(assistant(""), [answered("", "{}", "x")])]);
    for event in &stream(&session)[1..3] {
        assert_eq!(event["tool_name"], "unknown");
        assert_eq!(event["metadata"].get("raw_tool_name"), None);
    }
}
