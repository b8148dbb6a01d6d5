use super::*;
use crate::test_support::{
    answered, assistant, calling, failed, human, json_lines, raw, rewound, session, user, written,
};
use gemtrail_core::model::Role;
use serde_json::Value;

fn lines(session: &Session) -> Vec<Value> {
    json_lines(&written(|out| {
        write(session, &FormatOptions::default(), out)
    }))
}

fn sample() -> Session {
    let calls = [
        answered("glob", r#"{"pattern":"*"}"#, "a.rs"),
        failed("replace", "{}", "no match"),
    ];
    session([
        user(Role::Context, "context"),
        human("one"),
        rewound(assistant("never mind")),
        calling(assistant(""), calls),
        assistant("two"),
    ])
}

#[test]
fn the_hub_gets_a_header_and_a_line_per_message_and_answer() {
    let lines = lines(&sample());
    assert_eq!(lines[0]["harness"], "gemini-cli");
    assert_eq!(lines[0]["name"], "A title");
    let roles: Vec<_> = lines[1..].iter().map(|it| &it["message"]["role"]).collect();
    let expected = ["system", "user", "assistant", "tool", "tool", "assistant"];
    assert_eq!(roles, expected);
    let call = &lines[3]["message"]["toolCalls"][0];
    assert_eq!(call["function"]["arguments"], r#"{"pattern":"*"}"#);
    assert_eq!(lines[4]["message"]["toolCallId"], call["id"]);
    assert_eq!(lines[2]["message"]["timestamp"], 1_780_308_010_000_i64);
    assert!(lines[2]["message"].get("model").is_none());
    assert_eq!(lines[3]["message"]["model"], "gemini-3-pro-preview");
}

#[test]
fn images_are_named() {
    let mut prompt = human("look");
    prompt.content = Some(raw(
        r#"[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]"#,
    ));
    let named = &lines(&session([prompt]))[1]["message"]["content"];
    assert_eq!(named, "look\n[image/png, 3 bytes]");
}
