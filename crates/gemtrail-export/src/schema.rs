//! JSON Schema of what the writers write.

use schemars::{Schema, schema_for};

use gemtrail_core::model::Session;

use crate::chat::ChatMessage;
use crate::digest::{Comparison, WorkReport};
use crate::events::SessionEvent;
use crate::jsonl::{Footer, HEADER_SCHEMA, MessageLine};
use crate::signals::Signals;
use crate::transcript::TranscriptDocument;
use crate::usage::UsageRow;

/// The names that [`schema`] knows.
pub const NAMES: [&str; 10] = [
    "session-header",
    "message",
    "session-footer",
    "transcript",
    "chat",
    "event",
    "usage",
    "signals",
    "report",
    "diff",
];

/// The schema of this name.
pub fn schema(name: &str) -> Option<Schema> {
    Some(match name {
        "session-header" => header(),
        "message" => schema_for!(MessageLine<'_>),
        "session-footer" => schema_for!(Footer),
        "transcript" => schema_for!(TranscriptDocument<'_>),
        "chat" => schema_for!(Vec<ChatMessage<'_>>),
        "event" => schema_for!(SessionEvent<'_>),
        "usage" => schema_for!(UsageRow<'_>),
        "signals" => schema_for!(Signals),
        "report" => schema_for!(WorkReport),
        "diff" => schema_for!(Comparison),
        _ => return None,
    })
}

/// The session document without its messages.
fn header() -> Schema {
    let mut schema = schema_for!(Session);
    name_session(&mut schema);
    if let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) {
        properties.remove("messages");
        if let Some(name) = properties.get_mut("schema").and_then(|p| p.as_object_mut()) {
            name.insert("const".to_owned(), HEADER_SCHEMA.into());
            name.insert(
                "description".to_owned(),
                format!("Always `{HEADER_SCHEMA}`.").into(),
            );
        }
    }
    if let Some(required) = schema.get_mut("required").and_then(|r| r.as_array_mut()) {
        required.retain(|name| name != "messages");
    }
    schema.insert("title".to_owned(), "SessionHeader".into());
    schema
}

/// Subagents are session documents, which refer to themselves; in another schema they need a name.
fn name_session(schema: &mut Schema) {
    const NAME: &str = "#/$defs/Session";
    let Some(root) = schema.as_object_mut() else {
        return;
    };
    refer(root.values_mut(), NAME);
    let mut session = root.clone();
    session.remove("$schema");
    session.remove("$defs");
    if let Some(parts) = root.get_mut("$defs").and_then(|it| it.as_object_mut()) {
        parts.insert("Session".to_owned(), session.into());
    }
}

/// Redirects references from the whole schema to the definition of this name.
fn refer<'a>(values: impl Iterator<Item = &'a mut serde_json::Value>, name: &str) {
    for value in values {
        match value {
            serde_json::Value::Object(fields) => {
                if let Some(whole) = fields.get_mut("$ref").filter(|it| **it == "#") {
                    *whole = name.into();
                }
                refer(fields.values_mut(), name);
            }
            serde_json::Value::Array(items) => refer(items.iter_mut(), name),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_schema() {
        for name in NAMES {
            assert!(schema(name).is_some(), "{name}");
        }
        assert!(schema("nonsense").is_none());
    }

    #[test]
    fn the_event_schema_names_every_field_and_type() {
        let event = schema("event").expect("an event schema").to_value();
        let properties = event["properties"].as_object().expect("properties");
        let expected = [
            "category",
            "cwd",
            "harness",
            "id",
            "message",
            "metadata",
            "permission_granted",
            "schema",
            "session_id",
            "timestamp",
            "tool_input",
            "tool_name",
            "tool_result",
            "type",
        ];
        let names: Vec<_> = properties.keys().map(String::as_str).collect();
        assert_eq!(names, expected);
        assert_eq!(properties["schema"]["const"], "gemtrail.event/1");
        let kinds = event["$defs"]["EventKind"].to_string();
        for kind in [
            "session_start",
            "compaction",
            "permission_result",
            "session_end",
        ] {
            assert!(kinds.contains(kind), "{kind}");
        }
    }

    #[test]
    fn a_header_has_no_messages() {
        let header = schema("session-header")
            .expect("a header schema")
            .to_value();
        assert_eq!(header["properties"].get("messages"), None);
        assert!(!header["required"].to_string().contains("\"messages\""));
        assert_eq!(header["properties"]["schema"]["const"], HEADER_SCHEMA);
        let subagents = &header["properties"]["subagents"]["items"];
        assert_eq!(subagents["$ref"], "#/$defs/Session");
        let session = &header["$defs"]["Session"];
        assert!(session["required"].to_string().contains("\"messages\""));
    }
}
