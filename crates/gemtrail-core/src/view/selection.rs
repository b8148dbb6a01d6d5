//! Which messages a format takes.

use crate::model::{Message, Session, SupersededBy};

/// A choice among the messages of a session, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// What Gemini CLI itself would still load.
    Current,
    /// What was part of the conversation: all but what the person or the CLI took back.
    #[default]
    Conversation,
    /// Everything that was ever recorded.
    All,
}

impl Selection {
    /// The choice after the options `--superseded`, which widens it, and `--live`, which narrows
    /// it. Both together contradict each other; the narrow one wins.
    #[must_use]
    pub fn adjusted(self, superseded: bool, live: bool) -> Self {
        match (superseded, live) {
            (_, true) => Self::Current,
            (true, false) => Self::All,
            (false, false) => self,
        }
    }

    /// Whether the message is part of it.
    pub fn takes(self, message: &Message) -> bool {
        match self {
            Self::All => true,
            Self::Current => message.is_current(),
            Self::Conversation => taken_back_by(message).is_none(),
        }
    }
}

/// What took the message out of the conversation as if it had never been said.
pub fn taken_back_by(message: &Message) -> Option<SupersededBy> {
    message
        .superseded_by
        .filter(|by| !message.is_current() && by.takes_back())
}

/// The chosen messages, in order.
pub fn selected(session: &Session, selection: Selection) -> impl Iterator<Item = &Message> {
    session
        .messages
        .iter()
        .filter(move |message| selection.takes(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;
    use crate::view::test_support::{message, session, superseded};

    fn texts(selection: Selection) -> Vec<String> {
        let human = |text| message(Role::Human, text);
        let session = session([
            human("kept"),
            superseded(human("rewound"), SupersededBy::Rewind),
            superseded(human("failed"), SupersededBy::Rollback),
            superseded(human("compressed"), SupersededBy::Compress),
            superseded(human("before the resume"), SupersededBy::Resume),
        ]);
        selected(&session, selection)
            .map(|message| message.text.clone())
            .collect()
    }

    #[test]
    fn each_selection_takes_what_it_says() {
        assert_eq!(texts(Selection::All).len(), 5);
        assert_eq!(
            texts(Selection::Conversation),
            ["kept", "compressed", "before the resume"]
        );
        assert_eq!(texts(Selection::Current), ["kept"]);
    }

    #[test]
    fn options_widen_and_narrow() {
        let default = Selection::default();
        assert_eq!(default.adjusted(false, false), default);
        assert_eq!(default.adjusted(true, false), Selection::All);
        assert_eq!(default.adjusted(false, true), Selection::Current);
    }
}
