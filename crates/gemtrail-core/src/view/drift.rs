//! Things in a session that this version has no word for: Gemini CLI has moved on.
//!
//! Nothing of it is lost, the document keeps it; but it may mean something.

use std::collections::BTreeSet;

use serde::Serialize;
use strum::IntoStaticStr;

use crate::json::{Node, Raw, Shape};
use crate::model::{CallStatus, Message, Role, Session, ToolCall};
use crate::tools;

/// The kind of an unknown thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum UnknownKind {
    /// A kind of record.
    Record,
    /// The type of a message.
    Type,
    /// A field of a session, a message, a thought or a tool call.
    Field,
    /// The status of a tool call.
    Status,
    /// A tool that is neither built in nor of an MCP server.
    Tool,
    /// A kind of part of a content.
    Part,
}

impl UnknownKind {
    /// The kind in a word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Something that this version has no word for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unknown {
    /// The kind of thing.
    pub kind: UnknownKind,
    /// Its name in Gemini CLI: for a record without a type, the names of its members.
    pub name: String,
}

/// Fields that are known to be of no interest to a reader.
const KNOWN_FIELDS: [&str; 5] = [
    "memoryScratchpad",
    "messageCount",
    "userMessageCount",
    "firstUserMessage",
    "hasResumableContent",
];

/// The members of parts: what they are, and what may stand beside that.
const KNOWN_PARTS: [&str; 12] = [
    "text",
    "thought",
    "thoughtSignature",
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "videoMetadata",
    "mediaResolution",
    "partMetadata",
];

/// Everything unknown in a session and in those of its agents.
pub fn unknowns(session: &Session) -> BTreeSet<Unknown> {
    let mut found = Unknowns::default();
    found.session(session);
    found.0
}

/// Collects what is unknown in sessions and messages.
#[derive(Debug, Default)]
pub struct Unknowns(BTreeSet<Unknown>);

impl Unknowns {
    /// The unknown things that were found.
    pub fn into_set(self) -> BTreeSet<Unknown> {
        self.0
    }

    fn add(&mut self, kind: UnknownKind, name: impl Into<String>) {
        let name = name.into();
        self.0.insert(Unknown { kind, name });
    }

    /// Looks at a session and at those of its agents.
    pub fn session(&mut self, session: &Session) {
        self.head(session);
        for message in &session.messages {
            self.message(message);
        }
        for subagent in &session.subagents {
            self.session(subagent);
        }
    }

    /// Looks at a session, but not at its messages and agents.
    pub fn head(&mut self, session: &Session) {
        for opaque in &session.records {
            self.add(UnknownKind::Record, record_name(&opaque.record));
        }
        self.fields(session.extra.iter().map(|(name, _)| name));
    }

    /// Looks at a message.
    pub fn message(&mut self, message: &Message) {
        if message.role == Role::Unknown {
            self.add(UnknownKind::Type, message.kind.as_str());
        }
        self.fields(message.extra.iter().map(|(name, _)| name));
        for thought in &message.thoughts {
            self.fields(thought.extra.iter().map(|(name, _)| name));
        }
        self.parts(message.content.as_ref());
        for call in &message.tool_calls {
            self.call(call);
        }
    }

    fn call(&mut self, call: &ToolCall) {
        if let Some(CallStatus::Other(status)) = &call.status {
            self.add(UnknownKind::Status, &**status);
        }
        let is_foreign = call.server.is_some() || call.agent.is_some();
        if !is_foreign && !tools::is_built_in(&call.name.to_lowercase()) {
            self.add(UnknownKind::Tool, call.name.as_str());
        }
        self.fields(call.extra.iter().map(|(name, _)| name));
        self.parts(call.result.as_ref());
    }

    fn fields<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        for name in names.filter(|name| !KNOWN_FIELDS.contains(name)) {
            self.add(UnknownKind::Field, name);
        }
    }

    fn parts(&mut self, content: Option<&Raw>) {
        let Some(content) = content.map(Raw::node) else {
            return;
        };
        match content.shape() {
            Shape::Array => content.items().for_each(|part| self.part(part)),
            _ => self.part(content),
        }
    }

    fn part(&mut self, part: Node<'_>) {
        if part.shape() == Shape::Object {
            for (name, _) in part.members() {
                if !KNOWN_PARTS.contains(&name.as_ref()) {
                    self.add(UnknownKind::Part, name);
                }
            }
        }
    }
}

/// The name of a record: its type, else the names of its members.
fn record_name(record: &Raw) -> String {
    let node = record.node();
    if let Some(kind) = node.get("type").and_then(Node::as_str) {
        return kind.into_owned();
    }
    let names: Vec<String> = node.members().map(|(name, _)| name.into_owned()).collect();
    names.join(", ")
}
