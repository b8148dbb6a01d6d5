//! Bad things in place of files, and bad names.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::home::{ANSWER, BadHome, METADATA, PROMPT};

const NAME: &str = "session-2026-06-01T10-00-bad-sess.jsonl";

fn log() -> String {
    [METADATA, PROMPT, ANSWER].join("\n") + "\n"
}

/// Makes a named pipe: opening it blocks.
fn pipe(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status();
    assert!(status.expect("mkfifo runs").success());
}

#[test]
fn things_with_the_name_of_a_session() {
    let home = BadHome::new();
    let chats = home.chats();
    fs::create_dir(chats.join("session-directory.jsonl")).expect("a directory");
    pipe(&chats.join("session-pipe.jsonl"));
    symlink("nowhere", chats.join("session-dangling.jsonl")).expect("a link");
    symlink("session-loop.jsonl", chats.join("session-loop.jsonl")).expect("a link");
    symlink("/dev/zero", chats.join("session-device.jsonl")).expect("a link");
    home.expect_others_unharmed();
    home.expect_finding("not-a-file", "session-directory.jsonl");
    home.expect_finding("not-a-file", "session-pipe.jsonl");
    home.expect_finding("not-a-file", "session-device.jsonl");
    home.expect_finding("broken-link", "session-dangling.jsonl");
    home.expect_finding("unreadable", "session-loop.jsonl");
    for name in [
        "session-directory",
        "session-pipe",
        "session-dangling",
        "session-loop",
    ] {
        home.run(["show", name]).expect_code(1).expect_clean();
    }
    let directory = chats.join("session-directory.jsonl");
    let args = [
        "convert".as_ref(),
        directory.as_os_str(),
        "--to".as_ref(),
        "json".as_ref(),
    ];
    home.run(args).expect_code(2).expect_clean();
}

#[test]
fn directories_that_lead_back_to_themselves() {
    let home = BadHome::new();
    home.put(NAME, log());
    symlink("..", home.chats().join("loop")).expect("a link");
    symlink("../..", home.project("bad").join("tool-outputs")).expect("a link");
    symlink("bad", home.project("same-again")).expect("a link");
    symlink("..", home.project("up")).expect("a link");
    home.expect_others_unharmed();
    let rows = home.run(["list", "--json"]).expect_code(0).json_lines();
    assert_eq!(rows.len(), 2, "each session once: {rows:#?}");
}

#[test]
fn pipes_in_place_of_small_files() {
    for place in [
        "projects.json",
        "settings.json",
        "trustedFolders.json",
        "tmp/bad/logs.json",
        "tmp/bad/.project_root",
        "history/bad/.project_root",
        "tmp/bad/shell_history",
        "tmp/bad/checkpoint-tag.json",
        "tmp/bad/checkpoints/x.json",
    ] {
        let home = BadHome::new();
        home.put(NAME, log());
        let path = home.root().join(place);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        pipe(&path);
        home.expect_others_unharmed();
        home.run(["show", "bad-session"])
            .expect_code(0)
            .expect_clean();
    }
}

#[test]
fn small_files_that_hold_nonsense() {
    let nonsense: [&[u8]; 7] = [
        b"",
        b"\0\0\0\0",
        b"{",
        b"[[[[",
        b"{\"projects\":[1,{}]}",
        b"\xFF\xFE",
        b"[{\"sessionId\":1}, null, 7]",
    ];
    for bytes in nonsense {
        let home = BadHome::new();
        home.put(NAME, log());
        for place in [
            "projects.json",
            "settings.json",
            "trustedFolders.json",
            "tmp/bad/logs.json",
            "tmp/bad/.project_root",
            "tmp/bad/checkpoint-tag.json",
        ] {
            fs::write(home.root().join(place), bytes).expect("a file");
        }
        home.expect_others_unharmed();
        let shown = home
            .run(["show", "bad-session", "--json"])
            .expect_code(0)
            .json();
        assert_eq!(shown["counts"]["messages"], 2);
    }
    let home = BadHome::new();
    home.put(NAME, log());
    fs::write(home.root().join("projects.json"), "{ oops").expect("a file");
    fs::write(home.project("bad").join("logs.json"), "{ oops").expect("a file");
    home.expect_finding("bad-registry", "projects.json");
    home.expect_finding("bad-log", "logs.json");
}

#[test]
fn files_that_cannot_be_read() {
    let home = BadHome::new();
    // A regular file that opens but cannot be read, even by root; on other systems the permissions
    // below must do.
    if cfg!(target_os = "linux") {
        symlink("/proc/self/mem", home.chats().join("session-broken.jsonl")).expect("a link");
        home.expect_others_unharmed();
        home.expect_finding("unreadable", "session-broken.jsonl");
        home.run(["show", "session-broken"])
            .expect_code(2)
            .expect_clean();
    }
    let file = home.put(NAME, log());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("permissions");
    if fs::read(&file).is_err() {
        home.expect_others_unharmed();
        home.expect_finding("unreadable", NAME);
        home.run(["show", "session-2026-06-01T10-00-bad-sess"])
            .expect_code(2)
            .expect_clean();
    }
    let dir = home.project("closed");
    fs::create_dir_all(dir.join("chats")).expect("a directory");
    fs::set_permissions(dir.join("chats"), fs::Permissions::from_mode(0o000)).expect("permissions");
    home.expect_others_unharmed();
    fs::set_permissions(dir.join("chats"), fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn names_that_no_one_would_give() {
    let names: [&[u8]; 5] = [
        b"session-new\nline.jsonl",
        b"session-\x1b]0;owned\x07\x1b[2J.jsonl",
        b"session-\xFF\xFE.jsonl",
        b"session- .jsonl",
        b"session-\xC2\x9B31m.json",
    ];
    for name in names {
        let home = BadHome::new();
        let file = home.put(OsStr::from_bytes(name), log());
        home.expect_others_unharmed();
        home.run(["list"]).expect_code(0).expect_clean();
        // A session is named in text, so that a name that is none needs another way.
        let path = if file.to_str().is_some() {
            file.as_os_str()
        } else {
            "bad-session".as_ref()
        };
        for subject in [path, "bad-session".as_ref()] {
            let shown = home
                .run(["show".as_ref(), subject, "--json".as_ref()])
                .expect_code(0)
                .json();
            assert_eq!(shown["counts"]["messages"], 2);
            home.run(["show".as_ref(), subject])
                .expect_code(0)
                .expect_clean();
        }
        let args = [
            "convert".as_ref(),
            file.as_os_str(),
            "--to".as_ref(),
            "txt".as_ref(),
            "-v".as_ref(),
        ];
        home.run(args).expect_code(0).expect_clean();

        // The same as a project's directory, and as a subagent's.
        let home = BadHome::new();
        let project = home.project(OsStr::from_bytes(name));
        let chats = project.join("chats").join(OsStr::from_bytes(&name[8..]));
        fs::create_dir_all(&chats).expect("a directory");
        fs::write(chats.join("agent.jsonl"), log()).expect("a file");
        fs::write(project.join("chats").join(NAME), log().replace("m1", "m5")).expect("a file");
        fs::write(project.join(".project_root"), name).expect("a file");
        home.expect_others_unharmed();
        home.run(["list", "--kind", "all"])
            .expect_code(0)
            .expect_clean();
    }
}
