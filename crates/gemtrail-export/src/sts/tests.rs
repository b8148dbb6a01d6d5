use super::*;
use crate::test_support::{
    answered, assistant, calling, failed, human, json_lines, raw, rewound, session, user, written,
};
use gemtrail_core::model::Role;
use serde_json::Value;

fn lines(session: &Session, style: Style, selection: Selection) -> Vec<Value> {
    let options = StsOptions { selection, style };
    json_lines(&written(|out| write(session, &options, out)))
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
    let lines = lines(&sample(), Style::Sts, Selection::Current);
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
fn pi_gets_tokens_and_cost() {
    let lines = lines(&sample(), Style::Pi, Selection::Current);
    let header = serde_json::json!({"type": "session", "version": 3, "harness": "gemini-cli",
        "id": "2f1e0a52-0000-4000-8000-000000000001", "timestamp": "2026-06-01T10:00:00.000Z",
        "cwd": "/home/alice/my-app", "name": "A title"});
    assert_eq!(lines[0], header);
    assert_eq!(lines[1]["customType"], "gemini-cli/context");
    let usage = &lines[3]["message"]["usage"];
    assert_eq!((&usage["input"], &usage["output"]), (&6.into(), &5.into()));
    assert_eq!(usage["cost"]["total"].to_string(), "0.000072");
    assert_eq!(lines[3]["message"]["stopReason"], "toolUse");
    assert_eq!(lines[5]["message"]["isError"], true);
    let call = &lines[3]["message"]["content"][0];
    assert_eq!(call["arguments"]["pattern"], "*");
    assert_eq!(lines[4]["message"]["toolCallId"], call["id"]);
}

#[test]
fn what_was_taken_back_is_a_branch_of_its_own() {
    let lines = lines(&sample(), Style::Pi, Selection::All);
    let id = |at: usize| &lines[at]["id"];
    let parent = |at: usize| &lines[at]["parentId"];
    assert_eq!(parent(1), &Value::Null);
    assert_eq!(parent(3), id(2), "the rewound answer");
    assert_eq!(parent(4), id(2), "what came instead");
    assert_eq!(parent(5), id(4));
    let ids: std::collections::HashSet<_> = lines[1..].iter().map(|it| it["id"].as_str()).collect();
    assert_eq!(ids.len(), lines.len() - 1);
}

#[test]
fn pi_has_images() {
    let mut prompt = human("look");
    prompt.content = Some(raw(
        r#"[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]"#,
    ));
    let one = session([prompt]);
    let lines = |style| lines(&one, style, Selection::Current);
    let content = serde_json::json!([{"type": "text", "text": "look"},
        {"type": "image", "data": "AAEC", "mimeType": "image/png"}]);
    assert_eq!(lines(Style::Pi)[1]["message"]["content"], content);
    let named = &lines(Style::Sts)[1]["message"]["content"];
    assert_eq!(named, "look\n[image/png, 3 bytes]");
}
