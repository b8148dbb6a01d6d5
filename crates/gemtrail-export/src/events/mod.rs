//! `events`: a session as a normalised event stream, JSON Lines of schema `gemtrail.event/1`.
//!
//! The stream has the shape that tools for several agents agree on: prompts, tool uses and tool
//! results between one start and one end, with canonical tool names. The model's own words are
//! events only on request.

mod clock;
mod content;
mod event;
mod name;
mod stream;
#[cfg(test)]
mod tests;

use std::io::Write;

use gemtrail_core::model::Session;

pub use event::{EVENT_SCHEMA, Event, EventKind, Metadata, ToolOutcome};
pub use stream::events;

use crate::jsonl::write_line;
use crate::{ExportError, Selection};

/// Where the events' times come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timestamps {
    /// As recorded; synthetic only where nothing was recorded at all.
    #[default]
    Real,
    /// The time in the file's name, then one second per entry and one millisecond per part.
    Synthetic,
}

/// What the stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventsOptions {
    /// Which messages become events.
    pub selection: Selection,
    /// Where the times come from.
    pub timestamps: Timestamps,
    /// Whether the model's words become `assistant_message` events.
    pub assistant_text: bool,
}

impl Default for EventsOptions {
    fn default() -> Self {
        Self {
            selection: Selection::Conversation,
            timestamps: Timestamps::Real,
            assistant_text: false,
        }
    }
}

/// Writes one line per event.
pub fn write(
    session: &Session,
    options: &EventsOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    for event in events(session, options) {
        write_line(&event, out)?;
    }
    Ok(())
}
