//! What must hold for every input.

#[path = "../common/mod.rs"]
mod common;
mod logs;
mod parts;
mod traces;

use gemtrail_core::model::{CallStatus, Counts, MessageId, Role, Session, SupersededBy, Tokens};
use gemtrail_core::{Detail, JournalLog, Reader, Sources, read};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use common::journal;
use logs::File;

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/properties/regressions.txt",
        ))),
        ..ProptestConfig::default()
    }
}

fn session(log: JournalLog) -> Session {
    Sources::single(journal(log, "session-2026-06-01T10-00-s1.jsonl")).assemble()
}

fn timeline(log: &JournalLog) -> Vec<String> {
    log.timeline().map(str::to_owned).collect()
}

/// Reads the bytes in pieces of these sizes, cycling through them.
fn read_in_pieces(mut bytes: &[u8], sizes: &[usize], detail: Detail) -> JournalLog {
    let mut reader = Reader::new(detail);
    for &size in sizes.iter().cycle() {
        if bytes.is_empty() {
            break;
        }
        let (piece, rest) = bytes.split_at(size.min(bytes.len()));
        reader.push(piece);
        bytes = rest;
    }
    reader.finish()
}

/// What a list shows, which must not depend on the level of detail.
#[derive(Debug, PartialEq)]
struct Countable {
    messages: Vec<CountableMessage>,
    counts: Counts,
    tokens: Tokens,
    title: Option<String>,
    models: Vec<String>,
    times: [Option<String>; 2],
}

#[derive(Debug, PartialEq)]
struct CountableMessage {
    id: MessageId,
    role: Role,
    superseded_by: Option<SupersededBy>,
    tokens: Option<Tokens>,
    typed: Option<String>,
    calls: Vec<(Option<CallStatus>, Option<i64>)>,
}

impl Countable {
    fn of(session: &Session) -> Self {
        let messages = session.messages.iter().map(|message| CountableMessage {
            id: message.id.clone(),
            role: message.role,
            superseded_by: message.superseded_by,
            tokens: message.tokens,
            typed: (message.role == Role::Human).then(|| message.text.clone()),
            calls: message
                .tool_calls
                .iter()
                .map(|call| (call.status.clone(), call.exit_code))
                .collect(),
        });
        Self {
            messages: messages.collect(),
            counts: session.counts,
            tokens: session.tokens,
            title: session.title.clone(),
            models: session.models.clone(),
            times: [session.started.clone(), session.updated.clone()],
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn cutting_a_log_gives_a_prefix_of_its_timeline(File(log) in logs::log(), cut in any::<prop::sample::Index>()) {
        let whole = timeline(&read(&log, Detail::Full));
        let part = timeline(&read(&log[..cut.index(log.len() + 1)], Detail::Full));
        prop_assert!(whole.starts_with(&part), "{part:?} of {whole:?}");
    }

    #[test]
    fn cutting_a_whole_file_record_gives_a_prefix_too(
        File(file) in logs::whole_file(), cut in any::<prop::sample::Index>()
    ) {
        let whole = timeline(&read(&file, Detail::Full));
        let part = timeline(&read(&file[..cut.index(file.len() + 1)], Detail::Full));
        prop_assert!(whole.starts_with(&part), "{part:?} of {whole:?}");
    }

    #[test]
    fn the_size_of_the_pieces_does_not_matter(
        File(file) in logs::damaged_file(), sizes in prop::collection::vec(1..40usize, 1..5)
    ) {
        for detail in [Detail::Full, Detail::Counts] {
            let (whole, pieces) = (read(&file, detail), read_in_pieces(&file, &sizes, detail));
            prop_assert_eq!(timeline(&whole), timeline(&pieces));
            prop_assert!(whole.state().eq(pieces.state()));
            prop_assert_eq!(session(whole), session(pieces));
        }
    }

    #[test]
    fn a_second_copy_of_a_journal_changes_no_message(File(log) in logs::damaged_file()) {
        let sources = |paths: &[&str]| Sources {
            journals: paths.iter().map(|path| journal(read(&log, Detail::Full), path)).collect(),
            ..Sources::default()
        };
        let once = sources(&["tmp/hash/chats/session-a.jsonl"]).assemble();
        let twice = sources(&["tmp/hash/chats/session-a.jsonl", "tmp/slug/chats/session-a.jsonl"]).assemble();
        if !once.journals.is_empty() {
            prop_assert_eq!(once.messages, twice.messages);
            prop_assert_eq!((once.counts, once.tokens, once.title), (twice.counts, twice.tokens, twice.title));
        }
    }

    #[test]
    fn the_exported_document_reads_as_the_same_session(File(file) in logs::damaged_file(), pretty in any::<bool>()) {
        let exported = session(read(&file, Detail::Full));
        let text = if pretty {
            serde_json::to_string_pretty(&exported)
        } else {
            serde_json::to_string(&exported)
        };
        let again = session(read(text.unwrap().as_bytes(), Detail::Full));
        prop_assert_eq!(exported, again);
    }

    #[test]
    fn counting_and_reading_in_full_agree(File(file) in logs::damaged_file()) {
        let full = session(read(&file, Detail::Full));
        let counts = session(read(&file, Detail::Counts));
        prop_assert_eq!(Countable::of(&full), Countable::of(&counts));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let session = session(read(&bytes, Detail::Full));
        prop_assert!(serde_json::to_string(&session).is_ok());
    }
}
