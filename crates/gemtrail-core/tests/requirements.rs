//! Requirements on the reader; each test is named after one.

use gemtrail_core::model::{Format, Message, Role, Session};
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use serde_json::{Value, json};

fn session_of(text: &str) -> Session {
    let log = read(text.as_bytes(), Detail::Full);
    Sources::single(SourceJournal {
        path: "session-2026-06-01T10-00-2f1e0a52.json".to_owned(),
        bytes: text.len() as u64,
        sha256: None,
        log,
        earlier: false,
    })
    .assemble()
}

/// A whole-file record with these messages.
fn record(messages: &Value) -> Value {
    json!({
        "sessionId": "2f1e0a52-0000-4000-8000-000000000001",
        "projectHash": "76a2",
        "startTime": "2026-06-01T10:00:00.000Z",
        "lastUpdated": "2026-06-01T11:00:00.000Z",
        "messages": messages,
    })
}

fn read_record(record: &Value) -> Session {
    let pretty = serde_json::to_string_pretty(record).expect("JSON");
    session_of(&pretty)
}

fn message(mut message: Value) -> Message {
    message["id"] = "m".into();
    message["timestamp"] = "2026-06-01T10:00:01.000Z".into();
    let mut session = read_record(&record(&json!([message])));
    assert_eq!(session.messages.len(), 1);
    session.messages.remove(0)
}

fn text_of(content: &Value) -> String {
    message(json!({"type": "user", "content": content})).text
}

fn codes(session: &Session) -> Vec<String> {
    let found = session.diagnostics.iter();
    found.map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[test]
fn s001_9_s004_5_one_object_that_may_have_a_summary() {
    let mut with = record(&json!([{"id": "m", "type": "user", "content": "hi"}]));
    assert_eq!(read_record(&with).summary, None);
    with["summary"] = "Greets".into();
    assert_eq!(read_record(&with).summary.as_deref(), Some("Greets"));
}

#[test]
fn s001_10_s004_6_the_five_types_and_whose_words_they_are() {
    let role = |kind: &str| message(json!({"type": kind, "content": "x"})).role;
    assert_eq!(role("user"), Role::Human);
    assert_eq!(role("gemini"), Role::Assistant);
    assert_eq!(role("info"), Role::Info);
    assert_eq!(role("error"), Role::Error);
    assert_eq!(role("warning"), Role::Warning);
}

#[test]
fn c_8_what_is_unknown_is_never_the_users() {
    let later = message(json!({"type": "oracle", "content": "x"}));
    assert_eq!((later.role, later.text.as_str()), (Role::Unknown, "x"));
}

#[test]
fn s001_11_s002_2_s004_7_text_in_every_shape_of_content() {
    assert_eq!(text_of(&json!("a string")), "a string");
    assert_eq!(text_of(&json!({"text": "one part"})), "one part");
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}});
    let file = json!({"fileData": {"fileUri": "gs://x"}});
    let parts = json!([image, {"text": "two "}, file, "parts", {"executableCode": {"code": "1"}}]);
    assert_eq!(text_of(&parts), "two parts");
    assert_eq!(text_of(&json!([image])), "");
    // The parts themselves are unchanged.
    let kept = message(json!({"type": "user", "content": parts})).content;
    let kept: Value = serde_json::from_str(kept.expect("a content").text()).expect("JSON");
    assert_eq!(kept, parts);
}

fn calling(call: &Value) -> Message {
    message(json!({"type": "gemini", "content": "", "toolCalls": [call]}))
}

#[test]
fn s001_12_arguments_are_an_object() {
    let args = json!({"path": "a", "deep": {"n": [1, 2.50, null]}});
    let call = &calling(&json!({"id": "c", "name": "x", "args": args})).tool_calls[0];
    let kept: Value =
        serde_json::from_str(call.args.as_ref().expect("arguments").text()).expect("JSON");
    assert_eq!(kept, args);
}

#[test]
fn s001_13_c_13_a_call_without_result_and_with_any_status() {
    for status in [
        "success",
        "error",
        "pending",
        "cancelled",
        "awaiting_approval",
        "later",
    ] {
        let call = json!({"id": "c", "name": "x", "args": {}, "result": null, "status": status});
        let call = &calling(&call).tool_calls[0];
        assert_eq!(call.status, Some(status.into()));
        assert_eq!(call.output, None, "nothing is made up");
    }
    assert_eq!(
        calling(&json!({"id": "c", "name": "x"})).tool_calls[0].status,
        None
    );
}

#[test]
fn s002_1_c_16_a_session_without_last_update_was_updated_by_its_last_message() {
    let mut session = record(&json!([
        {"id": "a", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": "hi"},
        {"id": "b", "timestamp": "2026-06-01T10:20:00.000Z", "type": "gemini", "content": "ho"},
    ]));
    let whole = read_record(&session);
    assert_eq!(whole.updated.as_deref(), Some("2026-06-01T11:00:00.000Z"));
    session
        .as_object_mut()
        .expect("an object")
        .remove("lastUpdated");
    let split = read_record(&session);
    assert_eq!(split.id.as_str(), "2f1e0a52-0000-4000-8000-000000000001");
    assert_eq!(split.project.hash.as_deref(), Some("76a2"));
    assert_eq!(split.started.as_deref(), Some("2026-06-01T10:00:00.000Z"));
    assert_eq!(split.updated.as_deref(), Some("2026-06-01T10:20:00.000Z"));
    assert_eq!(codes(&split), [""; 0]);
}

#[test]
fn s002_3_c_21_thoughts_may_be_missing_or_empty_and_are_read_where_they_are() {
    let thoughts = |thoughts: Value| {
        let mut answer = json!({"type": "gemini", "content": "ho"});
        if !thoughts.is_null() {
            answer["thoughts"] = thoughts;
        }
        message(answer).thoughts
    };
    assert!(thoughts(Value::Null).is_empty());
    assert!(thoughts(json!([])).is_empty());
    let some = thoughts(json!([
        {"subject": "S", "description": "D", "timestamp": "2026-06-01T10:00:00.500Z"}
    ]));
    assert_eq!(
        (some[0].subject.as_str(), some[0].text.as_str()),
        ("S", "D")
    );
    assert_eq!(some[0].time.as_deref(), Some("2026-06-01T10:00:00.500Z"));
}

#[test]
fn s002_6_calls_belong_to_their_message_and_may_lack_what_is_for_display() {
    let bare =
        calling(&json!({"id": "c", "name": "read_file", "args": {"path": "a"}, "status": "error"}));
    let call = &bare.tool_calls[0];
    assert_eq!((call.id.as_str(), call.name.as_str()), ("c", "read_file"));
    assert!(call.error.is_some(), "an error without a text is still one");
    assert!(call.result.is_none() && call.display.is_none() && call.description.is_none());
}

#[test]
fn s002_7_c_12_the_output_is_the_text_in_the_answer() {
    let output = |response: Value| {
        let result = json!([{"functionResponse": {"id": "c", "name": "x", "response": response}}]);
        let call = json!({"id": "c", "name": "x", "status": "success", "result": result});
        let mut answer = calling(&call);
        answer.tool_calls.remove(0).output
    };
    assert_eq!(output(json!({"output": "words"})).as_deref(), Some("words"));
    assert_eq!(
        output(json!({"content": "words"})).as_deref(),
        Some("words")
    );
    assert_eq!(
        output(json!({"error": "no such file"})).as_deref(),
        Some("no such file")
    );
    let odd = output(json!({"rows": [1, 2]})).expect("some text");
    assert!(odd.contains("[1,2]"), "{odd}");
}

#[test]
fn s004_4_a_file_is_parsed_as_a_whole_however_its_lines_are_broken() {
    let value = record(&json!([
        {"id": "a", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": "one\n{\"id\":\"x\"}\ntwo"},
    ]));
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    let forms = [
        value.to_string(),
        pretty.clone(),
        pretty.replace('\n', "\r\n"),
        pretty.replace('\n', "\n\n\t"),
        format!("\u{feff}\n{pretty}\n\n"),
    ];
    for form in forms {
        let session = session_of(&form);
        assert_eq!(session.messages.len(), 1, "{form}");
        assert_eq!(session.messages[0].text, "one\n{\"id\":\"x\"}\ntwo");
        assert_eq!(session.journals[0].format, Format::Json, "{form}");
    }
}

/// A file without a session id is read alike on one line and on several.
#[test]
fn s004_4_a_record_without_names_is_read_on_one_line_too() {
    let value = json!({"messages": [
        {"id": "a", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": "hi"},
        {"id": "b", "timestamp": "2026-06-01T10:00:02.000Z", "type": "gemini", "content": "ho"},
    ]});
    let (line, pretty) = (
        value.to_string(),
        serde_json::to_string_pretty(&value).expect("JSON"),
    );
    for form in [line.clone(), format!("{line}\n"), pretty] {
        let session = session_of(&form);
        let texts: Vec<&str> = session.messages.iter().map(|m| m.text.as_str()).collect();
        assert_eq!(texts, ["hi", "ho"], "{form}");
        assert_eq!(session.journals[0].format, Format::Json);
        assert_eq!(codes(&session), ["missing-session-id"], "{form}");
        assert_eq!(session.records.len(), 0);
    }
    // In a log it means nothing to Gemini CLI, so it is only kept there.
    let header = json!({"sessionId": "s", "projectHash": "h"});
    let said = json!({"id": "c", "type": "user", "content": "later"});
    let log = session_of(&format!("{line}\n{header}\n{said}\n"));
    let texts: Vec<&str> = log.messages.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(texts, ["later"]);
    assert_eq!(log.records.len(), 1);
    assert!(codes(&log).contains(&"unknown-record".to_owned()));
}

#[test]
fn s004_16_unknown_fields_and_types_do_no_harm_and_are_kept() {
    let mut value = record(&json!([
        {"id": "a", "type": "user", "content": "hi", "mood": "good"},
        {"id": "b", "type": "oracle", "content": [{"text": "x"}, {"hologram": {}}]},
        {"id": "c", "type": "gemini", "content": "ho",
         "thoughts": [{"subject": "S", "description": "D", "depth": 3}],
         "toolCalls": [{"id": "k", "name": "x", "args": {}, "cost": 0.10}]},
    ]));
    value["planet"] = "Mars".into();
    let session = read_record(&value);
    assert_eq!(session.messages.len(), 3);
    let extra = |fields: &gemtrail_core::json::Fields, name: &str| {
        fields.get(name).map(|raw| raw.text().to_owned())
    };
    assert_eq!(extra(&session.extra, "planet").as_deref(), Some("\"Mars\""));
    assert_eq!(
        extra(&session.messages[0].extra, "mood").as_deref(),
        Some("\"good\"")
    );
    assert_eq!(session.messages[1].kind, "oracle".into());
    let answer = &session.messages[2];
    assert_eq!(
        extra(&answer.thoughts[0].extra, "depth").as_deref(),
        Some("3")
    );
    assert_eq!(
        extra(&answer.tool_calls[0].extra, "cost").as_deref(),
        Some("0.1")
    );
}

#[test]
fn c_4_c_25_every_shape_is_told_by_what_is_in_it() {
    let contents = json!([
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"text": "ho"}]},
    ]);
    let lines = [
        json!({"sessionId": "s", "projectHash": "h"}),
        json!({"id": "a", "type": "user", "content": [{"text": "hi"}]}),
        json!({"id": "b", "type": "gemini", "content": "ho"}),
    ];
    let log = lines.map(|line| line.to_string()).join("\n");
    let messages = json!([{"id": "a", "type": "user", "content": "hi"}, {"id": "b", "type": "gemini", "content": "ho"}]);
    let forms = [
        (record(&messages).to_string(), Format::Json),
        (log, Format::Jsonl),
        (json!({"history": contents}).to_string(), Format::History),
        (contents.to_string(), Format::History),
        (
            serde_json::to_string_pretty(&contents).expect("JSON"),
            Format::History,
        ),
    ];
    for (form, format) in forms {
        let session = session_of(&form);
        let said: Vec<_> = session
            .messages
            .iter()
            .map(|m| (m.role, m.text.as_str()))
            .collect();
        assert_eq!(
            said,
            [(Role::Human, "hi"), (Role::Assistant, "ho")],
            "{form}"
        );
        assert_eq!(session.journals[0].format, format, "{form}");
    }
}

/// Two texts that collided under the reader's first hash, a 64-bit one not made for hostile input.
const COLLIDING: [&str; 2] = ["pay AnnaLnRxWVPi", "pay uofu3_Quazb5"];

fn log_of(lines: &[Value]) -> Session {
    let header =
        json!({"sessionId": "2f1e0a52-0000-4000-8000-000000000001", "projectHash": "76a2"});
    let lines: Vec<String> = [&header]
        .into_iter()
        .chain(lines)
        .map(Value::to_string)
        .collect();
    session_of(&lines.join("\n"))
}

#[test]
fn a_crafted_collision_passes_no_message_for_a_copy_of_another() {
    let [one, other] = COLLIDING;
    let session = log_of(&[
        json!({"id": "m1", "type": "user", "content": [{"text": one}]}),
        json!({"$set": {"messages": [{"id": "m2", "type": "user", "content": [{"text": other}]}]}}),
    ]);
    let texts: Vec<&str> = session.messages.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(texts, COLLIDING);
}

#[test]
fn a_crafted_collision_does_not_hide_a_later_version_of_a_message() {
    let record = |text| json!({"id": "m1", "type": "gemini", "content": text});
    let session = log_of(&COLLIDING.map(record));
    assert_eq!(session.messages[0].text, COLLIDING[1]);
}

/// The session, read in full and for its counts only.
fn read_both_ways(lines: &[Value]) -> [Session; 2] {
    let header =
        json!({"sessionId": "2f1e0a52-0000-4000-8000-000000000001", "projectHash": "76a2"});
    let lines: Vec<String> = [&header]
        .into_iter()
        .chain(lines)
        .map(Value::to_string)
        .collect();
    [Detail::Full, Detail::Counts].map(|detail| {
        let journal = SourceJournal {
            path: "session-2026-06-01T10-00-2f1e0a52.jsonl".to_owned(),
            bytes: 0,
            sha256: None,
            log: read(lines.join("\n").as_bytes(), detail),
            earlier: false,
        };
        Sources::single(journal).assemble()
    })
}

#[test]
fn c_11_a_call_fails_by_its_status_its_response_or_the_exit_code_of_its_command() {
    let report = |code: i64| format!("Output: x\nExit Code: {code}\nProcess Group PGID: 7");
    let shell = "run_shell_command";
    let calls = [
        (
            shell,
            "success",
            json!({"output": report(3)}),
            Some(3),
            true,
        ),
        (
            shell,
            "success",
            json!({"output": report(0)}),
            Some(0),
            false,
        ),
        (
            shell,
            "success",
            json!({"output": "Output: x"}),
            None,
            false,
        ),
        (shell, "error", json!({"error": report(2)}), Some(2), true),
        (
            shell,
            "cancelled",
            json!({"output": report(-1)}),
            Some(-1),
            false,
        ),
        (
            "read_file",
            "success",
            json!({"output": report(3)}),
            None,
            false,
        ),
        ("read_file", "success", json!({"error": "no"}), None, true),
        (
            "read_file",
            "success",
            json!({"content": {"error": "no"}}),
            None,
            true,
        ),
        (
            "read_file",
            "cancelled",
            json!({"error": "no"}),
            None,
            false,
        ),
    ];
    for (name, status, response, exit_code, failed) in calls {
        let answer = json!({"functionResponse": {"id": "c", "name": name, "response": response}});
        let call = json!({"id": "c", "name": name, "status": status, "result": [answer]});
        let as_result = json!({"id": "m", "type": "gemini", "content": "", "toolCalls": [call]});
        // Since 0.44 the answer is also a message of its own.
        let call = json!({"id": "c", "name": name, "status": status});
        let asked = json!({"id": "m", "type": "gemini", "content": "", "toolCalls": [call]});
        let answered = json!({"id": "n", "type": "user", "content": [answer]});
        for lines in [vec![as_result], vec![asked, answered]] {
            for session in read_both_ways(&lines) {
                let what = format!("{name}, {status}, {response}");
                let call = &session.messages[0].tool_calls[0];
                assert_eq!(call.exit_code, exit_code, "{what}");
                assert_eq!(session.counts.tool_failures, u64::from(failed), "{what}");
                assert_eq!(session.counts.tool_errors, u64::from(status == "error"));
            }
        }
    }
}

#[test]
fn a_document_of_an_earlier_version_gets_what_it_lacks() {
    let mut session = calling(
        &json!({"id": "c", "name": "run_shell_command", "status": "success",
        "result": [{"functionResponse": {"id": "c", "name": "run_shell_command",
            "response": {"output": "Output: x\nExit Code: 3\nProcess Group PGID: 7"}}}]}),
    );
    session.tool_calls[0].exit_code = None;
    let mut document = serde_json::to_value(log_of(&[])).expect("JSON");
    document["messages"] = serde_json::to_value([session]).expect("JSON");
    let counts = document["counts"].as_object_mut().expect("counts");
    counts.remove("tool_failures");
    let again = session_of(&document.to_string());
    assert_eq!(again.messages[0].tool_calls[0].exit_code, Some(3));
    assert_eq!(again.counts.tool_failures, 1);
}

#[test]
fn a_compression_does_not_change_the_title() {
    let prompt = |id: &str, text: &str| json!({"id": id, "type": "user", "content": text});
    let snapshot = "<state_snapshot>\n  all of it\n</state_snapshot>";
    let lines = [
        json!({"sessionId": "s", "projectHash": "h"}),
        prompt("1", "Rewrite the login flow"),
        json!({"id": "2", "type": "gemini", "content": "done"}),
        json!({"$set": {"messages": [
            {"id": "3", "type": "user", "content": snapshot},
            {"id": "4", "type": "gemini", "content": "Got it. Thanks for the additional context!"},
        ]}}),
        prompt("5", "yes go on"),
    ];
    let text: String = lines.iter().map(|it| it.to_string() + "\n").collect();
    let session = session_of(&text);
    assert!(session.messages[0].superseded_by.is_some(), "{session:#?}");
    assert_eq!(session.title.as_deref(), Some("Rewrite the login flow"));
}

#[test]
fn a_stream_keeps_the_times_and_errors_of_its_calls() {
    let time = |second: u32| format!("2026-06-01T12:00:{second:02}.000Z");
    let lines = [
        json!({"type": "init", "timestamp": time(0), "session_id": "s", "model": "m"}),
        json!({"type": "message", "timestamp": time(1), "role": "assistant", "content": "look"}),
        json!({"type": "tool_use", "timestamp": time(2), "tool_name": "run_shell_command", "tool_id": "a", "parameters": {"command": "ls"}}),
        json!({"type": "tool_result", "timestamp": time(3), "tool_id": "a", "status": "success", "output": "x"}),
        json!({"type": "tool_use", "timestamp": time(4), "tool_name": "read_file", "tool_id": "b", "parameters": {}}),
        json!({"type": "tool_result", "timestamp": time(6), "tool_id": "b", "status": "error", "error": {"type": "EXEC", "message": "no"}}),
    ];
    let text: String = lines.iter().map(|it| it.to_string() + "\n").collect();
    let session = session_of(&text);
    let calls = &session.messages[0].tool_calls;
    assert_eq!(calls[0].started.as_deref(), Some(time(2).as_str()));
    assert_eq!(calls[0].time.as_deref(), Some(time(3).as_str()));
    assert_eq!(calls[0].output.as_deref(), Some("x"));
    assert_eq!(
        calls[0].result.as_ref().map(gemtrail_core::json::Raw::text),
        Some("\"x\"")
    );
    assert_eq!(calls[1].time.as_deref(), Some(time(6).as_str()));
    assert_eq!(calls[1].error.as_deref(), Some("no"));
    let error = calls[1]
        .extra
        .get("error")
        .map(gemtrail_core::json::Raw::text);
    assert_eq!(error, Some(r#"{"message":"no","type":"EXEC"}"#));
}

#[test]
fn a_prompt_log_has_the_prompts_of_several_sessions() {
    let entry = |session: &str, number: u32, text: &str| {
        json!({"sessionId": session, "messageId": number, "type": "user", "message": text,
               "timestamp": "2026-06-01T12:00:00.000Z"})
    };
    let text = json!([
        entry("one", 0, "a"),
        entry("two", 0, "b"),
        entry("one", 1, "c")
    ])
    .to_string();
    let journal = SourceJournal {
        path: "logs.json".to_owned(),
        bytes: text.len() as u64,
        sha256: None,
        log: read(text.as_bytes(), Detail::Full),
        earlier: false,
    };
    let sessions: Vec<Session> = Sources::of_file(journal)
        .into_iter()
        .map(Sources::assemble)
        .collect();
    let said: Vec<(&str, Vec<&str>)> = sessions
        .iter()
        .map(|it| {
            (
                it.id.as_str(),
                it.logged.iter().map(|it| it.text.as_str()).collect(),
            )
        })
        .collect();
    assert_eq!(said, [("one", vec!["a", "c"]), ("two", vec!["b"])]);
}
