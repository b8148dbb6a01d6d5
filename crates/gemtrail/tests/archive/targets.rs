//! Where a session is put back, and what resumes it there.
#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::common::{Keeper, chat, lines, one};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const SAFE_NAME: &str = "session-2026-06-01T10-00-r2f1e0a5.jsonl";

fn keeper() -> Keeper {
    let keeper = Keeper::new();
    let root = keeper.path("shop");
    fs::create_dir(&root).expect("it can be made");
    keeper.write(".gemini/tmp/shop/.project_root", &root.to_string_lossy());
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &lines(ID, &[("u1", "one"), ("g1", "first")]),
    );
    keeper.sync();
    keeper
}

fn restore(keeper: &Keeper, home: &str, more: &[&str]) -> Value {
    let archive = keeper.archive();
    let archive = archive.to_str().expect("it is text");
    let arguments = [
        "restore",
        ID,
        "--home",
        home,
        "--archive",
        archive,
        "--json",
    ];
    one(&keeper.ok(&[&arguments[..], more].concat()))
}

#[test]
fn a_directory_that_is_no_home_becomes_one() {
    let keeper = keeper();
    keeper.write("it's mine/notes.txt", "something of mine");
    fs::create_dir(keeper.path("empty")).expect("it can be made");
    for (home, quoted) in [("empty", "empty"), ("it's mine", "it'\\''s mine")] {
        let report = restore(&keeper, home, &[]);
        let written = format!("{home}/.gemini/tmp/shop/chats/{SAFE_NAME}");
        assert!(keeper.path(&written).is_file(), "{report}");
        let variable = format!("GEMINI_CLI_HOME='{}/{quoted}' ", keeper.root().display());
        let command = report["command"].as_str().expect("a command");
        assert!(command.contains(&variable), "{command}");
        assert_eq!(restore(&keeper, home, &[])["already_listed"], true);
    }
    fs::create_dir(keeper.path("exact")).expect("it can be made");
    restore(&keeper, "exact", &["--exact"]);
    let below = chat("2f1e0a52.jsonl");
    assert!(keeper.path("exact").join(below).is_file());
}

#[test]
fn what_is_a_home_stays_as_it_is() {
    let keeper = keeper();
    for dir in ["a/.gemini", "b/tmp", "c/tmp", "d/other/chats"] {
        fs::create_dir_all(keeper.path(dir)).expect("it can be made");
    }
    for (home, sessions) in [
        ("a", "a/.gemini/tmp"),
        ("a/.gemini", "a/.gemini/tmp"),
        ("b", "b/tmp"),
        ("c/tmp", "c/tmp"),
        ("d", "d"),
    ] {
        let report = restore(&keeper, home, &["--force"]);
        let written = format!("{sessions}/shop/chats/{SAFE_NAME}");
        assert!(keeper.path(&written).is_file(), "{home}: {report}");
        let command = report["command"].as_str().unwrap_or_default();
        if sessions.starts_with("a/") {
            let variable = format!("GEMINI_CLI_HOME='{}/a' ", keeper.root().display());
            assert!(command.contains(&variable), "{home}: {command}");
        } else {
            // Gemini CLI looks into directories of this name only.
            assert_eq!(report["command"], Value::Null, "{home}");
            let warnings = report["warnings"].to_string();
            assert!(warnings.contains("not called .gemini"), "{warnings}");
        }
    }
}

#[test]
fn the_command_says_which_home_whenever_it_is_not_the_usual_one() {
    let keeper = keeper();
    let command = |variables: &[(&str, &str)]| {
        let mut command = keeper.command(&["restore", ID, "--json", "--force"]);
        let output = command.envs(variables.iter().copied()).output();
        let ran = crate::common::Ran::of(output.expect("the binary runs")).expect(0);
        one(&ran)["command"].as_str().expect("a command").to_owned()
    };
    let root = keeper.root();
    let root = root.to_str().expect("it is text");
    assert!(!command(&[]).contains("GEMINI_CLI_HOME"));
    // Another shell may not have it.
    let elsewhere = keeper.path("elsewhere");
    fs::create_dir(&elsewhere).expect("it can be made");
    let set = [("GEMINI_CLI_HOME", elsewhere.to_str().expect("it is text"))];
    let told = command(&set);
    assert!(
        told.contains(&format!("GEMINI_CLI_HOME='{root}' ")),
        "{told}"
    );
    let user = [("HOME", elsewhere.to_str().expect("it is text"))];
    let told = command(&user);
    assert!(
        told.contains(&format!("GEMINI_CLI_HOME='{root}' ")),
        "{told}"
    );
}
