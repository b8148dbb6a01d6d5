//! Where the context was compressed.
//!
//! Over time Gemini CLI has left three traces of a compression: an empty `info`, a new file of the
//! same session, and a snapshot in the user's name. Newer versions leave two of them for one
//! compression, so this counts each compression once, and invents none.

use crate::model::{Message, Role, Session, SupersededBy};

/// Goes through the messages of a session and finds where a compression shows.
#[derive(Debug)]
pub struct Compactions {
    /// Snapshots prove that the versions in use never split files.
    has_snapshots: bool,
    /// Whether a snapshot was seen whose `info` may still come.
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

    /// Whether a compression shows in this message; must be called for every message in order.
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

    /// Whether the message is the first of the file that a compression opened.
    fn is_split(&self, message: &Message) -> bool {
        !self.has_snapshots
            && matches!((self.untold, message.journal), (Some(before), Some(here)) if here > before)
    }
}

#[cfg(test)]
mod tests {
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
