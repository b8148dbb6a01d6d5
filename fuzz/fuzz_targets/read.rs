//! Any bytes, in pieces of any size: no panic, and the pieces never show in the outcome.
#![no_main]

use gemtrail_core::{Detail, JournalLog, Reader, SourceJournal, Sources, read};
use libfuzzer_sys::fuzz_target;

fn document(bytes: &[u8], log: JournalLog) -> String {
    let journal = SourceJournal { path: "fuzz.jsonl".into(), bytes: bytes.len() as u64, sha256: None, log, earlier: false };
    serde_json::to_string(&Sources::single(journal).assemble()).expect("a session serialises")
}

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let whole = document(bytes, read(bytes, Detail::Full));
    let mut reader = Reader::new(Detail::Full);
    for piece in bytes.chunks(usize::from(size).max(1)) {
        reader.push(piece);
    }
    assert_eq!(document(bytes, reader.finish()), whole);
    document(bytes, read(bytes, Detail::Counts));
});
