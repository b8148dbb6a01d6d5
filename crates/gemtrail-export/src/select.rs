//! Which messages a format takes.

use gemtrail_core::model::{Message, Session, SupersededBy};

/// A choice among the messages of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// What Gemini CLI itself would still load.
    Current,
    /// What was part of the conversation: all but what the person or the CLI took back.
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
            Self::Conversation => {
                message.is_current()
                    || !matches!(
                        message.superseded_by,
                        Some(SupersededBy::Rewind | SupersededBy::Rollback)
                    )
            }
        }
    }
}

/// The chosen messages, in order.
pub fn selected(session: &Session, selection: Selection) -> impl Iterator<Item = &Message> {
    session
        .messages
        .iter()
        .filter(move |message| selection.takes(message))
}
