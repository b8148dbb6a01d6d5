//! Where the profiles put what the schema has no name for, and what becomes of odd input.

use gemtrail_attest::vac::{Note, Profile, RecordOptions, record};
use gemtrail_attest::value::{Layout, Value};
use gemtrail_core::json::Raw;
use gemtrail_core::model::{Kind, Session, SessionId};

use crate::common::{
    children, entries, journal, only_entry, record_as, record_v3, rich_session, session_of, texts,
    tree,
};

#[test]
fn c_10_notices_are_events_and_an_empty_one_marks_a_compression() {
    let session = session_of(
        r#"{"id":"i","type":"info","content":"Hi."},{"type":"warning","content":"Hm."},
        {"type":"error","content":"No."},{"type":"info","content":""}"#,
    );
    let record = record_v3(&session);
    assert_eq!(texts(entries(&record), "type"), ["system-event"; 4]);
    assert_eq!(
        texts(entries(&record), "event-type"),
        ["info", "warning", "error", "info"]
    );
    for (entry, words) in entries(&record).iter().zip(["Hi.", "Hm.", "No."]) {
        let data = tree(&format!(r#"{{"content":"{words}"}}"#));
        assert_eq!(entry.get("data"), Some(&data));
    }
    assert_eq!(
        entries(&record)[3].get("data"),
        Some(&tree(r#"{"content":"","marker":"compress"}"#))
    );
    for profile in [Profile::V2, Profile::Dual] {
        assert_eq!(
            entries(&record_as(&session, profile))[3].get("data"),
            Some(&tree(
                r#"{"vendor":"gemini-cli","data":{"content":"","marker":"compress"}}"#
            ))
        );
    }
}

#[test]
fn unknown_types_are_events_never_anybodys_words() {
    let message = r#"{"id":"x","timestamp":"2026-01-01T00:00:01Z","type":"telemetry","content":"c","extra":1}"#;
    let data = r#"{"id":"x","timestamp":"2026-01-01T00:00:01Z","type":"telemetry","content":"c"}"#;
    assert_eq!(
        only_entry(message, Profile::V3),
        tree(&format!(
            r#"{{"type":"system-event","timestamp":"2026-01-01T00:00:01Z","id":"x",
            "event-type":"telemetry","data":{data},"extra":1}}"#
        ))
    );
    assert_eq!(
        only_entry(message, Profile::Dual),
        tree(&format!(
            r#"{{"type":"system-event","timestamp":"2026-01-01T00:00:01Z","id":"x","event-type":"telemetry",
            "data":{{"vendor":"gemini-cli","data":{data}}},"vendor-ext":{{"vendor":"gemini-cli","data":{{"extra":1}}}}}}"#
        ))
    );
}

#[test]
fn native_members_never_pass_for_those_of_the_schema() {
    let message = r#"{"type":"user","content":"c","children":"mine","future":1,"native":2}"#;
    assert_eq!(
        only_entry(message, Profile::V3),
        tree(r#"{"type":"user","content":"c","future":1,"native":{"children":"mine","native":2}}"#)
    );
    assert_eq!(
        only_entry(message, Profile::V2),
        tree(r#"{"type":"user","content":"c"}"#)
    );
    assert_eq!(
        only_entry(message, Profile::Dual).at(["vendor-ext", "data"]),
        Some(&tree(r#"{"children":"mine","future":1,"native":2}"#))
    );
}

#[test]
fn failed_calls_say_so_where_the_profile_knows_how() {
    let message = r#"{"type":"gemini","toolCalls":[{"name":"a","result":[],"status":"error"},
        {"name":"b","result":[],"status":"cancelled"},{"name":"c","status":"error"}]}"#;
    let entry = only_entry(message, Profile::V3);
    let is_error = |child: &Value| child.get("is-error").cloned();
    let found: Vec<_> = children(&entry).iter().map(is_error).collect();
    assert_eq!(found, [None, Some(true.into()), None, None, None]);
    assert_eq!(
        children(&entry)[4].get("status"),
        Some(&"error".into()),
        "without a result the status stands on the call"
    );
    let seed = only_entry(message, Profile::V2);
    assert!(
        children(&seed)
            .iter()
            .all(|child| is_error(child).is_none())
    );
}

#[test]
fn the_session_keeps_its_own_members() {
    let rich = rich_session();
    let record = record_v3(&rich);
    let trace = record.get("session").unwrap();
    assert_eq!(trace.get("kind"), Some(&"subagent".into()));
    assert_eq!(trace.get("parentSessionId"), Some(&"parent".into()));
    assert_eq!(trace.get("directories"), Some(&tree(r#"["/srv/shared"]"#)));
    assert_eq!(
        trace.at(["memoryScratchpad", "version"]),
        Some(&1u64.into())
    );
    assert_eq!(
        trace.get("session-end"),
        Some(&"2026-04-01T08:00:08.000Z".into()),
        "the last message, since the update of the file is no time"
    );
    assert!(trace.at(["native", "entries"]).is_some());
    let dual = record_as(&rich, Profile::Dual);
    let extension = dual.at(["session", "vendor-ext", "data"]).unwrap();
    assert!(extension.get("projectHash").is_some() && extension.get("kind").is_some());
}

#[test]
fn a_main_session_has_no_parent_and_claims_no_kind() {
    let mut session = session_of("");
    session.kind = Kind::Main;
    session.parent = Some(SessionId::new("p"));
    let record = record_v3(&session);
    assert_eq!(record.at(["session", "kind"]), None);
    assert_eq!(record.at(["session", "parentSessionId"]), None);
}

#[test]
fn the_last_model_is_the_sessions_and_several_are_listed() {
    let session = session_of(
        r#"{"type":"gemini","model":"gemini-b"},{"type":"gemini","model":"gemini-a"},{"type":"gemini","model":""}"#,
    );
    assert_eq!(
        record_v3(&session).at(["session", "agent-meta"]),
        Some(&tree(
            r#"{"model-id":"gemini-a","model-provider":"google","models":["gemini-a","gemini-b"],"cli-name":"gemini-cli"}"#
        ))
    );
    let alone = session_of(r#"{"type":"gemini","model":"gemini-b"}"#);
    assert_eq!(
        record_v3(&alone).at(["session", "agent-meta", "models"]),
        None
    );
    assert_eq!(
        record_v3(&session_of("")).at(["session", "agent-meta"]),
        Some(&tree(
            r#"{"model-id":"unknown","model-provider":"unknown","cli-name":"gemini-cli"}"#
        ))
    );
}

#[test]
fn several_journals_are_one_record_with_a_mark_between() {
    let mut session =
        session_of(r#"{"id":"a","type":"user"},{"id":"b","type":"user"},{"id":"c","type":"user"}"#);
    session.journals = vec![journal("/x/one.json"), journal("C:\\y\\two.jsonl")];
    session.messages[2].journal = Some(1);
    let record = record_v3(&session);
    assert_eq!(texts(entries(&record), "id"), ["a", "b", "–", "c"]);
    assert_eq!(
        entries(&record)[2],
        tree(
            r#"{"type":"system-event","event-type":"session-continued","data":{"file":"two.jsonl"}}"#
        )
    );
    assert_eq!(
        entries(&record_as(&session, Profile::V2))[2].get("data"),
        Some(&tree(
            r#"{"vendor":"gemini-cli","data":{"file":"two.jsonl"}}"#
        ))
    );
}

#[test]
fn a_session_without_id_gets_one_that_is_always_the_same() {
    let mut session = session_of(r#"{"type":"user","content":"hi"}"#);
    session.id = SessionId::default();
    let by_stem = record_v3(&session);
    assert_eq!(
        by_stem.get("id"),
        Some(&"session-2026-03-04T09-15-5b1e0a52".into())
    );

    session.stems.clear();
    let id = |session: &Session| {
        let record = record_v3(session);
        record.get("id").unwrap().to_json(Layout::Compact)
    };
    let first = id(&session);
    assert_eq!(first, id(&session));
    assert_eq!(&first[15..16], "8", "a UUID of version 8");
    session.messages[0].content = Raw::parse(r#""other""#);
    assert_ne!(first, id(&session));
}

#[test]
fn what_had_to_be_changed_is_noted() {
    let session = session_of(
        r#"{"id":"m","type":"gemini","timestamp":"noon","content":"\ud83d","displayContent":"\ude00",
        "toolCalls":[{"name":"a","timestamp":"later"},{"name":"b"}]}"#,
    );
    let record = record(&session, &RecordOptions::default());
    let message = Some("m".into());
    assert_eq!(
        record.notes,
        [
            Note::BadTime {
                message: message.clone(),
                text: "noon".to_owned()
            },
            Note::LoneSurrogate {
                message: message.clone()
            },
            Note::BadTime {
                message,
                text: "later".to_owned()
            },
        ]
    );
    let entry = &entries(&record.value)[0];
    assert_eq!(entry.get("content"), Some(&"\u{FFFD}".into()));
    assert_eq!(entry.get("rawTimestamp"), Some(&"noon".into()));
    assert_eq!(entry.get("timestamp"), None);
    assert_eq!(texts(children(entry), "rawTimestamp"), ["later", "–"]);
}

#[test]
fn numbers_pass_through_as_written() {
    let content = "[1.00,1e2,123456789012345678901234567890,-0,0.1]";
    let entry = only_entry(
        &format!(r#"{{"type":"user","content":{content}}}"#),
        Profile::V3,
    );
    assert_eq!(
        entry.get("content").unwrap().to_json(Layout::Compact),
        content
    );
}

#[test]
fn the_deepest_source_gives_a_record_that_can_be_read_back() {
    let deep = "[".repeat(500) + &"]".repeat(500);
    let session = session_of(&format!(
        r#"{{"type":"gemini","toolCalls":[{{"name":"a","args":{{}},"result":{deep}}}]}},{{"type":"odd","content":{deep}}}"#
    ));
    for profile in [Profile::V3, Profile::Dual] {
        let record = record_as(&session, profile);
        let json = record.to_json(Layout::Pretty);
        assert_eq!(Value::parse(&json).as_ref(), Ok(&record));
    }
}

#[test]
fn the_recorded_kind_is_kept_where_there_is_one() {
    let record = |kind: &str| {
        let native = format!(r#"{{"sessionId":"s",{kind}"messages":[]}}"#);
        let session = crate::common::session(&native);
        let value = record_v3(&session);
        let dual = record_as(&session, Profile::Dual);
        let kind = |value: Option<&Value>| value.and_then(Value::as_text).map(str::to_owned);
        (
            kind(value.at(["session", "kind"])),
            kind(dual.at(["session", "vendor-ext", "data", "kind"])),
        )
    };
    let both = |word: &str| (Some(word.to_owned()), Some(word.to_owned()));
    assert_eq!(record(r#""kind":"main","#), both("main"));
    assert_eq!(record(r#""kind":"subagent","#), both("subagent"));
    assert_eq!(record(r#""kind":"new","#), both("new"));
    assert_eq!(record(""), (None, None));
}

#[test]
fn s000_18_s000_25_an_empty_subject_is_a_subject_and_a_missing_one_is_none() {
    let message = r#"{"id":"a","type":"gemini","content":"","thoughts":[
        {"subject":"","description":"d"},{"description":"e"},{"subject":"s","description":"f"}]}"#;
    for profile in [Profile::V3, Profile::V2, Profile::Dual] {
        let entry = only_entry(message, profile);
        let subjects: Vec<_> = children(&entry)
            .iter()
            .map(|child| child.get("subject").and_then(Value::as_text))
            .collect();
        assert_eq!(subjects, [Some(""), None, Some("s")], "{profile:?}");
    }
}

#[test]
fn s000_18_only_thoughts_are_reasoning_in_the_first_schema() {
    let message = r#"{"id":"a","type":"gemini",
        "content":[{"text":"**Plan** look","thought":true},{"text":"answer"}]}"#;
    assert_eq!(children(&only_entry(message, Profile::V2)), []);
    for profile in [Profile::V3, Profile::Dual] {
        let entry = only_entry(message, profile);
        assert_eq!(texts(children(&entry), "content"), ["look"], "{profile:?}");
    }
}
