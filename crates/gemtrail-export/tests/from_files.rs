//! Formats of sessions that were read from the files of Gemini CLI.

use gemtrail_core::model::{Message, Session};
use gemtrail_core::{Detail, SourceJournal, Sources, read};
use gemtrail_export::{ExportError, FormatOptions, Selection, events, json, jsonl, native, share};

/// A log of lines as 0.44 and later write it: context, a tool's answer in the user's name, an
/// updated record, a rewind.
const LINES: &str = r#"{"sessionId":"2f1e0a52-0000-4000-8000-000000000001","projectHash":"76a2","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:00:00.000Z","kind":"main"}
{"$set":{"messages":[{"id":"d04923d38bb0f6017037e74183378ef4","timestamp":"2026-06-01T10:00:00.000Z","type":"user","content":[{"text":"<session_context>\nToday.\n</session_context>"}]}],"lastUpdated":"2026-06-01T10:00:00.000Z"}}
{"id":"u1","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":[{"text":"Tell me about the cart."}]}
{"id":"g1","timestamp":"2026-06-01T10:00:02.000Z","type":"gemini","content":"","thoughts":[{"subject":"Carts","description":"They sum.","timestamp":"2026-06-01T10:00:02.000Z"}],"tokens":{"input":1400,"output":11,"cached":0,"thoughts":9,"tool":0,"total":1420},"model":"gemini-3-pro-preview"}
{"id":"g1","timestamp":"2026-06-01T10:00:02.000Z","type":"gemini","content":"","thoughts":[{"subject":"Carts","description":"They sum.","timestamp":"2026-06-01T10:00:02.000Z"}],"tokens":{"input":1400,"output":11,"cached":0,"thoughts":9,"tool":0,"total":1420},"model":"gemini-3-pro-preview","toolCalls":[{"id":"read_file__1","name":"read_file","args":{"file_path":"cart.js"},"result":[{"functionResponse":{"id":"read_file__1","name":"read_file","response":{"output":"export {};\n"}}}],"status":"success","timestamp":"2026-06-01T10:00:03.000Z","resultDisplay":"","description":"cart.js","displayName":"ReadFile","renderOutputAsMarkdown":true}]}
{"id":"r1","timestamp":"2026-06-01T10:00:03.100Z","type":"user","content":[{"functionResponse":{"id":"read_file__1","name":"read_file","response":{"output":"export {};\n"}}}]}
{"id":"g2","timestamp":"2026-06-01T10:00:04.000Z","type":"gemini","content":"The cart is empty.","thoughts":[],"tokens":{"input":1500,"output":8,"cached":700,"thoughts":0,"tool":0,"total":1508},"model":"gemini-3-pro-preview"}
{"id":"i1","timestamp":"2026-06-01T10:00:05.000Z","type":"info","content":"Conversation shared to /srv/out.md"}
{"id":"u2","timestamp":"2026-06-01T10:00:06.000Z","type":"user","content":[{"text":"Never mind."}]}
{"$rewindTo":"u2"}
{"$set":{"summary":"About carts"}}
"#;

/// One object, as 0.4 to 0.38 write it.
const OBJECT: &str = r#"{
  "sessionId": "3dbd4d2a-0000-4000-8000-000000000002", "projectHash": "76a2",
  "startTime": "2026-01-01T10:00:00.000Z", "lastUpdated": "2026-01-01T10:00:09.000Z",
  "messages": [
    {"id": "u1", "timestamp": "2026-01-01T10:00:01.000Z", "type": "user",
     "content": "Explain @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\nhello\n--- End of content ---"},
    {"id": "g1", "timestamp": "2026-01-01T10:00:02.000Z", "type": "gemini", "content": "Looking.", "thoughts": [], "tokens": null,
     "toolCalls": [
       {"id": "a", "name": "glob", "args": {"pattern": "*"}, "result": null, "status": "cancelled", "timestamp": "2026-01-01T10:00:03.000Z"},
       {"id": "b", "name": "replace", "args": {}, "status": "error", "timestamp": "2026-01-01T10:00:04.000Z",
        "result": [{"functionResponse": {"id": "b", "name": "replace", "response": {"error": "no match"}}}],
        "resultDisplay": {"fileDiff": "", "fileName": "a", "originalContent": null, "newContent": "1.50"}}]},
    {"id": "w1", "timestamp": "2026-01-01T10:00:09.000Z", "type": "warning", "content": "careful", "unheard": {"of": 1.50}}
  ]
}"#;

/// The form of checkpoints and shared conversations under the name of a session.
const HISTORY: &str = r#"{"history": [
  {"role": "user", "parts": [{"text": "help me fix this bug"}]},
  {"role": "model", "parts": [{"functionCall": {"name": "read_file", "args": {"target_file": "/src/main.ts"}}},
                              {"functionCall": {"name": "run_shell_command", "args": {}}}]},
  {"role": "user", "parts": [{"functionResponse": {"name": "read_file", "response": {"name": "read_file", "content": "file contents..."}}},
                             {"functionResponse": {"name": "run_shell_command", "response": {"content": {"error": "command not found"}}}}]},
  {"role": "model", "parts": [{"text": "The file contains..."}]}
]}"#;

fn session(path: &str, text: &str) -> Session {
    Sources::single(SourceJournal {
        path: path.to_owned(),
        bytes: text.len() as u64,
        sha256: None,
        earlier: false,
        log: read(text.as_bytes(), Detail::Full),
    })
    .assemble()
}

fn samples() -> [Session; 3] {
    [
        session("session-2026-06-01T10-00-2f1e0a52.jsonl", LINES),
        session("session-2026-01-01T10-00-3dbd4d2a.json", OBJECT),
        session("session-2025-09-18T02-45-3b44bc68.json", HISTORY),
    ]
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), ExportError>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("writing to memory works");
    String::from_utf8(out).expect("writers write UTF-8")
}

/// The current messages without what only describes their files.
fn current(session: &Session) -> Vec<Message> {
    let mut messages: Vec<_> = gemtrail_export::selected(session, Selection::Current)
        .cloned()
        .collect();
    for message in &mut messages {
        message.journal = None;
        message.copies.clear();
        message.revisions.clear();
    }
    messages
}

#[test]
fn a_native_journal_reads_back_to_the_same_current_messages() {
    for session in samples() {
        let text = written(|out| native::write(&session, &FormatOptions::default(), out));
        let again = self::session("session-2027-01-01T10-00-00000000.jsonl", &text);
        assert_eq!(current(&again), current(&session));
        assert_eq!(again.summary, session.summary);
        assert_eq!(again.messages.len(), current(&again).len());
        assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    }
}

#[test]
fn a_native_journal_holds_each_tool_answer_once() {
    let [lines, ..] = samples();
    let text = written(|out| native::write(&lines, &FormatOptions::default(), out));
    assert_eq!(text.matches("functionResponse").count(), 1);
}

#[test]
fn documents_read_back_to_the_same_session() {
    for session in samples() {
        let lines = written(|out| jsonl::write(&session, &FormatOptions::default(), out));
        assert_eq!(jsonl::read(&lines).expect("own lines"), session);
        let options = FormatOptions {
            pretty: true,
            ..FormatOptions::default()
        };
        let document = written(|out| json::write(&session, &options, out));
        assert_eq!(self::session("-", &document), session);
    }
}

#[test]
fn a_share_is_what_the_cli_writes() {
    let [lines, ..] = samples();
    let text = written(|out| share::write_markdown(&lines, &FormatOptions::default(), out));
    insta::assert_snapshot!(text, @r#"
    ## USER 🧑‍💻

    <session_context>
    Today.
    </session_context>Tell me about the cart.

    ---

    ## MODEL ✨

    **Tool Command**:
    ```json
    {
      "name": "read_file",
      "args": {
        "file_path": "cart.js"
      },
      "id": "read_file__1"
    }
    ```

    ---

    ## USER 🧑‍💻

    **Tool Response**:
    ```json
    {
      "id": "read_file__1",
      "name": "read_file",
      "response": {
        "output": "export {};\n"
      }
    }
    ```

    ---

    ## MODEL ✨

    The cart is empty.
    "#);
}

#[test]
fn s003_3_the_events_of_a_history_with_the_name_of_a_session() {
    let [.., history] = samples();
    let text = written(|out| events::write(&history, &FormatOptions::default(), out));
    let rows: Vec<_> = text
        .lines()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(event["session_id"], "session-2025-09-18T02-45-3b44bc68");
            let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
            let rest = [&event["message"], &event["tool_result"]["success"]];
            let rest = rest.iter().find(|value| !value.is_null());
            format!(
                "{} {} {} {}",
                text("timestamp"),
                text("type"),
                text("tool_name"),
                rest.map_or("-".to_owned(), ToString::to_string),
            )
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r#"
    2025-09-18T02:45:00.000Z session_start - -
    2025-09-18T02:45:01.001Z user_prompt - "help me fix this bug"
    2025-09-18T02:45:02.001Z tool_use file_read -
    2025-09-18T02:45:02.002Z tool_use shell_exec -
    2025-09-18T02:45:03.001Z tool_result file_read true
    2025-09-18T02:45:03.002Z tool_result shell_exec false
    2025-09-18T02:45:05.000Z session_end - -
    "#);
}

#[test]
fn s003_9_s003_11_entries_without_a_role_keep_their_place() {
    let odd = r#"{"history": [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"parts": [{"text": "whose?"}]},
        17,
        {"role": "model", "parts": [{"functionCall": {"name": "glob", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "glob"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "unasked"}}]},
        {"role": "user", "parts": [{"text": "bye"}]}
    ]}"#;
    let session = session("session-2025-09-18T02-45-3b44bc68.json", odd);
    let roles: Vec<_> = session.messages.iter().map(|it| it.role.as_str()).collect();
    assert_eq!(
        roles,
        ["human", "unknown", "unknown", "assistant", "tool", "human"]
    );
    let events = events::events(&session, &FormatOptions::default());
    let seen: Vec<_> = events
        .iter()
        .map(|event| {
            let index = event.metadata.as_ref().map(|it| it.content_index);
            (event.kind.as_str(), index, &event.timestamp[17..])
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("session_start", None, "00.000Z"),
            ("user_prompt", Some(0), "01.001Z"),
            ("tool_use", Some(3), "04.001Z"),
            ("tool_result", Some(4), "05.001Z"),
            ("tool_result", Some(5), "06.001Z"),
            ("user_prompt", Some(6), "07.001Z"),
            ("session_end", None, "08.000Z"),
        ]
    );
    for event in events {
        let is_result = event.kind == events::EventKind::ToolResult;
        let success = event.tool_result.map(|outcome| outcome.success);
        assert_eq!(success, is_result.then_some(true));
    }
}

#[test]
fn headless_output_of_all_releases_is_read_with_its_counts() {
    let stats = |model: &str| {
        format!(
            r#""{model}":{{"tokens":{{"prompt":100,"candidates":10,"total":115,"cached":40,"thoughts":5,"tool":0}}}}"#
        )
    };
    let one = format!(
        r#"{{"response":"Hi.","stats":{{"models":{{{}}}}}}}"#,
        stats("m")
    );
    let two = format!(
        r#"{{"session_id":"s","response":"Hi.","stats":{{"models":{{{},{}}}}}}}"#,
        stats("m"),
        stats("n")
    );
    let pretty = one
        .replace(",\"stats\"", ",\n  \"stats\"")
        .replacen('{', "{\n", 1);
    for (text, times, model) in [
        (&one, 1, Some("m")),
        (&pretty, 1, Some("m")),
        (&two, 2, None),
    ] {
        let session = session("out.json", text);
        assert_eq!(session.messages.len(), 1, "{text}");
        let answer = &session.messages[0];
        assert_eq!(
            (answer.text.as_str(), answer.model.as_deref()),
            ("Hi.", model)
        );
        let counts = session.tokens;
        assert_eq!(counts.input, 100 * times);
        assert_eq!(counts.output, 10 * times);
        assert_eq!(counts.cached, 40 * times);
        assert_eq!(counts.thoughts, 5 * times);
        assert_eq!(counts.total, 115 * times);
        assert!(session.diagnostics.is_empty(), "{:?}", session.diagnostics);
    }
    for error in [
        r#"{"error":{"type":"Error","message":"no key","code":41}}"#,
        "{\n  \"error\": {\n    \"type\": \"Error\",\n    \"message\": \"no key\"\n  }\n}",
    ] {
        let session = session("out.json", error);
        assert_eq!(session.messages[0].role.as_str(), "error", "{error}");
        assert_eq!(session.messages[0].text, "no key");
    }
}

#[test]
fn a_stream_is_read_with_its_counts() {
    let stream = r#"{"type":"init","timestamp":"2026-11-15T18:56:24.000Z","session_id":"s","model":"m"}
{"type":"message","timestamp":"2026-11-15T18:56:24.100Z","role":"user","content":"hello"}
{"type":"message","timestamp":"2026-11-15T18:56:26.835Z","role":"assistant","content":"Hi.","delta":true}
{"type":"result","timestamp":"2026-11-15T18:56:26.858Z","status":"success","stats":{"total_tokens":23118,"input_tokens":22700,"output_tokens":290,"cached":14000,"input":8700,"duration_ms":1926,"tool_calls":9}}
"#;
    let session = session("-", stream);
    let counts = session.tokens;
    assert_eq!(
        (counts.input, counts.output, counts.cached, counts.total),
        (22700, 290, 14000, 23118)
    );
}
