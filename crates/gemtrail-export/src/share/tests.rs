//! Both forms of the share, against what Gemini CLI wrote for the same conversation.

use gemtrail_core::model::{Format, Role, Session};

use super::{Era, write_json_as, write_markdown_as, write_pretty};
use crate::options::FormatOptions;
use crate::test_support::{
    answered, assistant, calling, human, notice, raw, rewound, session, user, written,
};

fn conversation() -> Session {
    let mut thinking = calling(
        assistant(""),
        [answered("read_file", r#"{"file_path":"cart.js"}"#, "a\n")],
    );
    thinking.content = Some(raw(
        r#"[{"text":"**Thinking** of carts","thought":true},{"functionCall":{"id":"x","name":"read_file"}}]"#,
    ));
    session([
        user(Role::Context, "<session_context>\n</session_context>"),
        human("Tell me about the cart."),
        thinking,
        assistant("The cart sums prices."),
        notice(Role::Info, "Conversation shared to /srv/out.md"),
        rewound(human("never mind")),
    ])
}

fn as_markdown(session: &Session, era: Option<Era>) -> String {
    let era = era.unwrap_or_else(|| Era::of(session));
    written(|out| write_markdown_as(session, &FormatOptions::default(), era, out))
}

fn as_json(session: &Session, era: Option<Era>) -> String {
    let era = era.unwrap_or_else(|| Era::of(session));
    written(|out| write_json_as(session, &FormatOptions::default(), era, out))
}

#[test]
fn newest_markdown() {
    let text = as_markdown(&conversation(), None);
    assert!(!text.ends_with('\n'));
    insta::assert_snapshot!(text, @r#"
    ## USER 🧑‍💻

    <session_context>
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
        "output": "a\n"
      }
    }
    ```

    ---

    ## MODEL ✨

    The cart sums prices.
    "#);
}

#[test]
fn newest_json() {
    let text = as_json(&conversation(), None);
    assert!(text.starts_with(
        "[\n  {\n    \"role\": \"user\",\n    \"parts\": [\n      {\n        \"text\": \"<session"
    ));
    assert!(text.ends_with("\n    ]\n  }\n]"));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value[0]["parts"].as_array().map(Vec::len), Some(2));
    assert_eq!(value[1]["parts"][0]["functionCall"]["id"], "read_file__1");
    assert_eq!(value.as_array().map(Vec::len), Some(4));
}

#[test]
fn older_versions_name_no_call_ids_and_keep_turns_apart() {
    let mut session = conversation();
    assert_eq!(Era::of(&session), Era::Since44);
    session.journals[0].format = Format::Json;
    assert_eq!(Era::of(&session), Era::To43);
    let json = |session: &Session| -> serde_json::Value {
        serde_json::from_str(&as_json(session, None)).expect("JSON")
    };
    let value = json(&session);
    assert_eq!(value.as_array().map(Vec::len), Some(5));
    let id = "read_file__1";
    assert_eq!(value[2]["parts"][0]["functionCall"]["id"], id, "as in 0.43");
    for message in &mut session.messages {
        for call in &mut message.tool_calls {
            call.id = "read_file_1".into();
        }
    }
    let value = json(&session);
    assert_eq!(value[2]["parts"][0]["functionCall"].get("id"), None);
}

#[test]
fn lines_without_the_context_are_older() {
    let mut session = conversation();
    session.journals[0].format = Format::Jsonl;
    assert_eq!(Era::of(&session), Era::Since44);
    session.messages.remove(0);
    assert_eq!(Era::of(&session), Era::To43);
}

#[test]
fn the_oldest_versions_put_the_icon_first() {
    let text = as_markdown(&conversation(), Some(Era::To20));
    assert!(text.starts_with("🧑‍💻 ## USER\n\n<session_context>"));
    assert!(text.contains("\n\n---\n\n✨ ## MODEL\n\n**Tool Command**:"));
}

#[test]
fn parts_without_text_leave_no_trace_in_markdown_and_stay_in_json() {
    let mut image = human("");
    image.content = Some(raw(
        r#"[{"text":"look: "},{"inlineData":{"mimeType":"image/png","data":"AA=="}},"!"]"#,
    ));
    let session = session([image]);
    assert_eq!(as_markdown(&session, None), "## USER 🧑‍💻\n\nlook: !");
    assert!(as_json(&session, None).contains("\"mimeType\": \"image/png\""));
}

#[test]
fn s004_18_a_shared_conversation_is_shared_again_as_it_was() {
    let mut answer = calling(assistant(""), [answered("glob", "{}", "x")]);
    answer.content = Some(raw(
        r#"[{"text":"so","thought":true},{"thoughtSignature":"c2ln","functionCall":{"name":"glob","args":{}}}]"#,
    ));
    let mut session = session([human("a"), human("b"), answer]);
    session.journals[0].format = Format::History;
    let value: serde_json::Value = serde_json::from_str(&as_json(&session, None)).expect("JSON");
    assert_eq!(value.as_array().map(Vec::len), Some(4), "turns stay apart");
    assert_eq!(value[2]["parts"][0]["thought"], true);
    assert_eq!(value[2]["parts"][1]["thoughtSignature"], "c2ln");
}

#[test]
fn an_empty_session_is_an_empty_array() {
    assert_eq!(as_json(&session([]), None), "[]");
    assert_eq!(as_markdown(&session([]), None), "");
}

#[test]
fn lays_out_json_as_javascript_does() {
    let value = raw(r#"{"a":[],"b":{},"c":[1,{"d":"x\ny"}],"ü":null}"#);
    let text = written(|out| Ok(write_pretty(value.node(), 0, out)?));
    assert_eq!(
        text,
        "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": \"x\\ny\"\n    }\n  ],\n  \"ü\": null\n}"
    );
}
