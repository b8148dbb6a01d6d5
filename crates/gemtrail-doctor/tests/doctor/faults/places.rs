//! Files and directories in the wrong place, of the wrong kind, or too many.

use std::os::unix::fs::symlink;

use gemtrail_core::model::Code;

use super::{Fault, JOURNAL, JOURNAL_PATH, plant_lines};
use crate::home::{CONTEXT, HASH, NOW, TURN, TestHome, journal};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        code: Code::NotAFile,
        file: JOURNAL_PATH,
        line: None,
        also: &[],
        plant: |home| std::fs::create_dir(home.path(JOURNAL_PATH)).expect("a directory"),
    },
    Fault {
        code: Code::SymlinkLoop,
        file: "tmp/round",
        line: None,
        also: &[],
        plant: |home| link("..", home, "tmp/round"),
    },
    Fault {
        code: Code::BrokenLink,
        file: JOURNAL_PATH,
        line: None,
        also: &[],
        plant: |home| link("/nowhere/at/all.jsonl", home, JOURNAL_PATH),
    },
    Fault {
        code: Code::BrokenLink,
        file: "tmp/moved",
        line: None,
        also: &[],
        plant: |home| link("/nowhere/at/all", home, "tmp/moved"),
    },
    Fault {
        // Permissions do not keep the superuser out, so a link to itself serves instead.
        code: Code::Unreadable,
        file: JOURNAL_PATH,
        line: None,
        also: &[],
        plant: |home| link(JOURNAL, home, JOURNAL_PATH),
    },
    Fault {
        code: Code::LeftoverFile,
        file: "tmp/my-app/chats/session-2026-11-15T10-00-99999999.jsonl.tmp-4711",
        line: None,
        also: &[],
        plant: |home| home.chat("session-2026-11-15T10-00-99999999.jsonl.tmp-4711", "{}"),
    },
    Fault {
        code: Code::UnreadableJournal,
        file: "tmp/my-app/chats/session-2026-11-15T10-00-99999999.jsonl.unreadable-1794776",
        line: None,
        also: &[],
        plant: |home| {
            let name = "session-2026-11-15T10-00-99999999.jsonl.unreadable-1794776";
            home.chat(name, journal("99999999-0000", NOW, &TURN));
        },
    },
    Fault {
        code: Code::ForeignFile,
        file: "tmp/my-app/chats/notes.txt",
        line: None,
        also: &[],
        plant: |home| home.chat("notes.txt", "mine"),
    },
    Fault {
        code: Code::RegistryMismatch,
        file: "tmp/my-app/.project_root",
        line: None,
        also: &[],
        plant: |home| home.put("projects.json", r#"{"projects":{"/srv/other":"my-app"}}"#),
    },
    Fault {
        code: Code::OrphanSubagent,
        file: "tmp/my-app/chats/bbbbbbbb-0000/agent1.jsonl",
        line: None,
        also: &[],
        plant: |home| {
            let text = journal("agent1", NOW, &TURN).replace("main", "subagent");
            home.chat("bbbbbbbb-0000/agent1.jsonl", text);
        },
    },
    Fault {
        code: Code::ConflictingCopies,
        file: JOURNAL_PATH,
        line: None,
        also: &[],
        plant: |home| {
            let here = r#"{"id":"u2","type":"user","content":"here"}"#;
            let there = r#"{"id":"u3","type":"user","content":"there"}"#;
            plant_lines(home, &[TURN[0], here]);
            let text = journal("aaaaaaaa-0000", NOW, &[TURN[0], there]);
            home.put(&format!("tmp/{HASH}/chats/{JOURNAL}"), text);
        },
    },
    Fault {
        code: Code::EndangeredSession,
        file: JOURNAL_PATH,
        line: None,
        also: &[Code::ResumeStray],
        plant: resumed,
    },
    Fault {
        code: Code::ResumeStray,
        file: "tmp/my-app/chats/session-2026-11-15T11-30-aaaaaaaa.jsonl",
        line: None,
        also: &[Code::EndangeredSession],
        plant: resumed,
    },
    Fault {
        code: Code::OtherStore,
        file: "antigravity-browser",
        line: None,
        also: &[],
        plant: |home| home.put("antigravity-browser/profile", "?"),
    },
    Fault {
        code: Code::Sealed,
        file: "antigravity-cli/conversations/1.pb",
        line: None,
        also: &[],
        plant: |home| home.put("antigravity-cli/conversations/1.pb", "?"),
    },
];

/// What is on disk after `--resume` in a later minute.
fn resumed(home: &TestHome) {
    plant_lines(home, &TURN);
    let stray = journal("aaaaaaaa-0000", NOW, &[CONTEXT]);
    home.chat("session-2026-11-15T11-30-aaaaaaaa.jsonl", stray);
}

fn link(target: &str, home: &TestHome, name: &str) {
    symlink(target, home.path(name)).expect("a link");
}
