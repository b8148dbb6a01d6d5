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
        // Those of its copies.
        revisions: if message.copies.is_empty() {
            message.revisions.clone()
        } else {
            Vec::new()
        },
        copies: Vec::new(),
        journal: None,
        // Depends on the messages before it.
        place: gemtrail_core::model::Place::default(),
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
        let again = Message {
            copies: message.copies.clone(),
            ..again
        };
        assert_eq!(alone(message), alone(&again), "{records:?}");
    }
    traced().count()
}

/// Asserts that reading in parts starts from the same session: the same traces, and the same besides
/// the messages.
pub(crate) fn assert_traced(session: &Session, bytes: &[u8], path: &str) {
    let log = gemtrail_core::read(bytes, gemtrail_core::Detail::Traced);
    let mut traced = gemtrail_core::Sources::single(journal(log, path)).assemble();
    if traced.messages.iter().all(|it| it.trace.is_empty()) {
        // Something about the session is too long to be kept.
        return;
    }
    assert_eq!(spans(&traced), spans(session));
    let what_others_decide = |session: &Session| -> Vec<_> {
        let told = |it: &Message| {
            let copies: Vec<_> = it.copies.iter().map(|it| it.id.clone()).collect();
            (it.id.clone(), it.place, it.role, it.superseded_by, copies)
        };
        session.messages.iter().map(told).collect()
    };
    assert_eq!(what_others_decide(&traced), what_others_decide(session));
    traced.messages.clone_from(&session.messages);
    assert_eq!(traced, *session);
}

/// The traces of all messages.
pub(crate) fn spans(session: &Session) -> Vec<&[Span]> {
    session.messages.iter().map(|m| m.trace.spans()).collect()
}
