//! What several test files need: the worked example, and sessions made of native JSON.

use gemtrail_attest::vac::{Profile, RecordOptions, Recorder, record};
use gemtrail_attest::value::Value;
use gemtrail_core::json::{Fields, Node, Raw};
use gemtrail_core::model::{
    CallId, Counts, Format, Journal, Kind, Message, MessageId, Origin, Project, Role,
    SESSION_SCHEMA, Session, SessionId, State, Thought, Tokens, ToolCall,
};

pub(crate) mod worked;

/// The session of a whole-file journal. A stand-in for the reader that knows just enough for these
/// tests: every message is current, unknown members go to `extra`.
pub(crate) fn session(native: &str) -> Session {
    let node = Node::parse(native).expect("test data is JSON");
    let text = |name: &str| text(node, name);
    let mut extra = Fields::default();
    for (name, value) in node.members() {
        if !matches!(
            &*name,
            "sessionId" | "projectHash" | "startTime" | "lastUpdated" | "summary" | "messages"
        ) {
            extra.set(&name, value.into());
        }
    }
    Session {
        schema: SESSION_SCHEMA.to_owned(),
        id: SessionId::new(text("sessionId").unwrap_or_default()),
        stems: Vec::new(),
        project: Project {
            hash: text("projectHash"),
            ..Project::default()
        },
        origin: Origin::default(),
        kind: Kind::Main,
        parent: None,
        title: None,
        summary: text("summary"),
        started: text("startTime"),
        updated: text("lastUpdated"),
        models: Vec::new(),
        counts: Counts::default(),
        tokens: Tokens::default(),
        directories: Vec::new(),
        journals: vec![journal("session-2026-03-04T09-15-5b1e0a52.json")],
        messages: items(node, "messages").map(message).collect(),
        logged: Vec::new(),
        subagents: Vec::new(),
        diagnostics: Vec::new(),
        records: Vec::new(),
        extra,
    }
}

/// A session of these messages and nothing else worth mentioning.
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

fn message(node: Node<'_>) -> Message {
    let kind = text(node, "type").unwrap_or_default();
    let mut extra = Fields::default();
    for (name, value) in node.members() {
        if !matches!(
            &*name,
            "id" | "timestamp"
                | "type"
                | "content"
                | "displayContent"
                | "thoughts"
                | "toolCalls"
                | "tokens"
                | "model"
        ) {
            extra.set(&name, value.into());
        }
    }
    Message {
        id: MessageId::new(text(node, "id").unwrap_or_else(|| "gemtrail-1".to_owned())),
        time: text(node, "timestamp"),
        role: match kind.as_str() {
            "user" | "human" => Role::Human,
            "gemini" => Role::Assistant,
            "info" => Role::Info,
            "warning" => Role::Warning,
            "error" => Role::Error,
            _ => Role::Unknown,
        },
        kind,
        state: State::Current,
        superseded_by: None,
        text: String::new(),
        references: Vec::new(),
        model: text(node, "model"),
        thoughts: items(node, "thoughts").map(thought).collect(),
        tool_calls: items(node, "toolCalls").map(tool_call).collect(),
        tokens: node.get("tokens").filter(|t| !t.is_null()).map(tokens),
        content: raw(node, "content"),
        display_content: raw(node, "displayContent"),
        revisions: Vec::new(),
        copies: Vec::new(),
        journal: Some(0),
        extra,
    }
}

fn thought(node: Node<'_>) -> Thought {
    Thought {
        subject: text(node, "subject").unwrap_or_default(),
        text: text(node, "description").unwrap_or_default(),
        time: text(node, "timestamp"),
        extra: Fields::default(),
    }
}

fn tool_call(node: Node<'_>) -> ToolCall {
    ToolCall {
        id: CallId::new(text(node, "id").unwrap_or_default()),
        name: text(node, "name").unwrap_or_default(),
        args: raw(node, "args"),
        status: text(node, "status"),
        result: raw(node, "result"),
        display: raw(node, "resultDisplay"),
        agent: text(node, "agentId"),
        time: text(node, "timestamp"),
        display_name: text(node, "displayName"),
        description: text(node, "description"),
        markdown: node.get("renderOutputAsMarkdown").and_then(Node::as_bool),
        ..ToolCall::default()
    }
}

fn tokens(node: Node<'_>) -> Tokens {
    let count = |name| node.get(name).and_then(Node::as_u64).unwrap_or_default();
    Tokens {
        input: count("input"),
        output: count("output"),
        cached: count("cached"),
        thoughts: count("thoughts"),
        tool: count("tool"),
        total: count("total"),
    }
}

fn text(node: Node<'_>, name: &str) -> Option<String> {
    Some(node.get(name)?.as_str()?.into_owned())
}

fn raw(node: Node<'_>, name: &str) -> Option<Raw> {
    node.get(name).filter(|n| !n.is_null()).map(Raw::from)
}

fn items<'a>(node: Node<'a>, name: &str) -> impl Iterator<Item = Node<'a>> {
    node.get(name).into_iter().flat_map(Node::items)
}

/// A session with one of everything.
pub(crate) fn rich_session() -> Session {
    let mut session = session(include_str!("../data/rich-session.json"));
    session.kind = Kind::Subagent;
    session.parent = Some(SessionId::new("parent"));
    session.directories = vec!["/srv/shared".to_owned()];
    session
}
