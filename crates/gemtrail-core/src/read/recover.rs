//! What can still be recognised in a line that is not JSON.

use crate::json::{Cursor, Fault, Shape};
use crate::model::MessageKind;
use crate::wire::record::{self, Record, WireMessage};

/// The search through a long damaged line gives up after this many attempts.
const MOST_TRIES: usize = 64;

/// How a line is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// The file ends inside the line's only record.
    Torn,
    /// Anything else, for example two processes that appended at the same time.
    Mixed {
        /// Whether the line ends with a line break.
        terminated: bool,
    },
}

/// The whole messages in the line.
///
/// What a cut-off line yields must be a prefix of what the complete line would yield, or a file
/// that is being written would show messages that later vanish. So a torn record is never searched
/// for things that look like records: a tool's arguments may contain some.
pub(super) fn messages(text: &str, damage: Damage) -> Vec<WireMessage<'_>> {
    let mut found = Vec::new();
    // The fault is known: it is why this runs.
    let _ = listed(&mut Cursor::new(text), &mut found);
    if let Damage::Mixed { terminated } = damage {
        embedded(text, terminated, &mut found);
    }
    found
}

/// The messages that the record at the beginning of the line lists before its fault.
fn listed<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<WireMessage<'a>>) -> Result<(), Fault> {
    cursor.enter_object()?;
    let (mut first, mut is_metadata) = (true, false);
    while let Some(key) = cursor.next_key(&mut first)? {
        let shape = cursor.peek()?;
        match key {
            "\"$set\"" if shape == Shape::Object => {
                cursor.enter_object()?;
                let mut first = true;
                while let Some(key) = cursor.next_key(&mut first)? {
                    match key {
                        "\"messages\"" if cursor.peek()? == Shape::Array => list(cursor, found)?,
                        _ => cursor.skip_value()?,
                    }
                }
            }
            "\"messages\"" if shape == Shape::Array && is_metadata => list(cursor, found)?,
            _ => {
                is_metadata |= key == "\"sessionId\"" && shape == Shape::String;
                cursor.skip_value()?;
            }
        }
    }
    Ok(())
}

fn list<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<WireMessage<'a>>) -> Result<(), Fault> {
    cursor.enter_array()?;
    let mut first = true;
    while cursor.next_item(&mut first)? {
        found.extend(record::message(cursor)?.ok());
    }
    Ok(())
}

/// Whole records anywhere in the line.
fn embedded<'a>(text: &'a str, terminated: bool, found: &mut Vec<WireMessage<'a>>) {
    let mut cursor = Cursor::new(text);
    for _ in 0..MOST_TRIES {
        let Some(offset) = text[cursor.pos()..].find("{\"") else {
            break;
        };
        let start = cursor.pos() + offset;
        cursor.seek(start);
        match record::record(&mut cursor) {
            Ok(Record::Message(message)) if is_usual(&message) => found.push(*message),
            Ok(Record::Set(patch) | Record::Metadata(patch)) => {
                found.extend(patch.messages.into_iter().flatten());
            }
            // More of the line may come: this could be a record, and everything after it part of
            // that record.
            Err(Fault::Incomplete) if !terminated => break,
            _ => cursor.seek(start + 2),
        }
    }
}

/// Whether this is a message of Gemini CLI and not just something with an id.
fn is_usual(message: &WireMessage<'_>) -> bool {
    let kind = message.kind.as_deref().map(MessageKind::from);
    let is_known = |kind| {
        !matches!(
            kind,
            MessageKind::Human | MessageKind::Model | MessageKind::Other(_)
        )
    };
    kind.is_some_and(is_known) && message.time.is_some()
}
