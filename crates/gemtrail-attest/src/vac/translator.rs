//! The parts that all of the translation needs: source values, times, and a list of notes.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{Message, MessageId};

use crate::time::follows_pattern;
use crate::validate::{Map, Schema};
use crate::value::{Object, Value, from_raw, object, put};

use super::options::{Note, Profile};

/// Turns the parts of a session into parts of a record, and notes what it had to change.
pub(super) struct Translator {
    pub(super) profile: Profile,
    pub(super) notes: Vec<Note>,
    /// The current message, for notes.
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

    /// Attributes notes from here on to this message.
    pub(super) fn begin(&mut self, message: &Message) {
        self.message = Some(message.id.clone());
    }

    /// Attributes notes from here on to the session.
    pub(super) fn end_messages(&mut self) {
        self.message = None;
    }

    /// Stores a time under `timestamp`, or under its native name if it is not a valid time.
    pub(super) fn time(&mut self, entry: &mut Object, native: &mut Native, time: Option<&str>) {
        self.time_as("timestamp", "rawTimestamp", entry, native, time);
    }

    /// Stores a time under a name of the schema, or under its native name if it is not a valid
    /// time.
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

    /// A source value; null counts as absent.
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

    /// Fields that the session model does not know either. Times may be numbers in both schemas.
    pub(super) fn fields(&mut self, entry: &mut Object, native: &mut Native, fields: &Fields) {
        for (name, raw) in fields.iter() {
            let value = self.raw(Some(raw));
            let known = TIMES.iter().find(|(native, _)| *native == name);
            match (known, value) {
                (Some((_, known)), Some(Value::Number(number)))
                    if !entry.contains_key(*known) && number.as_u64().is_some() =>
                {
                    entry.insert((*known).to_owned(), Value::Number(number));
                }
                (_, value) => native.add(name, value),
            }
        }
    }
}

/// Native names of times, and their names in the schema.
const TIMES: [(&str, &str); 3] = [
    ("timestamp", "timestamp"),
    ("startTime", "session-start"),
    ("lastUpdated", "session-end"),
];

/// Text, unless it is empty.
pub(super) fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The vendor named in extensions.
const VENDOR: &str = "gemini-cli";

/// Native members to be placed into an object of the record.
#[derive(Debug, Default)]
pub(super) struct Native(Object);

impl Native {
    /// Adds a member, unless it is absent.
    pub(super) fn add(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.entry(name.to_owned()).or_insert(value.into());
        }
    }

    /// Puts them where the profile wants them. In an open map a native member must not be mistaken
    /// for one that the schema names, so those are nested one level deeper.
    pub(super) fn place(self, target: &mut Object, profile: Profile, schema: &'static Map) {
        if self.0.is_empty() {
            return;
        }
        match profile {
            Profile::V2 => {}
            Profile::Dual => {
                target.insert("vendor-ext".to_owned(), extension(self.0).into());
            }
            Profile::V3 => {
                let (clashing, plain): (Object, Object) = self
                    .0
                    .into_iter()
                    .partition(|(name, _)| schema.names(Schema::V3, name) || name == "native");
                target.extend(plain);
                if !clashing.is_empty() {
                    target.insert("native".to_owned(), clashing.into());
                }
            }
        }
    }
}

/// The data of a system event, in the form of the profile.
pub(super) fn event_data(data: Object, profile: Profile) -> Value {
    match profile {
        Profile::V3 => data.into(),
        Profile::V2 | Profile::Dual => extension(data).into(),
    }
}

fn extension(data: Object) -> Object {
    object([("vendor", VENDOR.into()), ("data", data.into())])
}
