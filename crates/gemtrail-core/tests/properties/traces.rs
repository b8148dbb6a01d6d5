//! What must hold for traces of every input.

use gemtrail_core::{Detail, Sources, read};
use proptest::prelude::*;

use crate::common::{assert_traced, journal, retell, spans};
use crate::logs::{self, File};
use crate::{config, read_in_pieces, session};

const PATHS: [&str; 2] = ["tmp/a/chats/session-a.jsonl", "tmp/b/chats/session-b.jsonl"];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_records_of_a_message_make_it_again(File(file) in logs::damaged_file()) {
        let session = Sources::single(journal(read(&file, Detail::Full), PATHS[0])).assemble();
        retell(&session, &[(PATHS[0], file.as_slice())]);
        assert_traced(&session, &file, PATHS[0]);
    }

    #[test]
    fn so_do_those_of_a_message_whose_calls_were_answered_elsewhere(File(file) in logs::tool_log()) {
        let session = Sources::single(journal(read(&file, Detail::Full), PATHS[0])).assemble();
        retell(&session, &[(PATHS[0], file.as_slice())]);
        assert_traced(&session, &file, PATHS[0]);
    }

    #[test]
    fn where_nothing_is_odd_a_message_without_calls_has_a_trace(File(file) in logs::log()) {
        let session = session(read(&file, Detail::Full));
        let is_odd = !session.diagnostics.is_empty();
        for message in session.messages.iter().filter(|m| m.tool_calls.is_empty()) {
            let lost_calls = message.content.as_ref().is_some_and(|raw| raw.text().contains("functionCall"));
            prop_assert!(is_odd || lost_calls || !message.trace.is_empty(), "{message:?}");
        }
    }

    #[test]
    fn the_size_of_the_pieces_does_not_show_in_the_traces(
        File(file) in logs::damaged_file(), sizes in prop::collection::vec(1..40usize, 1..5)
    ) {
        let whole = session(read(&file, Detail::Full));
        let pieces = session(read_in_pieces(&file, &sizes, Detail::Full));
        prop_assert_eq!(spans(&whole), spans(&pieces));
    }

    #[test]
    fn messages_of_two_journals_are_made_again_from_their_own(
        File(one) in logs::damaged_file(), File(other) in logs::damaged_file(), earlier in any::<bool>()
    ) {
        let files = [(PATHS[0], one.as_slice()), (PATHS[1], other.as_slice())];
        let mut journals = files.map(|(path, file)| journal(read(file, Detail::Full), path)).to_vec();
        if earlier {
            // The first journal is an earlier version of the other.
            journals[0].earlier = true;
            journals[0].path = PATHS[1].to_owned();
        }
        let session = Sources { journals, ..Sources::default() }.assemble();
        retell(&session, &files);
    }

    #[test]
    fn counting_collects_no_traces(File(file) in logs::damaged_file()) {
        let session = session(read(&file, Detail::Counts));
        prop_assert!(spans(&session).iter().all(|spans| spans.is_empty()));
    }
}
