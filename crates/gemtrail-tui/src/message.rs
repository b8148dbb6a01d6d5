//! Messages to the main thread.

use crate::state::Event;

/// Messages to the main thread.
pub(crate) enum MainMessage {
    /// Something happened.
    Event(Event),
    /// A text that only the terminal can copy, and what it is.
    CopyByTerminal(String, String),
    /// The process was brought back.
    Continued,
    /// A thread died; it has said why.
    Died,
}

impl From<Event> for MainMessage {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}
