use super::*;
use crate::test_support::{
    answered, assistant, call, calling, human, json_lines, notice, raw, rewound, session, user,
    written,
};
use gemtrail_core::model::{SessionId, Thought, ThoughtSource};
use serde_json::Value;

fn lines(session: &Session, options: &FormatOptions) -> Vec<Value> {
    json_lines(&written(|out| write(session, options, out)))
}

fn usual(session: &Session) -> Vec<Value> {
    lines(session, &FormatOptions::default())
}

fn roles(line: &Value) -> Vec<&str> {
    let messages = line["messages"].as_array().expect("messages").iter();
    messages
        .map(|message| message["role"].as_str().expect("a role"))
        .collect()
}

#[test]
fn the_sides_take_turns() {
    let line = &usual(&session([
        user(Role::Context, "context"),
        human("one"),
        assistant("two"),
        rewound(human("never mind")),
        user(Role::Hook, "a hook"),
        human("three"),
        notice(Role::Info, "shared"),
        assistant("four"),
    ]))[0];
    assert_eq!(roles(line), ["user", "assistant", "user", "assistant"]);
    assert_eq!(line["messages"][0]["content"], "context\n\none");
    assert_eq!(line["messages"][2]["content"], "a hook\n\nthree");
}

#[test]
fn every_call_is_answered_directly_after_it() {
    let calls = [
        answered("glob", r#"{"b":1.50,"a":[]}"#, "a.rs"),
        call("glob", "{}"),
    ];
    let line = &usual(&session([
        calling(assistant("I look."), calls),
        human("ok"),
    ]))[0];
    assert_eq!(roles(line), ["assistant", "tool", "tool", "user"]);
    let messages = &line["messages"];
    let calls = &messages[0]["tool_calls"];
    assert_eq!(calls[0]["function"]["arguments"], r#"{"b":1.50,"a":[]}"#);
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    for at in 0..2 {
        assert_eq!(calls[at]["id"].as_str().map(str::len), Some(ID_LENGTH));
        assert_eq!(messages[at + 1]["tool_call_id"], calls[at]["id"]);
    }
    assert_eq!(messages[2]["content"], "[no answer was recorded]");
}

#[test]
fn templates_get_objects_and_thoughts() {
    let mut answer = calling(assistant(""), [answered("glob", r#"{"a":1}"#, "")]);
    answer.thoughts.push(Thought {
        subject: "Planning".to_owned(),
        text: "list first".to_owned(),
        time: None,
        source: ThoughtSource::Thoughts,
        extra: gemtrail_core::json::Fields::default(),
    });
    let session = session([answer]);
    let options = FormatOptions {
        arguments: ArgumentEncoding::Object,
        reasoning: true,
        ..FormatOptions::default()
    };
    let message = &lines(&session, &options)[0]["messages"][0];
    assert_eq!(message["tool_calls"][0]["function"]["arguments"]["a"], 1);
    assert_eq!(message["reasoning_content"], "Planning: list first");
    assert_eq!(message["content"], "");
    assert!(
        usual(&session)[0]["messages"][0]
            .get("reasoning_content")
            .is_none()
    );
}

#[test]
fn a_subagent_is_a_line_of_its_own() {
    let mut main = session([human("one"), assistant("two")]);
    let mut agent = session([user(Role::Agent, "look"), assistant("seen")]);
    agent.id = SessionId::new("agent");
    main.subagents.push(agent);
    assert_eq!(usual(&main).len(), 2);
    assert_eq!(usual(&session([notice(Role::Info, "")])).len(), 0);
}

#[test]
fn images_are_on_the_side_of_the_user() {
    let image = r#"{"inlineData":{"mimeType":"image/png","data":"AAEC"}}"#;
    let mut prompt = human("look");
    prompt.content = Some(raw(&format!(r#"[{{"text":"look"}},{image}]"#)));
    let mut call = answered("read_file", "{}", "a picture");
    let response = format!(
        r#"[{{"functionResponse":{{"id":"{}","name":"read_file","response":{{"output":"a picture"}}}}}},{image}]"#,
        call.id
    );
    call.result = Some(raw(&response));
    let line = &usual(&session([
        prompt,
        calling(assistant(""), [call]),
        human("thanks"),
    ]))[0];
    assert_eq!(roles(line), ["user", "assistant", "tool", "user"]);
    let url = serde_json::json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}});
    let messages = &line["messages"];
    let text = |text: &str| serde_json::json!({"type": "text", "text": text});
    assert_eq!(
        messages[0]["content"],
        serde_json::json!([text("look"), url])
    );
    assert!(messages[2]["content"].is_string());
    assert_eq!(
        messages[3]["content"],
        serde_json::json!([text("thanks"), url])
    );
}
