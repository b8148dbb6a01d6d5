use super::*;
use crate::test_support::{
    answered, assistant, calling, cancelled, failed, human, json_lines, notice, raw, rewound,
    session, user, written,
};
use gemtrail_core::model::{Kind, Role, SessionId, SessionRef};
use serde_json::Value;

fn text(session: &Session, content: bool) -> String {
    let options = FormatOptions {
        content,
        ..FormatOptions::default()
    };
    written(|out| write(session, &options, out))
}

fn spans(session: &Session, content: bool) -> Vec<Value> {
    let lines = json_lines(&text(session, content));
    let spans = lines.iter().flat_map(|line| {
        let scope = &line["resourceSpans"][0]["scopeSpans"][0];
        scope["spans"].as_array().expect("spans").clone()
    });
    spans.collect()
}

fn attribute<'a>(span: &'a Value, key: &str) -> Option<&'a Value> {
    let mut attributes = span["attributes"].as_array().expect("attributes").iter();
    let found = attributes.find(|attribute| attribute["key"] == key)?;
    found["value"].as_object()?.values().next()
}

fn sample() -> Session {
    let mut agent = session([user(Role::Agent, "look planted"), assistant("seen planted")]);
    agent.id = SessionId::new("agent");
    agent.kind = Kind::Subagent;
    agent.reference = SessionRef::new("76a2", Some("main"), "agent", None);
    agent.title = Some("planted".to_owned());
    let mut started = answered("invoke_agent", r#"{"agent_name":"scout"}"#, "planted");
    started.agent = Some("agent".to_owned());
    let mut main = session([
        user(Role::Context, "planted"),
        human("one planted"),
        calling(
            assistant("planted"),
            [
                answered("glob", r#"{"a":"planted"}"#, "planted"),
                failed("replace", "{}", "planted"),
                started,
            ],
        ),
        assistant("planted"),
        rewound(human("two planted")),
        rewound(calling(assistant("planted"), [cancelled("glob", "{}")])),
        notice(Role::Error, "planted"),
    ]);
    main.title = Some("planted".to_owned());
    main.project.path = Some("/home/planted".to_owned());
    main.project.dir = Some("planted".to_owned());
    main.subagents.push(agent);
    main
}

#[test]
fn a_trace_is_what_followed_a_prompt() {
    let spans = spans(&sample(), false);
    let names: Vec<_> = spans.iter().map(|span| span["name"].as_str()).collect();
    let expected = [
        "invoke_agent gemini-cli",
        "generate_content gemini-3-pro-preview",
        "execute_tool glob",
        "execute_tool replace",
        "execute_tool invoke_agent",
        "invoke_agent scout",
        "generate_content gemini-3-pro-preview",
        "generate_content gemini-3-pro-preview",
        "invoke_agent gemini-cli",
        "generate_content gemini-3-pro-preview",
        "execute_tool glob",
    ];
    assert_eq!(names, expected.map(Some));
    let traces: std::collections::HashSet<_> = spans.iter().map(|it| &it["traceId"]).collect();
    assert_eq!(traces.len(), 2);
    assert_eq!(spans[5]["parentSpanId"], spans[4]["spanId"]);
    assert_eq!(spans[6]["parentSpanId"], spans[5]["spanId"]);
    assert_eq!(spans[8]["events"][0]["name"], "gemtrail.error");
    assert_eq!(spans[3]["status"]["code"], 2);
    assert!(
        spans[10]["status"].get("code").is_none(),
        "cancelled is no error"
    );
    assert_eq!(
        attribute(&spans[9], "gemtrail.superseded_by"),
        Some(&"rewind".into())
    );
}

#[test]
fn every_span_can_be_placed() {
    let spans = spans(&sample(), true);
    let id = |span: &Value, key: &str| span[key].as_str().unwrap_or_default().to_owned();
    let mut seen = std::collections::HashSet::new();
    for span in &spans {
        assert_eq!(id(span, "traceId").len(), 32);
        assert_eq!(id(span, "spanId").len(), 16);
        let parent = id(span, "parentSpanId");
        assert!(parent.is_empty() || seen.contains(&(id(span, "traceId"), parent)));
        assert!(
            seen.insert((id(span, "traceId"), id(span, "spanId"))),
            "twice"
        );
        let time = |key| id(span, key).parse::<u64>().expect("a number");
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
    }
    let request = &spans[1];
    assert_eq!(request["startTimeUnixNano"], "1780308010000000000");
    assert_eq!(request["endTimeUnixNano"], "1780308020000000000");
}

#[test]
fn there_are_no_words_unless_they_are_asked_for() {
    assert!(!text(&sample(), false).contains("planted"));
    assert!(text(&sample(), true).contains("planted"));
}

#[test]
fn only_what_is_new_is_sent_again() {
    let spans = spans(&sample(), true);
    let messages = |at: usize, key: &str| -> Value {
        let text = attribute(&spans[at], key).expect("messages");
        serde_json::from_str(text.as_str().expect("text")).expect("JSON in text")
    };
    let first = messages(1, "gen_ai.input.messages");
    assert_eq!(first[1]["parts"][0]["content"], "one planted");
    let second = messages(7, "gen_ai.input.messages");
    let roles: Vec<_> = second
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["role"])
        .collect();
    assert_eq!(roles, ["tool", "tool", "tool"]);
    assert_eq!(second[0]["parts"][0]["response"], "planted");
    assert_eq!(
        messages(1, "gen_ai.output.messages")[0]["finish_reason"],
        "tool_call"
    );
}

#[test]
fn counters_are_those_of_the_conventions() {
    let spans = spans(&sample(), false);
    let number = |at: usize, key: &str| attribute(&spans[at], key).cloned();
    assert_eq!(number(1, "gen_ai.usage.input_tokens"), Some("7".into()));
    assert_eq!(number(1, "gen_ai.usage.output_tokens"), Some("5".into()));
    assert_eq!(number(0, "gen_ai.usage.input_tokens"), Some("14".into()));
    assert_eq!(number(1, "gemtrail.cost.usd"), Some(0.000_072_2.into()));
}

#[test]
fn long_traces_are_several_lines() {
    let long = "x".repeat(3_000_000);
    let session = session([human(&long), assistant(&long), human("b"), assistant("c")]);
    let text = text(&session, true);
    assert_eq!(text.lines().count(), 3);
    assert_eq!(spans(&session, true).len(), 4);
}

#[test]
fn images_are_blobs() {
    let mut prompt = human("look");
    prompt.content = Some(raw(
        r#"[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]"#,
    ));
    let one = session([prompt, assistant("seen")]);
    let spans = spans(&one, true);
    let sent = attribute(&spans[1], "gen_ai.input.messages").and_then(Value::as_str);
    let sent: Value = serde_json::from_str(sent.expect("what was sent")).expect("JSON");
    let parts = serde_json::json!([{"type": "text", "content": "look"},
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAEC"}]);
    assert_eq!(sent[0]["parts"], parts);
    assert!(!text(&one, false).contains("AAEC"));
}
