//! What every part of the translation needs: values of the source, times, and a place for notes.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{Message, MessageId};

use super::native::Native;
use super::notes::Note;
use super::options::Profile;
use crate::time::follows_pattern;
use crate::value::{Object, Value, from_raw};

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

    /// Notes from here on concern this message.
    pub(super) fn begin(&mut self, message: &Message) {
        self.message = Some(message.id.clone());
    }

    /// Notes from here on concern the session.
    pub(super) fn end_messages(&mut self) {
        self.message = None;
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
