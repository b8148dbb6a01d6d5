//! The places of messages and calls.

use crate::model::{Message, Place, Role, Session, ToolCall};

/// Gives every message its place.
pub(super) fn assign(messages: &mut [Message]) {
    let mut last = Place::default();
    for message in messages {
        last = match message.role {
            Role::Human => Place::new(last.turn.saturating_add(1), 0),
            _ => last.of_call(0),
        };
        message.place = last;
        if let Some(last_call) = message.tool_calls.len().checked_sub(1) {
            last = message.place.of_call(last_call);
        }
    }
}

/// The message or call at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item<'a> {
    /// The index of the message in the session.
    pub index: usize,
    /// The message, or the one that made the call.
    pub message: &'a Message,
    /// The call.
    pub call: Option<&'a ToolCall>,
}

impl Session {
    /// The message or tool call at a place; `0` is the first message.
    pub fn at(&self, place: Place) -> Option<Item<'_>> {
        let after = self.messages.partition_point(|it| it.place <= place);
        let index = if place.is_nowhere() {
            0
        } else {
            after.checked_sub(1)?
        };
        let message = self.messages.get(index)?;
        let item = |call| Item {
            index,
            message,
            call,
        };
        if message.place == place || place.is_nowhere() {
            return Some(item(None));
        }
        let call = (message.place.turn == place.turn)
            .then(|| place.item.checked_sub(message.place.item + 1))
            .flatten()?;
        let call = message.tool_calls.get(usize::try_from(call).ok()?)?;
        Some(item(Some(call)))
    }

    /// Leaves only the messages of a turn, or the one of an item.
    pub fn narrow(&mut self, place: Place) {
        let index = self.at(place).map(|item| item.index);
        let mut at = 0..;
        self.messages.retain(|message| {
            let is_it = at.next() == index;
            is_it || place.item == 0 && message.place.turn == place.turn
        });
    }

    /// Leaves only what is at a place: the messages of a turn, one message without its calls, or
    /// one call.
    pub fn excerpt(&mut self, place: Place) {
        let call = self.at(place).filter(|item| item.call.is_some());
        let call = call.and_then(|item| place.item.checked_sub(item.message.place.item + 1));
        let call = call.and_then(|call| usize::try_from(call).ok());
        self.narrow(place);
        self.subagents.clear();
        self.logged.clear();
        if place.item == 0 {
            return;
        }
        for message in &mut self.messages {
            let mut at = 0..;
            message
                .tool_calls
                .retain(|_| call.is_some() && at.next() == call);
            if call.is_some() {
                message.text.clear();
                message.thoughts.clear();
                message.references.clear();
                message.content = None;
                message.display_content = None;
            }
        }
    }

    /// The place of the last message or call.
    pub fn last_place(&self) -> Option<Place> {
        let message = self.messages.last()?;
        let calls = message.tool_calls.len();
        let place = message.place;
        Some(
            calls
                .checked_sub(1)
                .map_or(place, |last| place.of_call(last)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SupersededBy;
    use crate::view::test_support::{call, message, session, superseded};

    fn calling(mut message: Message, calls: usize) -> Message {
        message.tool_calls = (0..calls).map(|_| call("read_file", None, None)).collect();
        message
    }

    fn conversation() -> Session {
        let mut session = session([
            message(Role::Context, "context"),
            message(Role::Human, "first"),
            calling(message(Role::Assistant, "looks"), 2),
            message(Role::Assistant, "answers"),
            superseded(message(Role::Human, "rewound"), SupersededBy::Rewind),
            message(Role::Human, "second"),
            calling(message(Role::Assistant, "calls"), 1),
        ]);
        assign(&mut session.messages);
        session
    }

    fn places(session: &Session) -> Vec<String> {
        let messages = session.messages.iter();
        messages.map(|it| it.place.to_string()).collect()
    }

    #[test]
    fn prompts_are_turns_and_everything_after_them_counts() {
        let session = conversation();
        let expected = ["0.1", "1", "1.1", "1.4", "2", "3", "3.1"];
        assert_eq!(places(&session), expected);
        assert_eq!(session.last_place(), Some(Place::new(3, 2)));
    }

    #[test]
    fn every_place_leads_back() {
        let session = conversation();
        for (index, message) in session.messages.iter().enumerate() {
            let found = session.at(message.place).unwrap();
            assert_eq!((found.index, found.call), (index, None));
            for (at, call) in message.tool_calls.iter().enumerate() {
                let found = session.at(message.place.of_call(at)).unwrap();
                assert_eq!((found.index, found.call), (index, Some(call)));
                assert!(std::ptr::eq(found.call.unwrap(), call));
            }
        }
        for place in ["1.5", "2.1", "3.3", "4", "0.2"] {
            assert_eq!(session.at(place.parse().unwrap()), None, "{place}");
        }
        assert_eq!(session.at(Place::default()).unwrap().index, 0);
    }

    #[test]
    fn a_session_that_grows_keeps_its_places() {
        let whole = conversation();
        for length in 0..whole.messages.len() {
            let mut start = whole.messages[..length].to_vec();
            assign(&mut start);
            for (then, now) in start.iter().zip(&whole.messages) {
                assert_eq!(then.place, now.place);
            }
        }
    }
}
