//! Messages rebuilt from their records.

use gemtrail_core::model::{Message, Role, Session, Span, State};
use gemtrail_core::{JournalLog, SourceJournal, read_message};

pub(crate) fn journal(log: JournalLog, path: &str) -> SourceJournal {
    SourceJournal {
        path: path.to_owned(),
        bytes: 0,
        sha256: None,
        earlier: false,
        log,
    }
}

/// A message without what depends on the other messages.
fn alone(message: &Message) -> Message {
    Message {
        role: Role::Unknown,
        state: State::Current,
        superseded_by: None,
        revisions: Vec::new(),
        copies: Vec::new(),
        journal: None,
        // Depends on the messages before it.
        place: gemtrail_core::model::Place::default(),
        extra: gemtrail_core::json::Fields::default(),
        ..message.clone()
    }
}

/// Rebuilds each message that has a trace from the bytes of its journal, and compares. Returns how
/// many were rebuilt.
pub(crate) fn retell(session: &Session, files: &[(&str, &[u8])]) -> usize {
    let traced = || session.messages.iter().filter(|m| !m.trace.is_empty());
    for message in traced() {
        let path = &session.journals[message.journal.expect("a journal")].path;
        let (_, bytes) = files.iter().find(|(name, _)| name == path).expect(path);
        let spans = message.trace.spans().iter();
        let records: Vec<&[u8]> = spans.map(|span| span.of(bytes).expect("bytes")).collect();
        let again = read_message(&records).expect("a message");
        assert!(again.trace.is_empty());
        assert_eq!(alone(message), alone(&again), "{records:?}");
    }
    traced().count()
}

/// The traces of all messages.
pub(crate) fn spans(session: &Session) -> Vec<&[Span]> {
    session.messages.iter().map(|m| m.trace.spans()).collect()
}
