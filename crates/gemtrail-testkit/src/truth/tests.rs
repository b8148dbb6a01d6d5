//! The comparison finds what is wrong, and nothing else.

use serde_json::{Value, json};

use super::compare;
use super::sample::{document, expected};
use crate::fixtures::Version;
use crate::quirk::{Effect, Quirk};

fn problems(documents: &[Value], expected: &Value, effects: &[Effect]) -> Vec<String> {
    let quirks: Vec<Quirk> = effects.iter().map(|effect| quirk(*effect)).collect();
    let quirks: Vec<&Quirk> = quirks.iter().collect();
    let problems = compare(documents, expected, &quirks);
    problems.iter().map(ToString::to_string).collect()
}

fn quirk(effect: Effect) -> Quirk {
    Quirk {
        since: Version(0, 0, 0),
        until: Version(1, 0, 0),
        scenarios: &[],
        effect,
        reason: "a test",
    }
}

/// The problems found in a changed document.
fn problems_after(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut document = document();
    change(&mut document);
    problems(&[document], &expected(), &[])
}

fn messages(document: &mut Value) -> &mut Vec<Value> {
    document["messages"].as_array_mut().expect("an array")
}

#[track_caller]
fn assert_one(problems: &[String], part: &str) {
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(problems[0].contains(part), "{problems:#?}");
}

#[test]
fn what_happened_has_no_problem() {
    assert_eq!(problems_after(|_| {}), Vec::<String>::new());
}

#[test]
fn a_doubled_prompt_is_found() {
    let found = problems_after(|document| {
        let again = document["messages"][0].clone();
        messages(document).push(again);
    });
    assert_one(&found, "stands there once too often");
}

#[test]
fn a_prompt_in_two_sessions_is_found() {
    let mut other = document();
    other["id"] = "22222222-bbbb".into();
    messages(&mut other).truncate(1);
    let found = problems(&[document(), other], &expected(), &[]);
    assert_one(&found, "stands there once too often");
}

#[test]
fn a_lost_prompt_is_found() {
    let found = problems_after(|document| messages(document)[0]["role"] = "context".into());
    assert_one(&found, "human \"Read it.\" is missing");
}

#[test]
fn words_that_nobody_said_are_found() {
    let found = problems_after(|document| {
        messages(document).push(json!({"id": "x", "role": "human", "text": "Please continue."}));
    });
    assert_one(&found, "was never said");
}

#[test]
fn answers_out_of_order_are_found() {
    let found = problems_after(|document| messages(document).swap(1, 2));
    assert!(
        found.iter().any(|p| p.contains("out of order")),
        "{found:#?}"
    );
}

#[test]
fn a_lost_call_is_found() {
    let change = |document: &mut Value| {
        let call = document["messages"][1]["tool_calls"][0].take();
        document["messages"][1]["tool_calls"] = json!([]);
        document["messages"][2]["tool_calls"] = json!([call]);
    };
    let found = problems_after(change);
    assert!(
        found
            .iter()
            .any(|p| p.contains("\"(read_file)\" is missing")),
        "{found:#?}"
    );
    assert!(
        found.iter().any(|p| p.contains("was never made")),
        "{found:#?}"
    );
}

#[test]
fn a_doubled_call_is_found() {
    let found = problems_after(|document| {
        let call = document["messages"][1]["tool_calls"][0].clone();
        document["messages"][2]["tool_calls"] = json!([call]);
    });
    assert_one(&found, "the call of read_file was never made, or not twice");
}

#[test]
fn another_output_status_or_argument_is_found() {
    let call = |document: &mut Value, field: &str, value: Value| {
        document["messages"][1]["tool_calls"][0][field] = value;
    };
    let found = problems_after(|d| call(d, "output", "first".into()));
    assert_one(&found, "output should be");
    let found = problems_after(|d| call(d, "status", "cancelled".into()));
    assert_one(&found, "status should be");
    let found = problems_after(|d| call(d, "args", json!({})));
    assert_one(&found, "args should be");
}

#[test]
fn a_wrong_state_is_found_both_ways() {
    let found = problems_after(|document| {
        document["messages"][2]["state"] = "superseded".into();
    });
    assert_one(&found, "state should be \"current\"");
    let rewound = Effect::Superseded {
        prompt: "Read it.",
        from: 2,
        by: "rewind",
    };
    let found = problems(&[document()], &expected(), &[rewound]);
    assert_eq!(found.len(), 2, "state and cause: {found:#?}");
}

#[test]
fn other_tokens_models_and_thoughts_are_found() {
    let found = problems_after(|d| d["messages"][2]["tokens"]["cached"] = 1.into());
    assert_one(&found, "tokens should be");
    let found = problems_after(|d| d["messages"][2]["model"] = "gemini-y".into());
    assert_one(&found, "model should be");
    let found = problems_after(|d| d["messages"][1]["thoughts"] = json!([]));
    assert_one(&found, "thoughts should be");
}

#[test]
fn another_project_is_found() {
    let found = problems_after(|d| d["project"]["path"] = "/srv/demo".into());
    assert_one(&found, "project.path should be");
    let found = problems_after(|d| d["project"]["path"] = Value::Null);
    assert_one(&found, "project.path should be known");
}

#[test]
fn a_hash_directory_need_not_know_its_path() {
    let found = problems_after(|document| {
        document["project"]["dir"] = document["project"]["hash"].clone();
        document["project"]["path"] = Value::Null;
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_prompt_of_a_journal_is_not_logged_too() {
    let found = problems_after(|d| d["logged"] = json!([{"text": "Read it."}]));
    assert_one(&found, "stands in a journal already");
}

#[test]
fn a_subagent_that_is_not_nested_is_missing() {
    let mut expected = expected();
    expected["subagent_turns"] =
        json!([{"model": "gemini-x", "thoughts": [], "text": "Done.", "calls": [], "usage": null}]);
    assert_one(
        &problems(&[document()], &expected, &[]),
        "subagents: number should be 1, is 0",
    );
    assert_eq!(
        problems(&[document()], &expected, &[Effect::SubagentUnrecorded]),
        Vec::<String>::new()
    );
    let mut parent = document();
    parent["subagents"] = json!([{"id": "a", "kind": "subagent", "parent": "11111111-aaaa", "messages": [
        {"id": "1", "role": "agent", "state": "current", "text": "Find it."},
        {"id": "2", "role": "assistant", "state": "current", "text": "Done.", "model": "gemini-x"}]}]);
    assert_eq!(problems(&[parent], &expected, &[]), Vec::<String>::new());
}

#[test]
fn merged_calls_lose_a_record_and_its_tokens() {
    let mut expected = expected();
    let second = expected["turns"][0]["model_turns"][1].take();
    let mut calls_only = expected["turns"][0]["model_turns"][0].clone();
    calls_only["thoughts"] = json!([]);
    expected["turns"][0]["model_turns"][1] = calls_only;
    expected["turns"][0]["model_turns"]
        .as_array_mut()
        .expect("an array")
        .push(second);
    let response = expected["turns"][0]["tool_responses_sent_back"][0].clone();
    expected["turns"][0]["tool_responses_sent_back"] = json!([response, response]);
    let mut document = document();
    let call = document["messages"][1]["tool_calls"][0].clone();
    document["messages"][1]["tool_calls"] = json!([call, call]);
    let found = problems(
        &[document.clone()],
        &expected,
        &[Effect::CallsJoinRecordBefore],
    );
    assert_eq!(found, Vec::<String>::new());
    assert!(!problems(&[document], &expected, &[]).is_empty());
}

#[test]
fn without_journals_the_prompts_are_logged() {
    let mut log = document();
    log["kind"] = "log".into();
    log["messages"] = json!([]);
    let found = problems(&[log.clone()], &expected(), &[Effect::OnlyLogged]);
    assert_one(&found, "times of \"Read it.\" should be 1, is 0");
    log["logged"] = json!([{"text": "Read it."}]);
    assert_eq!(
        problems(&[log], &expected(), &[Effect::OnlyLogged]),
        Vec::<String>::new()
    );
}

#[test]
fn long_outputs_are_known_by_length_and_head() {
    let mut expected = expected();
    let response = json!({"clipped_json_chars": 26, "head": "{\"output\": \"first"});
    expected["turns"][0]["tool_responses_sent_back"][0]["response"] = response;
    assert_eq!(
        problems(&[document()], &expected, &[]),
        Vec::<String>::new()
    );
    let mut shorter = document();
    shorter["messages"][1]["tool_calls"][0]["output"] = "first note".into();
    assert_one(
        &problems(&[shorter], &expected, &[]),
        "characters of the response",
    );
}
