//! Files and directories that cannot be read now: what the archive has of them is used.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::Value;

use crate::common::{Keeper, chat, ids, lines, one};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn keeper() -> Keeper {
    let keeper = Keeper::new();
    let words = [("u1", "one"), ("g1", "first discount")];
    keeper.write(&chat("2f1e0a52.jsonl"), &lines(ID, &words));
    keeper.sync();
    keeper
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it can be set");
}

/// Makes a changed file unreadable, even for root. Says whether that worked.
fn close(keeper: &Keeper, below: &str) -> bool {
    let path = keeper.path(below);
    let more = fs::read_to_string(&path).expect("it is there") + "x";
    fs::write(&path, more).expect("it can be written");
    set_mode(&path, 0o000);
    if fs::read(&path).is_ok() && cfg!(target_os = "linux") {
        // Modes mean nothing to this process. This file opens and gives an error.
        keeper.remove(below);
        symlink("/proc/self/mem", &path).expect("a link");
    }
    fs::read(&path).is_err()
}

fn names(diagnostics: &Value, code: &str, name: &str) -> bool {
    let mut list = diagnostics.as_array().expect("a list").iter();
    list.any(|it| {
        let journal = it["journal"].as_str().unwrap_or_default();
        it["code"] == code && journal.ends_with(name)
    })
}

#[test]
fn a_session_whose_file_cannot_be_read_is_that_of_the_archive() {
    let keeper = keeper();
    if !close(&keeper, &chat("2f1e0a52.jsonl")) {
        return;
    }
    let report = keeper.sync();
    assert!(
        names(&report["diagnostics"], "unreadable", "2f1e0a52.jsonl"),
        "{report}"
    );
    for more in [&[][..], &["--no-sync"]] {
        assert_eq!(ids(&keeper.list(more)), [ID]);
        let shown = one(&keeper.ok(&[&["show", "2f1e", "--json"], more].concat()));
        assert_eq!(shown["id"], ID);
        assert_eq!(shown["counts"]["messages"], 2);
        assert!(
            names(&shown["diagnostics"], "unreadable", "2f1e0a52.jsonl"),
            "{}",
            shown["diagnostics"]
        );
        let found = keeper.ok(&[&["search", "discount", "--json"], more].concat());
        assert_eq!(found.lines()[0]["session"], ID);
        keeper.ok(&[&["export", ID, "--format", "json", "-o", "-"], more].concat());
    }
    let words = [("u1", "one"), ("g1", "first discount")];
    keeper.ok(&["restore", ID, "-o", "out"]);
    let name = "session-2026-06-01T10-00-2f1e0a52.jsonl";
    let written = fs::read_to_string(keeper.path("out").join(name)).expect("it is there");
    assert_eq!(written, lines(ID, &words));
    keeper.run(&["restore", ID, "--exact"]).expect(2);
    keeper.ok(&["restore", ID, "--exact", "--force"]);
    let path = keeper.path(&chat("2f1e0a52.jsonl"));
    assert_eq!(fs::read_to_string(path).expect("it is there"), written);
}

/// A file that opens but cannot be read, and a directory that cannot be entered, even by root.
fn hide(keeper: &Keeper) {
    let path = keeper.path(&chat("3a1e0a52.jsonl"));
    symlink("/proc/self/mem", &path).expect("a link");
    fs::create_dir_all(keeper.path(".gemini/tmp/other")).expect("it can be made");
    let chats = keeper.path(".gemini/tmp/other/chats");
    symlink(&chats, &chats).expect("a link");
}

#[test]
#[cfg(target_os = "linux")]
fn what_could_not_be_read_is_said_on_standard_error() {
    let keeper = keeper();
    hide(&keeper);
    for more in [&[][..], &["--no-sync"], &["--no-archive"]] {
        let list = keeper.ok(&[&["list"], more].concat());
        let search = keeper.ok(&[&["search", "discount"], more].concat());
        let show = keeper.ok(&[&["show", ID], more].concat());
        for ran in [&list, &search, &show] {
            assert!(ran.err.contains("cannot be"), "{more:?}: {}", ran.err);
        }
        assert!(list.err.contains("1 other"), "{more:?}: {}", list.err);
        for name in ["3a1e0a52", "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab"] {
            let ran = keeper
                .run(&[&["show", name, "--json"], more].concat())
                .expect(2);
            assert_eq!(ran.error_code(), "unreadable");
            assert!(ran.err.contains("Input/output error"), "{}", ran.err);
        }
        let ran = keeper
            .run(&[&["show", "4b1e0a52", "--json"], more].concat())
            .expect(1);
        assert_eq!(ran.error_code(), "not-found");
        assert!(
            ran.err.contains("some files could not be read"),
            "{}",
            ran.err
        );
        let ran = keeper
            .run(&[&["search", "nothinglikeit"], more].concat())
            .expect(1);
        assert!(ran.err.contains("cannot be"), "{}", ran.err);
    }
    fs::remove_file(keeper.path(&chat("3a1e0a52.jsonl"))).expect("it is there");
    fs::remove_file(keeper.path(".gemini/tmp/other/chats")).expect("it is there");
    assert_eq!(keeper.ok(&["list"]).err, "");
}
