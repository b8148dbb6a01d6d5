//! Any bytes as a step of a conversation: no panic, and a step that says nothing keeps its bytes.
#![no_main]

use gemtrail_antigravity::{Conversation, ConversationRows, StepRow, wire::WireFields};
use gemtrail_core::model::{Aside, Format, Journal, Origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|steps: Vec<(Option<i64>, Option<i64>, Vec<u8>)>| {
    let mut rows = ConversationRows::default();
    for (index, (kind, status, payload)) in (0..).zip(steps) {
        assert!(WireFields::new(&payload).count() <= payload.len() + 1);
        rows.steps.push(StepRow { index, kind, status, payload });
    }
    let journal = Journal { path: "fuzz.db".into(), format: Format::Database, bytes: 0, sha256: None, clean_up: Aside::default() };
    let session = Conversation::from_rows(&rows, journal, Origin::default()).session;
    assert!(session.messages.len() <= rows.steps.len());
    serde_json::to_string(&session).expect("a session serialises");
});
