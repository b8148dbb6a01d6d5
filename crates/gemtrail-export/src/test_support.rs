//! Sessions built by hand for the tests of the writers.

use std::io;

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    Aside, CallId, Counts, Format, Journal, Kind, Message, MessageId, Origin, PathSource, Place,
    Project, Role, SESSION_SCHEMA, Session, SessionId, SessionRef, State, SupersededBy, Tokens,
    ToolCall, Trace, Written,
};
use gemtrail_core::tools;

use crate::ExportError;

/// What a writer wrote, as text.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), ExportError>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("writing to memory works");
    String::from_utf8(out).expect("writers write UTF-8")
}

/// JSON text as a raw value.
pub(crate) fn raw(text: &str) -> Raw {
    Raw::parse(text).expect("tests write valid JSON")
}

/// Parses every line of JSON Lines.
pub(crate) fn json_lines(text: &str) -> Vec<serde_json::Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn message(role: Role, kind: &str, text: &str) -> Message {
    Message {
        id: MessageId::default(),
        place: Place::default(),
        time: None,
        role,
        kind: kind.into(),
        state: State::Current,
        superseded_by: None,
        text: text.trim().to_owned(),
        references: Vec::new(),
        model: None,
        thoughts: Vec::new(),
        tool_calls: Vec::new(),
        tokens: None,
        content: Some(Raw::string(text)),
        display_content: None,
        revisions: Vec::new(),
        stop: None,
        copied_from: None,
        copies: Vec::new(),
        journal: Some(0),
        trace: Trace::default(),
        written: Written::default(),
        extra: Fields::default(),
    }
}

/// A message of any role that Gemini CLI records as the user's.
pub(crate) fn user(role: Role, text: &str) -> Message {
    let mut message = message(role, "user", text);
    message.content = Some(raw(&format!("[{{\"text\":{}}}]", Raw::string(text).text())));
    message
}

/// What the person typed.
pub(crate) fn human(text: &str) -> Message {
    user(Role::Human, text)
}

/// What the model answered, with 12 tokens.
pub(crate) fn assistant(text: &str) -> Message {
    Message {
        model: Some("gemini-3-pro-preview".to_owned()),
        tokens: Some(Tokens {
            input: 7,
            output: 3,
            cached: 1,
            thoughts: 2,
            tool: 0,
            total: 12,
            uncertain: 0,
        }),
        ..message(Role::Assistant, "gemini", text)
    }
}

/// An `info`, `warning` or `error` of the user interface.
pub(crate) fn notice(role: Role, text: &str) -> Message {
    message(role, role.as_str(), text)
}

/// The message with these tool calls.
pub(crate) fn calling(mut message: Message, calls: impl IntoIterator<Item = ToolCall>) -> Message {
    message.tool_calls = calls.into_iter().collect();
    message
}

/// The message, taken back by the person.
pub(crate) fn rewound(message: Message) -> Message {
    superseded(message, SupersededBy::Rewind)
}

/// The message, no longer current.
pub(crate) fn superseded(mut message: Message, by: SupersededBy) -> Message {
    message.state = State::Superseded;
    message.superseded_by = Some(by);
    message
}

/// A call without an answer.
pub(crate) fn call(name: &str, args: &str) -> ToolCall {
    let tool = tools::canonical(name);
    ToolCall {
        id: CallId::new(format!("{name}__1")),
        name: name.to_owned(),
        canonical: tool.canonical.into_owned(),
        category: tool.category.to_owned(),
        server: tools::server(name, None).map(str::to_owned),
        args: Some(raw(args)),
        ..ToolCall::default()
    }
}

/// A call that succeeded.
pub(crate) fn answered(name: &str, args: &str, output: &str) -> ToolCall {
    with_answer(call(name, args), "success", "output", output)
}

/// A call that failed.
pub(crate) fn failed(name: &str, args: &str, error: &str) -> ToolCall {
    let mut call = with_answer(call(name, args), "error", "error", error);
    call.error = Some(error.to_owned());
    call
}

/// A call that the person refused or stopped.
pub(crate) fn cancelled(name: &str, args: &str) -> ToolCall {
    let reason = "[Operation Cancelled] Reason: User did not allow tool call";
    with_answer(call(name, args), "cancelled", "error", reason)
}

fn with_answer(call: ToolCall, status: &str, member: &str, text: &str) -> ToolCall {
    let response = serde_json::json!([{"functionResponse": {
        "id": call.id.as_str(), "name": call.name, "response": {member: text},
    }}]);
    ToolCall {
        status: Some(status.into()),
        output: Some(text.to_owned()),
        result: Some(raw(&response.to_string())),
        ..call
    }
}

/// A session of these messages, ten seconds apart, in one JSONL journal.
pub(crate) fn session(messages: impl IntoIterator<Item = Message>) -> Session {
    let mut messages: Vec<_> = messages.into_iter().collect();
    for (index, message) in messages.iter_mut().enumerate() {
        message.id = MessageId::new(format!("m{}", index + 1));
        let time = format!("2026-06-01T10:{:02}:{:02}.000Z", index / 6, index % 6 * 10);
        for call in &mut message.tool_calls {
            call.time
                .get_or_insert_with(|| time.replace(".000Z", ".500Z"));
        }
        message.time.get_or_insert(time);
    }
    Session {
        schema: SESSION_SCHEMA.to_owned(),
        reference: SessionRef::new("76a2", None, "2f1e0a52-0000-4000-8000-000000000001", None),
        id: SessionId::new("2f1e0a52-0000-4000-8000-000000000001"),
        stems: vec!["session-2026-06-01T10-00-2f1e0a52".to_owned()],
        project: Project {
            dir: Some("my-app".to_owned()),
            hash: Some("76a2".to_owned()),
            path: Some("/home/alice/my-app".to_owned()),
            path_source: PathSource::Marker,
        },
        origin: Origin::default(),
        source: gemtrail_core::model::SessionSource::GeminiCli,
        kind: Kind::Main,
        recorded_kind: None,
        parent: None,
        parent_ref: None,
        title: Some("A title".to_owned()),
        marks: gemtrail_core::model::Marks::default(),
        summary: None,
        started: Some("2026-06-01T10:00:00.000Z".to_owned()),
        updated: messages.last().and_then(|message| message.time.clone()),
        infers_start: Aside(false),
        infers_update: Aside(false),
        models: vec!["gemini-3-pro-preview".to_owned()],
        counts: Counts {
            messages: messages.len() as u64,
            ..Counts::default()
        },
        tokens: messages.iter().filter_map(|message| message.tokens).sum(),
        directories: Vec::new(),
        journals: vec![Journal {
            path: "chats/session-2026-06-01T10-00-2f1e0a52.jsonl".to_owned(),
            format: Format::Jsonl,
            bytes: 1234,
            sha256: None,
            clean_up: Aside(None),
        }],
        messages,
        logged: Vec::new(),
        subagents: Vec::new(),
        diagnostics: Vec::new(),
        records: Vec::new(),
        extra: Fields::default(),
    }
}

/// A writer that fails like a closed pipe.
pub(crate) struct BrokenPipe;

impl io::Write for BrokenPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
