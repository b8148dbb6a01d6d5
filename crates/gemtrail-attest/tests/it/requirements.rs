//! The translation rules S000-1 … S000-26, each by its number. Rules about reading are tested here
//! as far as they show in a record.

use gemtrail_attest::vac::Profile;
use gemtrail_attest::value::Value;
use gemtrail_attest::{Payload, vac};

use crate::common::{
    children, entries, only_entry, record_as, record_v3, session, session_of, texts, tree, worked,
};

const PROFILES: [Profile; 3] = [Profile::V3, Profile::V2, Profile::Dual];

#[test]
fn s000_1_a_session_is_one_json_object_whatever_its_file_is_called() {
    // The file name is irrelevant: pretty-printed JSON is read as one value.
    let payload = Payload::read(worked::JOURNAL.as_bytes()).unwrap();
    assert_eq!(payload.bytes(), worked::JOURNAL.as_bytes());
    assert_eq!(entries(&record_v3(&worked::session())).len(), 5);
}

#[test]
fn s000_2_top_level_fields() {
    let record = worked::record_as(Profile::V3);
    let member = |name| record.at(["session", name]).and_then(Value::as_text);
    assert_eq!(
        member("session-id"),
        Some("5b1e0a52-3c44-4f0e-9a55-2f7d1c9e8b10")
    );
    assert_eq!(member("session-start"), Some("2026-03-04T09:15:02.101Z"));
    assert_eq!(member("session-end"), Some("2026-03-04T09:16:40.900Z"));
    assert!(member("projectHash").is_some_and(|hash| hash.starts_with("a5b880c3")));
}

#[test]
fn s000_3_a_user_message() {
    let message = r#"{"id":"m1","timestamp":"2026-01-01T00:00:01Z","type":"user","content":"hi"}"#;
    for profile in PROFILES {
        assert_eq!(only_entry(message, profile), tree(message), "{profile:?}");
    }
}

#[test]
fn s000_4_an_assistant_message_may_have_no_words() {
    let message = r#"{"id":"m1","type":"gemini","content":"","thoughts":[],"toolCalls":[],
        "model":"gemini-2.5-pro","tokens":null}"#;
    for profile in PROFILES {
        assert_eq!(
            only_entry(message, profile),
            tree(r#"{"type":"assistant","content":"","id":"m1","model-id":"gemini-2.5-pro"}"#)
        );
    }
}

const CALL: &str = r#"{"type":"gemini","timestamp":"2026-01-01T00:00:01Z","toolCalls":[{
    "id":"c1","name":"read_file","args":{"file_path":"a"},"result":[{"functionResponse":{"response":{"output":"x"}}}],
    "status":"success","timestamp":"2026-01-01T00:00:02Z","resultDisplay":"1 line","displayName":"ReadFile",
    "description":"a","renderOutputAsMarkdown":true}]}"#;

#[test]
fn s000_5_every_field_of_a_tool_call() {
    let entry = only_entry(CALL, Profile::V3);
    assert_eq!(
        children(&entry)[0],
        tree(
            r#"{"type":"tool-call","timestamp":"2026-01-01T00:00:02Z","name":"read_file","input":{"file_path":"a"},
            "call-id":"c1","displayName":"ReadFile","description":"a","resultDisplay":"1 line","renderOutputAsMarkdown":true}"#
        )
    );
}

const THOUGHT: &str = r#"{"type":"gemini","thoughts":[{"subject":"Plan","description":"First read.",
    "timestamp":"2026-01-01T00:00:03Z"}]}"#;

#[test]
fn s000_6_every_field_of_a_thought() {
    assert_eq!(
        children(&only_entry(THOUGHT, Profile::V3)),
        [tree(
            r#"{"type":"reasoning","content":"First read.","subject":"Plan","timestamp":"2026-01-01T00:00:03Z"}"#
        )]
    );
}

const TOKENS: &str = r#"{"type":"gemini","tokens":{"input":10,"output":2,"cached":4,"thoughts":3,"tool":1,"total":16}}"#;

#[test]
fn s000_7_all_six_token_counters() {
    assert_eq!(
        only_entry(TOKENS, Profile::V3).get("token-usage"),
        Some(&tree(
            r#"{"input":10,"output":2,"cached":4,"reasoning":3,"total":16,"thoughts":3,"tool":1}"#
        ))
    );
}

#[test]
fn s000_8_one_message_is_one_entry_in_file_order() {
    let session = worked::session();
    for profile in PROFILES {
        let record = record_as(&session, profile);
        let ids: Vec<_> = session.messages.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(texts(entries(&record), "id"), ids);
    }
}

#[test]
fn s000_9_types_of_speakers() {
    let session = session_of(r#"{"type":"user"},{"type":"human"},{"type":"gemini"}"#);
    for profile in PROFILES {
        assert_eq!(
            texts(entries(&record_as(&session, profile)), "type"),
            ["user", "user", "assistant"]
        );
    }
}

#[test]
fn s000_10_time_id_and_content_are_unchanged() {
    for content in [
        r#""水 \u00e9 \n""#,
        r#"{"text":"one part"}"#,
        r#"[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"AA=="}},1.50,null]"#,
    ] {
        let message = format!(
            r#"{{"type":"user","timestamp":"2026-01-01T00:00:01.5+02:00","content":{content},"id":"ä"}}"#
        );
        for profile in PROFILES {
            assert_eq!(only_entry(&message, profile), tree(&message));
        }
    }
}

#[test]
fn s000_11_the_model_of_a_message() {
    for profile in PROFILES {
        let entry = only_entry(
            r#"{"type":"gemini","model":"gemini-3-pro-preview"}"#,
            profile,
        );
        assert_eq!(entry.get("model-id"), Some(&"gemini-3-pro-preview".into()));
    }
}

#[test]
fn s000_12_the_session_id() {
    for profile in PROFILES {
        let record = worked::record_as(profile);
        assert_eq!(
            record.at(["session", "session-id"]),
            Some(&"5b1e0a52-3c44-4f0e-9a55-2f7d1c9e8b10".into())
        );
    }
}

#[test]
fn s000_13_the_start_is_also_when_the_record_was_created() {
    for profile in PROFILES {
        let record = worked::record_as(profile);
        let start = Value::from("2026-03-04T09:15:02.101Z");
        assert_eq!(record.at(["session", "session-start"]), Some(&start));
        assert_eq!(record.get("created"), Some(&start));
    }
}

#[test]
fn s000_14_each_tool_call_becomes_a_child() {
    let entry = only_entry(CALL, Profile::V2);
    assert_eq!(
        children(&entry)[0],
        tree(
            r#"{"type":"tool-call","timestamp":"2026-01-01T00:00:02Z","name":"read_file",
            "input":{"file_path":"a"},"call-id":"c1"}"#
        )
    );
}

#[test]
fn s000_15_a_call_without_time_takes_that_of_its_message() {
    let message = r#"{"type":"gemini","timestamp":"2026-01-01T00:00:01Z","toolCalls":[
        {"id":"c1","name":"a","result":[]},{"id":"c2","name":"b","timestamp":"2026-01-01T00:00:09Z"}]}"#;
    for profile in PROFILES {
        assert_eq!(
            texts(children(&only_entry(message, profile)), "timestamp"),
            [
                "2026-01-01T00:00:01Z",
                "2026-01-01T00:00:01Z",
                "2026-01-01T00:00:09Z"
            ]
        );
    }
}

#[test]
fn s000_16_a_result_only_if_there_is_one() {
    let message = r#"{"type":"gemini","toolCalls":[
        {"id":"c1","name":"a","result":null,"status":"cancelled"},
        {"id":"c2","name":"b","status":"cancelled"},
        {"id":"c3","name":"c","result":[],"status":"success","timestamp":"2026-01-01T00:00:02Z"}]}"#;
    for profile in PROFILES {
        let entry = only_entry(message, profile);
        assert_eq!(
            texts(children(&entry), "type"),
            ["tool-call", "tool-call", "tool-call", "tool-result"]
        );
        assert_eq!(
            children(&entry)[3],
            tree(
                r#"{"type":"tool-result","timestamp":"2026-01-01T00:00:02Z","output":[],"status":"success","call-id":"c3"}"#
            )
        );
    }
}

#[test]
fn s000_17_the_output_is_the_raw_result() {
    for profile in PROFILES {
        let entry = only_entry(CALL, profile);
        assert_eq!(
            children(&entry)[1].get("output"),
            Some(&tree(
                r#"[{"functionResponse":{"response":{"output":"x"}}}]"#
            ))
        );
    }
}

#[test]
fn s000_18_each_thought_becomes_reasoning() {
    for profile in PROFILES {
        let entry = only_entry(THOUGHT, profile);
        let reasoning = &children(&entry)[0];
        assert_eq!(reasoning.get("type"), Some(&"reasoning".into()));
        assert_eq!(reasoning.get("content"), Some(&"First read.".into()));
        assert_eq!(reasoning.get("subject"), Some(&"Plan".into()));
    }
}

#[test]
fn s000_19_reasoning_first_then_each_call_with_its_result() {
    let message = r#"{"type":"gemini","toolCalls":[{"id":"c1","name":"a","result":[]},{"id":"c2","name":"b","result":[]}],
        "thoughts":[{"description":"t1"},{"description":"t2"}]}"#;
    for profile in PROFILES {
        let entry = only_entry(message, profile);
        assert_eq!(
            texts(children(&entry), "type"),
            [
                "reasoning",
                "reasoning",
                "tool-call",
                "tool-result",
                "tool-call",
                "tool-result"
            ]
        );
        assert_eq!(texts(&children(&entry)[..2], "content"), ["t1", "t2"]);
        assert_eq!(
            texts(children(&entry), "call-id"),
            ["–", "–", "c1", "c1", "c2", "c2"]
        );
    }
}

#[test]
fn s000_20_no_children_no_key() {
    for profile in PROFILES {
        let entry = only_entry(r#"{"type":"gemini","thoughts":[],"toolCalls":[]}"#, profile);
        assert_eq!(entry.get("children"), None);
    }
}

#[test]
fn s000_21_the_provider_follows_from_the_model() {
    for (model, provider) in [
        ("gemini-2.5-pro", "google"),
        ("claude-opus", "anthropic"),
        ("gpt-5", "openai"),
        ("o3-mini", "openai"),
        ("o4-mini", "openai"),
        ("llama", "unknown"),
        ("", "unknown"),
    ] {
        assert_eq!(vac::provider_of(model), provider);
    }
    let meta = worked::record_as(Profile::V2);
    assert_eq!(
        meta.at(["session", "agent-meta", "model-provider"]),
        Some(&"google".into())
    );
}

#[test]
fn s000_22_the_name_of_the_program() {
    for profile in PROFILES {
        assert_eq!(
            worked::record_as(profile).at(["session", "agent-meta", "cli-name"]),
            Some(&"gemini-cli".into())
        );
    }
}

#[test]
fn s000_23_the_wrapper() {
    for (profile, version) in [
        (Profile::V3, "3.0.0-draft"),
        (Profile::V2, "2.0.0-draft"),
        (Profile::Dual, "3.0.0-draft"),
    ] {
        let record = worked::record_as(profile);
        assert_eq!(record.get("version"), Some(&version.into()));
        assert_eq!(record.get("id"), record.at(["session", "session-id"]));
    }
}

#[test]
fn s000_24_what_the_first_profile_leaves_out() {
    let record = worked::record_as(Profile::V2).to_json(gemtrail_attest::value::Layout::Compact);
    for dropped in [
        "projectHash",
        "lastUpdated",
        "session-end",
        "tokens",
        "token-usage",
        "resultDisplay",
        "displayName",
        "description",
        "renderOutputAsMarkdown",
        "2026-03-04T09:15:06.012Z",
    ] {
        assert!(!record.contains(dropped), "{dropped}");
    }
}

#[test]
fn s000_25_what_is_absent_is_not_null() {
    let bare = session(
        r#"{"sessionId":"s","messages":[{},{"type":"gemini","content":null,"model":null,
        "toolCalls":[{"args":null,"result":null,"agentId":null}],"thoughts":[{}],"odd":null}]}"#,
    );
    for profile in PROFILES {
        let record = record_as(&bare, profile);
        let json = record.to_json(gemtrail_attest::value::Layout::Compact);
        assert!(!json.contains("null"), "{json}");
        assert_eq!(record.get("created"), None);
        assert_eq!(record.at(["session", "environment"]), None);
        assert_eq!(texts(entries(&record), "id"), ["–", "–"], "no invented ids");
    }
}
