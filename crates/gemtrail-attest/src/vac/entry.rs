//! Messages as entries.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{Message, MessageId, Role, Thought, Tokens};

use super::native::{Native, event_data};
use super::notes::Note;
use super::options::{Profile, was_taken_back};
use crate::time::follows_pattern;
use crate::validate::{EVENT, MESSAGE, Map, REASONING, TOKEN_USAGE};
use crate::value::{Object, Value, from_raw, object};

/// What a message is in a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    User,
    Assistant,
    /// A notice of the user interface.
    Notice,
    /// Nothing that is known; never taken for anybody's words.
    Unknown,
}

impl EntryKind {
    fn of(message: &Message) -> Self {
        match (message.kind.as_str(), message.role) {
            ("user" | "human", _) => Self::User,
            ("gemini" | "model", _) => Self::Assistant,
            ("info" | "warning" | "error", _) => Self::Notice,
            // Formats without a `type` on each message still tell the role.
            (_, Role::Human) => Self::User,
            (_, Role::Assistant) => Self::Assistant,
            _ => Self::Unknown,
        }
    }
}

/// Turns the parts of a session into parts of a record, and remembers what it had to change.
pub(super) struct Translator {
    pub(super) profile: Profile,
    pub(super) notes: Vec<Note>,
    /// The message at hand, for notes.
    message: Option<MessageId>,
}

impl Translator {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            notes: Vec::new(),
            message: None,
        }
    }

    /// The one entry that a message becomes.
    pub(super) fn entry(&mut self, message: &Message) -> Value {
        self.message = Some(message.id.clone());
        let kind = EntryKind::of(message);
        let mut native = Native::default();
        let mut entry = match kind {
            EntryKind::User => self.spoken("user", message, &mut native),
            EntryKind::Assistant => self.spoken("assistant", message, &mut native),
            EntryKind::Notice | EntryKind::Unknown => self.event(kind, message, &mut native),
        };
        native.add("displayContent", self.raw(message.display_content.as_ref()));
        if was_taken_back(message) {
            let cause = message.superseded_by.and_then(word);
            native.add("supersededBy", cause);
        }
        self.fields(&mut native, &message.extra);
        let schema: &'static Map = match kind {
            EntryKind::User | EntryKind::Assistant => &MESSAGE,
            EntryKind::Notice | EntryKind::Unknown => &EVENT,
        };
        native.place(&mut entry, self.profile, schema);
        let children = self.children(message);
        if !children.is_empty() {
            entry.insert("children".to_owned(), Value::Array(children));
        }
        self.message = None;
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
            if let Some(tokens) = message.tokens.filter(|_| !self.profile.is_minimal()) {
                let usage = token_usage(tokens, self.profile);
                entry.insert("token-usage".to_owned(), usage);
            }
        } else {
            native.add("model", model(message));
            native.add("tokens", message.tokens.map(native_tokens));
        }
        entry
    }

    /// Something that nobody said.
    fn event(&mut self, kind: EntryKind, message: &Message, native: &mut Native) -> Object {
        let mut entry = object([("type", "system-event".into())]);
        self.time(&mut entry, native, message.time.as_deref());
        put(&mut entry, "id", own_id(message));
        let is_named = !message.kind.is_empty();
        let event_type = if is_named { &message.kind } else { "unknown" };
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
        put(&mut data, "tokens", message.tokens.map(native_tokens));
        if !data.is_empty() {
            entry.insert("data".to_owned(), event_data(data, self.profile));
        }
        entry
    }

    /// All reasoning first, then each call directly followed by its result.
    fn children(&mut self, message: &Message) -> Vec<Value> {
        let mut children = Vec::new();
        for thought in &message.thoughts {
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
        put(&mut entry, "subject", non_empty(&thought.subject));
        let mut native = Native::default();
        if !self.profile.is_minimal() {
            self.time(&mut entry, &mut native, thought.time.as_deref());
        }
        self.fields(&mut native, &thought.extra);
        native.place(&mut entry, self.profile, &REASONING);
        entry.into()
    }

    /// Puts a time under `timestamp`, or under a native name if it is none.
    pub(super) fn time(&mut self, entry: &mut Object, native: &mut Native, time: Option<&str>) {
        self.time_as("timestamp", "rawTimestamp", entry, native, time);
    }

    /// Puts a time under a name of the schema, or under a native name if it is none.
    pub(super) fn time_as(
        &mut self,
        name: &str,
        native_name: &str,
        target: &mut Object,
        native: &mut Native,
        time: Option<&str>,
    ) {
        match time {
            Some(text) if follows_pattern(text) => put(target, name, time),
            Some(text) => {
                self.notes.push(Note::BadTime {
                    message: self.message.clone(),
                    text: text.to_owned(),
                });
                native.add(native_name, time);
            }
            None => {}
        }
    }

    /// A value of the source; null is as good as none.
    pub(super) fn raw(&mut self, raw: Option<&Raw>) -> Option<Value> {
        let (value, replaced) = from_raw(raw?);
        if replaced {
            let note = Note::LoneSurrogate {
                message: self.message.clone(),
            };
            if self.notes.last() != Some(&note) {
                self.notes.push(note);
            }
        }
        (value != Value::Null).then_some(value)
    }

    /// Fields that the session model does not know either.
    pub(super) fn fields(&mut self, native: &mut Native, fields: &Fields) {
        for (name, raw) in fields.iter() {
            native.add(name, self.raw(Some(raw)));
        }
    }
}

/// Sets a member unless it is absent.
pub(super) fn put(target: &mut Object, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        target.insert(name.to_owned(), value.into());
    }
}

/// Text, unless it is empty.
pub(super) fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The model that answered.
pub(super) fn model(message: &Message) -> Option<&str> {
    message.model.as_deref().and_then(non_empty)
}

/// The id, unless the reader had to invent one.
fn own_id(message: &Message) -> Option<&str> {
    let id = message.id.as_str();
    let is_invented = id
        .strip_prefix("gemtrail-")
        .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    non_empty(id).filter(|_| !is_invented)
}

/// `/compress` leaves nothing behind but a notice without words.
fn is_compression_mark(message: &Message) -> bool {
    let is_empty = |raw: &Raw| raw.node().as_str().is_some_and(|text| text.is_empty());
    message.kind == "info" && message.content.as_ref().is_some_and(is_empty)
}

/// A word of the model, as it stands in the session document.
fn word(value: impl serde::Serialize) -> Option<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Some(word),
        _ => None,
    }
}

fn token_usage(tokens: Tokens, profile: Profile) -> Value {
    let mut usage = object([
        ("input", tokens.input.into()),
        ("output", tokens.output.into()),
        ("cached", tokens.cached.into()),
        ("reasoning", tokens.thoughts.into()),
        ("total", tokens.total.into()),
    ]);
    let mut native = Native::default();
    native.add("thoughts", Some(tokens.thoughts));
    native.add("tool", Some(tokens.tool));
    native.place(&mut usage, profile, &TOKEN_USAGE);
    usage.into()
}

/// The counters under their own names, where the schema has no place for usage.
fn native_tokens(tokens: Tokens) -> Value {
    object([
        ("input", tokens.input.into()),
        ("output", tokens.output.into()),
        ("cached", tokens.cached.into()),
        ("thoughts", tokens.thoughts.into()),
        ("tool", tokens.tool.into()),
        ("total", tokens.total.into()),
    ])
    .into()
}
