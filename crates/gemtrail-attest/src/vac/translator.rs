//! What every part of the translation needs: source values, times, and a list of notes.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{Message, MessageId};

use super::native::Native;
use super::notes::Note;
use super::options::Profile;
use crate::time::follows_pattern;
use crate::value::{Object, Value, from_raw};

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
