//! The items of a session, by their places: a message is one, and so is each of its tool calls.

use gemtrail_core::model::{Place, Session};

/// An item of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemPlace {
    pub(crate) place: Place,
    /// The index of the message.
    pub(crate) message: usize,
    /// The index of the call in the message, if it is one.
    pub(crate) call: Option<usize>,
}

/// All items of a session, in order.
pub(crate) fn entries(session: &Session) -> Vec<ItemPlace> {
    let mut entries = Vec::new();
    for (message, said) in session.messages.iter().enumerate() {
        entries.push(ItemPlace {
            place: said.place,
            message,
            call: None,
        });
        entries.extend((0..said.tool_calls.len()).map(|call| ItemPlace {
            place: said.place.of_call(call),
            message,
            call: Some(call),
        }));
    }
    entries
}
