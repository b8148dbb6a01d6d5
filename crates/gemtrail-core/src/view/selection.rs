//! Which messages a format includes.

use crate::model::{Message, Session, SupersededBy};

/// A selection of a session's messages, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// What Gemini CLI itself would still load.
    Current,
    /// What was part of the conversation: everything except what the person or the CLI took back.
    #[default]
    Conversation,
    /// Everything that was ever recorded.
    All,
}

impl Selection {
    /// The selection after the options `--superseded`, which widens it, and `--live`, which narrows
    /// it. They contradict each other; with both, `--live` wins.
    #[must_use]
    pub fn adjusted(self, superseded: bool, live: bool) -> Self {
        match (superseded, live) {
            (_, true) => Self::Current,
            (true, false) => Self::All,
            (false, false) => self,
        }
    }

    /// Whether the message is part of the selection.
    pub fn takes(self, message: &Message) -> bool {
        match self {
            Self::All => true,
            Self::Current => message.is_current(),
            Self::Conversation => taken_back_by(message).is_none(),
        }
    }
}

/// The reason a message was taken back, as if it had never been said; `None` if it was not.
pub fn taken_back_by(message: &Message) -> Option<SupersededBy> {
    message
        .superseded_by
        .filter(|by| !message.is_current() && by.takes_back())
}

/// The selected messages, in order.
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
