//! The messages that a format includes, and where the context was compressed.

use crate::model::{Message, Role, Session, SupersededBy};

/// A selection of a session's messages, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// Messages that Gemini CLI itself would still load.
    Current,
    /// The conversation: everything except what the person or the CLI took back.
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

    /// True if the message is part of the selection.
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

/// Goes through the messages of a session and finds where a compression shows.
///
/// Over time Gemini CLI has left three traces of a compression: an empty `info`, a new file of the
/// same session, and a snapshot in the user's name. Newer versions leave two of them for one
/// compression, so this counts each compression once, and invents none.
#[derive(Debug)]
pub struct Compactions {
    /// Snapshots prove that the versions in use never split files.
    has_snapshots: bool,
    /// True if a snapshot was seen whose `info` may still come.
    notice_due: bool,
    /// The file of compressed messages that no trace has followed yet.
    untold: Option<usize>,
}

impl Compactions {
    /// Starts before the first message of the session.
    pub fn of(session: &Session) -> Self {
        Self {
            has_snapshots: session.messages.iter().any(|m| m.role == Role::Summary),
            notice_due: false,
            untold: None,
        }
    }

    /// True if a compression shows in this message; must be called for every message in order.
    pub fn shows_in(&mut self, message: &Message) -> bool {
        let shows = match message.role {
            Role::Summary => {
                self.notice_due = true;
                true
            }
            Role::Info if message.text.is_empty() => !std::mem::take(&mut self.notice_due),
            _ => self.is_split(message),
        };
        if shows {
            self.untold = None;
        } else if message.superseded_by == Some(SupersededBy::Compress) {
            self.untold = message.journal;
        }
        shows
    }

    /// True if the message is the first of the file that a compression opened.
    fn is_split(&self, message: &Message) -> bool {
        !self.has_snapshots
            && matches!((self.untold, message.journal), (Some(before), Some(here)) if here > before)
    }
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

#[cfg(test)]
mod compaction_tests {
    use super::*;
    use crate::view::test_support::{message, session, superseded};

    fn shown(messages: impl IntoIterator<Item = Message>) -> Vec<usize> {
        let session = session(messages);
        let mut compactions = Compactions::of(&session);
        (0..session.messages.len())
            .filter(|&index| compactions.shows_in(&session.messages[index]))
            .collect()
    }

    fn human(text: &str) -> Message {
        message(Role::Human, text)
    }

    fn compressed(text: &str) -> Message {
        superseded(human(text), SupersededBy::Compress)
    }

    fn in_journal(mut message: Message, journal: usize) -> Message {
        message.journal = Some(journal);
        message
    }

    #[test]
    fn s002_12_an_empty_info_is_a_compression() {
        let messages = [
            human("a"),
            message(Role::Info, ""),
            message(Role::Info, "x"),
        ];
        assert_eq!(shown(messages), [1]);
    }

    #[test]
    fn s002_13_c_17_a_new_file_of_the_same_session_is_a_compression() {
        let second = in_journal(human("c"), 1);
        assert_eq!(shown([compressed("a"), compressed("b"), second]), [2]);
    }

    #[test]
    fn c_24_several_traces_of_one_compression_count_once() {
        let info = superseded(message(Role::Info, ""), SupersededBy::Compress);
        let second = in_journal(human("b"), 1);
        assert_eq!(shown([compressed("a"), info, second]), [1]);
        let snapshot = message(Role::Summary, "<state_snapshot/>");
        assert_eq!(
            shown([
                compressed("a"),
                snapshot,
                message(Role::Assistant, "Got it."),
                message(Role::Info, ""),
                message(Role::Info, "")
            ]),
            [1, 4]
        );
    }

    #[test]
    fn a_second_file_without_compression_is_none() {
        let resumed = superseded(human("a"), SupersededBy::Resume);
        assert_eq!(
            shown([resumed, in_journal(human("b"), 1)]),
            [] as [usize; 0]
        );
    }
}
