//! Names that are no text: each file is kept apart, and put back under its own bytes.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::common::{Keeper, ids, lines};

const IDS: [&str; 4] = [
    "00000001-aaaa-4bbb-8ccc-0123456789ab",
    "00000002-aaaa-4bbb-8ccc-0123456789ab",
    "00000003-aaaa-4bbb-8ccc-0123456789ab",
    "00000004-aaaa-4bbb-8ccc-0123456789ab",
];

/// Two files in one directory, and two directories, that differ only in a byte that is no text.
fn places(keeper: &Keeper) -> Vec<PathBuf> {
    let names: [&[u8]; 4] = [
        b"shop/chats/session-2026-06-01T10-00-caf\xe9.jsonl",
        b"shop/chats/session-2026-06-01T10-00-caf\xe8.jsonl",
        b"caf\xe9/chats/session-2026-06-01T10-00-00000003.jsonl",
        b"caf\xe8/chats/session-2026-06-01T10-00-00000004.jsonl",
    ];
    let tmp = keeper.path(".gemini/tmp");
    names.map(|name| tmp.join(OsStr::from_bytes(name))).to_vec()
}

#[test]
fn names_that_are_no_text() {
    let keeper = Keeper::new();
    let places = places(&keeper);
    let text = |at: usize| lines(IDS[at], &[("u1", &format!("word{at}")), ("g1", "answer")]);
    for (at, place) in places.iter().enumerate() {
        fs::create_dir_all(place.parent().expect("it has one")).expect("it can be made");
        fs::write(place, text(at)).expect("it can be written");
    }
    let report = keeper.sync();
    assert_eq!(report["files_read"], 4, "{report}");
    assert_eq!(keeper.sync()["files_read"], 0);
    assert_eq!(ids(&keeper.list(&["--no-archive"])), IDS);
    assert_eq!(keeper.ok(&["list"]).err, "", "nothing is behind");
    for round in ["on disk", "gone", "rebuilt"] {
        match round {
            "gone" => fs::remove_dir_all(keeper.path(".gemini/tmp")).expect("it is there"),
            "rebuilt" => drop(keeper.ok(&["sync", "--rebuild"])),
            _ => {}
        }
        keeper.sync();
        assert_eq!(ids(&keeper.list(&[])), IDS, "{round}");
        for (at, id) in IDS.iter().enumerate() {
            let found = keeper.ok(&["search", &format!("word{at}"), "--json"]);
            assert_eq!(found.lines()[0]["session"], *id, "{round}");
            assert_eq!(keeper.show(id)["counts"]["messages"], 2, "{round}");
        }
    }
    keeper.verify();
    for (at, place) in places.iter().enumerate() {
        keeper.ok(&["restore", IDS[at], "--exact"]);
        let back = fs::read_to_string(place).expect("it is back under its own name");
        assert_eq!(back, text(at));
    }
    keeper.ok(&["archive", "forget", IDS[0], "--yes"]);
    assert_eq!(ids(&keeper.list(&[])), IDS[1..]);
}
