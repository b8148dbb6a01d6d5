//! Messages as entries: thoughts, tool calls and their results are children of the message.

use gemtrail_core::json::{Node, Raw};
use gemtrail_core::model::{
    CallStatus, Message, MessageKind, Role, SupersededBy, Thought, ThoughtSource, ToolCall,
};
use gemtrail_core::view::taken_back_by;

use crate::time::follows_pattern;
use crate::validate::{ASSISTANT, EVENT, Map, REASONING, TOKEN_USAGE, TOOL_CALL};
use crate::value::{Object, Value, object, put};

use super::options::{Profile, UNKNOWN};
use super::translator::{Native, Translator, event_data, non_empty};

/// The kind of entry that a message becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    User,
    Assistant,
    /// A notice of the user interface.
    Notice,
    /// An unknown type; never taken for anyone's words.
    Unknown,
}

impl EntryKind {
    fn of(message: &Message) -> Self {
        match &message.kind {
            MessageKind::User | MessageKind::Human => Self::User,
            MessageKind::Gemini | MessageKind::Model => Self::Assistant,
            MessageKind::Info | MessageKind::Warning | MessageKind::Error => Self::Notice,
            // Formats without a `type` on each message still have the role.
            MessageKind::Other(_) => match message.role {
                Role::Human => Self::User,
                Role::Assistant => Self::Assistant,
                _ => Self::Unknown,
            },
        }
    }
}

impl Translator {
    /// The entry that represents a message.
    pub(super) fn entry(&mut self, message: &Message) -> Value {
        self.begin(message);
        let kind = EntryKind::of(message);
        let mut native = Native::default();
        let mut entry = match kind {
            EntryKind::User => self.spoken("user", message, &mut native),
            EntryKind::Assistant => self.spoken("assistant", message, &mut native),
            EntryKind::Notice | EntryKind::Unknown => self.event(kind, message, &mut native),
        };
        native.add("displayContent", self.raw(message.display_content.as_ref()));
        native.add(
            "supersededBy",
            taken_back_by(message).map(SupersededBy::as_str),
        );
        let mut extra = message.extra.clone();
        if extra.get(TOKENS).is_some_and(has_only_counters) {
            extra.remove(TOKENS);
        }
        self.fields(&mut entry, &mut native, &extra);
        let schema: &'static Map = match kind {
            EntryKind::User | EntryKind::Assistant => &ASSISTANT,
            EntryKind::Notice | EntryKind::Unknown => &EVENT,
        };
        native.place(&mut entry, self.profile, schema);
        let children = self.children(message);
        if !children.is_empty() {
            entry.insert("children".to_owned(), Value::Array(children));
        }
        entry.into()
    }

    /// Words of the user or the model.
    fn spoken(&mut self, kind: &str, message: &Message, native: &mut Native) -> Object {
        let mut entry = object([("type", kind.into())]);
        self.time(&mut entry, native, message.time.as_deref());
        put(&mut entry, "content", self.raw(message.content.as_ref()));
        put(&mut entry, "id", own_id(message));
        if kind == "assistant" {
            put(&mut entry, "model-id", model(message));
            if !self.profile.is_minimal() {
                put(
                    &mut entry,
                    "token-usage",
                    token_usage(message, self.profile),
                );
            }
        } else {
            native.add("model", model(message));
            native.add(TOKENS, native_tokens(message));
        }
        entry
    }

    /// Something that neither the user nor the model said.
    fn event(&mut self, kind: EntryKind, message: &Message, native: &mut Native) -> Object {
        let mut entry = object([("type", "system-event".into())]);
        self.time(&mut entry, native, message.time.as_deref());
        put(&mut entry, "id", own_id(message));
        let is_named = !message.kind.is_empty();
        let event_type = if is_named {
            message.kind.as_str()
        } else {
            "unknown"
        };
        entry.insert("event-type".to_owned(), event_type.into());

        let mut data = Object::new();
        if kind == EntryKind::Unknown {
            put(&mut data, "id", own_id(message));
            put(&mut data, "timestamp", message.time.as_deref());
            put(&mut data, "type", is_named.then_some(event_type));
        }
        put(&mut data, "content", self.raw(message.content.as_ref()));
        if is_compression_mark(message) {
            data.insert("marker".to_owned(), "compress".into());
        }
        put(&mut data, "model", model(message));
        put(&mut data, TOKENS, native_tokens(message));
        if !data.is_empty() {
            entry.insert("data".to_owned(), event_data(data, self.profile));
        }
        entry
    }

    /// All reasoning first, then each call directly followed by its result.
    fn children(&mut self, message: &Message) -> Vec<Value> {
        let mut children = Vec::new();
        // The first translator knew nothing of thoughts among the parts; the content has them.
        let is_told = |thought: &&Thought| {
            !self.profile.is_minimal() || thought.source != ThoughtSource::Content
        };
        let thoughts: Vec<&Thought> = message.thoughts.iter().filter(is_told).collect();
        for thought in thoughts {
            children.push(self.reasoning(thought));
        }
        for call in &message.tool_calls {
            self.tool_call(call, message.time.as_deref(), &mut children);
        }
        children
    }

    fn reasoning(&mut self, thought: &Thought) -> Value {
        let mut entry = object([
            ("type", "reasoning".into()),
            ("content", thought.text.as_str().into()),
        ]);
        let has_subject = thought.source == ThoughtSource::Thoughts || !thought.subject.is_empty();
        put(
            &mut entry,
            "subject",
            has_subject.then_some(thought.subject.as_str()),
        );
        let mut native = Native::default();
        if !self.profile.is_minimal() {
            self.time(&mut entry, &mut native, thought.time.as_deref());
        }
        self.fields(&mut entry, &mut native, &thought.extra);
        native.place(&mut entry, self.profile, &REASONING);
        entry.into()
    }
}

/// The model that answered.
pub(super) fn model(message: &Message) -> Option<&str> {
    message.model.as_deref().and_then(non_empty)
}

/// The id, unless the reader had to invent one.
pub(crate) fn own_id(message: &Message) -> Option<&str> {
    let id = message.id.as_str();
    let is_invented = id
        .strip_prefix("gemtrail-")
        .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    non_empty(id).filter(|_| !is_invented)
}

/// `/compress` leaves only an empty notice behind.
fn is_compression_mark(message: &Message) -> bool {
    let is_empty = |raw: &Raw| raw.node().as_str().is_some_and(|text| text.is_empty());
    message.kind == MessageKind::Info && message.content.as_ref().is_some_and(is_empty)
}

impl Translator {
    /// The call, and its result if there is one.
    pub(super) fn tool_call(
        &mut self,
        call: &ToolCall,
        message_time: Option<&str>,
        children: &mut Vec<Value>,
    ) {
        // A bad time of the message is kept, and noted, on the message.
        let message_time = message_time.filter(|text| follows_pattern(text));
        let time = call.time.as_deref().or(message_time);
        let output = self.raw(call.result.as_ref());

        let mut native = Native::default();
        let mut entry = object([("type", "tool-call".into())]);
        self.time(&mut entry, &mut native, time);
        let name = non_empty(&call.name).unwrap_or(UNKNOWN);
        entry.insert("name".to_owned(), name.into());
        let input = self.raw(call.args.as_ref());
        let input = input.unwrap_or_else(|| Object::new().into());
        entry.insert("input".to_owned(), input);
        put(&mut entry, "call-id", non_empty(call.id.as_str()));

        native.add("displayName", call.display_name.as_deref());
        native.add("description", call.description.as_deref());
        native.add("resultDisplay", self.raw(call.display.as_ref()));
        native.add("renderOutputAsMarkdown", call.markdown);
        native.add("agentId", call.agent.as_deref());
        if output.is_none() {
            // The schema has a status only on results.
            native.add("status", status(call).map(CallStatus::as_str));
        }
        self.fields(&mut entry, &mut native, &call.extra);
        native.place(&mut entry, self.profile, &TOOL_CALL);
        children.push(entry.into());

        if let Some(output) = output {
            children.push(self.tool_result(call, output, time));
        }
    }

    fn tool_result(&mut self, call: &ToolCall, output: Value, time: Option<&str>) -> Value {
        let mut entry = object([("type", "tool-result".into())]);
        // A bad time is already kept, and noted, on the call.
        let time = time.filter(|text| follows_pattern(text));
        put(&mut entry, "timestamp", time);
        entry.insert("output".to_owned(), output);
        let status = status(call);
        put(&mut entry, "status", status.map(CallStatus::as_str));
        if status == Some(&CallStatus::Error) && !self.profile.is_minimal() {
            entry.insert("is-error".to_owned(), true.into());
        }
        put(&mut entry, "call-id", non_empty(call.id.as_str()));
        entry.into()
    }
}

/// The status, if a file has it.
fn status(call: &ToolCall) -> Option<&CallStatus> {
    call.status.as_ref().filter(|_| !call.infers_status.0)
}

/// The member that has the counters, also as recorded where some of them are missing.
const TOKENS: &str = "tokens";

const COUNTERS: [&str; 6] = ["input", "output", "cached", "thoughts", "tool", "total"];

/// True if there is nothing but counters.
fn has_only_counters(tokens: &Raw) -> bool {
    let mut members = tokens.node().members();
    members.all(|(name, node)| COUNTERS.contains(&name.as_ref()) && node.as_u64().is_some())
}

/// The recorded counters of a message, by their own names.
fn counters(message: &Message) -> Option<[(&'static str, Option<u64>); 6]> {
    let tokens = message.tokens?;
    let recorded = message.extra.get(TOKENS);
    let has = |counter: &str| {
        let number = |raw: &Raw| raw.node().get(counter).and_then(Node::as_u64);
        recorded.is_none_or(|raw| number(raw).is_some())
    };
    let numbers = [
        tokens.input,
        tokens.output,
        tokens.cached,
        tokens.thoughts,
        tokens.tool,
        tokens.total,
    ];
    let mut counters = COUNTERS.map(|counter| (counter, None));
    for ((counter, number), value) in counters.iter_mut().zip(numbers) {
        *number = has(counter).then_some(value);
    }
    Some(counters)
}

/// The counters under the schema's names; the two it does not know stay native.
fn token_usage(message: &Message, profile: Profile) -> Option<Value> {
    let [input, output, cached, thoughts, tool, total] = counters(message)?;
    let mut usage = Object::new();
    for (name, number) in [input, output, cached, ("reasoning", thoughts.1), total] {
        put(&mut usage, name, number);
    }
    let mut native = Native::default();
    for (name, number) in [thoughts, tool] {
        native.add(name, number);
    }
    native.place(&mut usage, profile, &TOKEN_USAGE);
    (!usage.is_empty()).then(|| usage.into())
}

/// The counters under their own names, for where the schema has no place for usage.
fn native_tokens(message: &Message) -> Option<Value> {
    let mut tokens = Object::new();
    for (name, number) in counters(message)? {
        put(&mut tokens, name, number);
    }
    (!tokens.is_empty()).then(|| tokens.into())
}
