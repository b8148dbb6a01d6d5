//! Shared by several test files: the worked example, and sessions built from native JSON.

use gemtrail_attest::vac::{Profile, RecordOptions, Recorder, record};
use gemtrail_attest::value::Value;
use gemtrail_core::model::{Aside, Format, Journal, Kind, Session, SessionId};

pub(crate) mod worked;

/// The name of every journal here.
const JOURNAL_NAME: &str = "session-2026-03-04T09-15-5b1e0a52.json";

/// The session of one journal, as read by the reader.
pub(crate) fn session(native: &str) -> Session {
    gemtrail_core::session(JOURNAL_NAME, native.as_bytes())
}

/// A session with these messages and a minimal header.
pub(crate) fn session_of(messages: &str) -> Session {
    session(&format!(
        r#"{{"sessionId":"s","startTime":"2026-01-01T00:00:00.000Z","messages":[{messages}]}}"#
    ))
}

/// A file of a session.
pub(crate) fn journal(path: &str) -> Journal {
    Journal {
        path: path.to_owned(),
        format: Format::Json,
        bytes: 0,
        sha256: None,
        clean_up: Aside(None),
    }
}

/// The record of a session under a profile.
pub(crate) fn record_as(session: &Session, profile: Profile) -> Value {
    let options = RecordOptions {
        profile,
        recorder: example_recorder(),
        ..RecordOptions::default()
    };
    record(session, &options).value
}

/// The record under the newest schema.
pub(crate) fn record_v3(session: &Session) -> Value {
    record_as(session, Profile::V3)
}

/// The entries of a record.
pub(crate) fn entries(record: &Value) -> &[Value] {
    record
        .at(["session", "entries"])
        .and_then(Value::as_array)
        .expect("a record has entries")
}

/// The recorder of the worked example.
pub(crate) fn example_recorder() -> Recorder {
    Recorder {
        name: "example-recorder".to_owned(),
        version: Some("0.1.0".to_owned()),
    }
}

/// The only entry of a session with one message.
pub(crate) fn only_entry(message: &str, profile: Profile) -> Value {
    let record = record_as(&session_of(message), profile);
    match entries(&record) {
        [entry] => entry.clone(),
        other => panic!("one message, {} entries", other.len()),
    }
}

/// The children of an entry.
pub(crate) fn children(entry: &Value) -> &[Value] {
    entry
        .get("children")
        .and_then(Value::as_array)
        .unwrap_or_default()
}

/// The values under one name.
pub(crate) fn texts<'a>(values: &'a [Value], name: &str) -> Vec<&'a str> {
    let text = |value: &'a Value| value.get(name).and_then(Value::as_text);
    values
        .iter()
        .map(|value| text(value).unwrap_or("–"))
        .collect()
}

/// A tree from JSON text.
pub(crate) fn tree(json: &str) -> Value {
    Value::parse(json).expect("test data is JSON")
}

/// A session with one of everything.
pub(crate) fn rich_session() -> Session {
    let mut session = session(include_str!("../data/rich-session.json"));
    session.kind = Kind::Subagent;
    session.parent = Some(SessionId::new("parent"));
    session.directories = vec!["/srv/shared".to_owned()];
    session
}
