//! What validators do not check.

use super::*;
use crate::test_support::{
    answered, assistant, call, calling, failed, human, notice, rewound, session, user, written,
};
use gemtrail_core::model::{Kind, Role, SessionId, SessionRef};
use serde_json::Value;

fn atif(session: &Session) -> Value {
    let text = written(|out| write(session, &FormatOptions::default(), out));
    serde_json::from_str(&text).expect("one JSON document")
}

#[test]
fn every_message_is_a_step_of_its_side() {
    let document = atif(&session([
        user(Role::Context, "<session_context/>"),
        human("one"),
        assistant("two"),
        rewound(human("never mind")),
        user(Role::Shell, "ls"),
        user(Role::Tool, "an orphan"),
        notice(Role::Error, "it broke"),
    ]));
    let steps = document["steps"].as_array().expect("steps");
    let sources: Vec<_> = steps.iter().map(|it| it["source"].as_str()).collect();
    let expected = ["system", "user", "agent", "user", "system"].map(Some);
    assert_eq!(sources, expected);
    assert_eq!(
        steps[4]["observation"]["results"][0]["content"],
        "an orphan"
    );
    assert_eq!(document["notes"], "it broke");
    assert_eq!(document["final_metrics"]["total_steps"], 5);
    assert_eq!(document["schema_version"], ATIF_VERSION);
}

#[test]
fn tokens_are_counted_as_others_count_them() {
    let document = atif(&session([assistant("two"), assistant("three")]));
    let metrics = &document["steps"][0]["metrics"];
    assert_eq!(metrics["prompt_tokens"], 7);
    assert_eq!(metrics["completion_tokens"], 5);
    assert_eq!(metrics["extra"]["total_tokens"], 12);
    let total = &document["final_metrics"];
    assert_eq!(total["total_prompt_tokens"], 14);
    assert_eq!(total["total_cost_usd"].to_string(), "0.000144");
}

#[test]
fn without_one_price_there_is_no_total() {
    let mut unknown = assistant("");
    unknown.model = Some("mystery-exp".to_owned());
    let document = atif(&session([assistant("two"), unknown]));
    assert!(document["final_metrics"].get("total_cost_usd").is_none());
}

#[test]
fn every_call_has_an_id_of_its_own_and_a_result() {
    let calls = [
        answered("glob", "{}", "a.rs"),
        call("glob", "null"),
        failed("replace", r#"{"x":1}"#, "no match"),
    ];
    let document = atif(&session([calling(assistant(""), calls)]));
    let step = &document["steps"][0];
    let ids = |list: &Value, key: &str| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|it| it[key].as_str().expect("an id").to_owned())
            .collect()
    };
    let calls = ids(&step["tool_calls"], "tool_call_id");
    assert_eq!(calls, ["glob__1", "glob__1-2", "replace__1"]);
    let results = &step["observation"]["results"];
    assert_eq!(ids(results, "source_call_id"), calls);
    assert_eq!(results[2]["extra"]["gemtrail"]["error"], "no match");
    assert_eq!(step["tool_calls"][1]["arguments"].to_string(), "{}");
}

#[test]
fn subagents_are_embedded_where_they_were_called() {
    let mut agent = session([user(Role::Agent, "look"), assistant("seen")]);
    agent.id = SessionId::new("agent");
    agent.kind = Kind::Subagent;
    agent.reference = SessionRef::new("76a2", Some("main"), "agent", None);
    let mut started = answered("invoke_agent", "{}", "seen");
    started.agent = Some("agent".to_owned());
    let mut main = session([calling(assistant(""), [started])]);
    main.subagents.push(agent);
    let document = atif(&main);
    let result = &document["steps"][0]["observation"]["results"][0];
    let embedded = &document["subagent_trajectories"][0];
    assert_eq!(
        result["subagent_trajectory_ref"][0]["trajectory_id"],
        embedded["trajectory_id"]
    );
    assert_eq!(embedded["steps"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        document["final_metrics"]["total_cost_usd"].to_string(),
        "0.000144"
    );
    assert_eq!(document["final_metrics"]["total_prompt_tokens"], 7);
}

#[test]
fn a_session_without_a_word_has_one_empty_step() {
    let document = atif(&session([notice(Role::Info, "shared")]));
    assert_eq!(document["steps"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["steps"][0]["message"], "");
}
