//! Any bytes as a database, its log, a compressed file, a transcript or a dump: no panic, and what is kept of a
//! database gives the same again. A corpus of small databases (`crates/gemtrail-antigravity/tests/common/made.rs`) helps.
#![no_main]

use gemtrail_antigravity::{Conversation, ConversationRows, dump, image, undump};
use gemtrail_core::model::{Aside, Format, Journal, Origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8])| {
    let (log, bytes) = input;
    let image = image(bytes.to_vec(), log);
    let _ = ConversationRows::from_database(&image);
    let kept = dump(&image);
    if let Some(again) = undump(&kept.concat()) {
        assert_eq!(dump(&again), kept);
    }
    let _ = undump(bytes);
    let _ = ConversationRows::from_trajectory(bytes);
    let journal = Journal { path: "fuzz.jsonl".into(), format: Format::Transcript, bytes: 0, sha256: None, clean_up: Aside::default() };
    let read = Conversation::from_transcript("fuzz", bytes, journal, Origin::default());
    serde_json::to_string(&read.session).expect("a session serialises");
});
