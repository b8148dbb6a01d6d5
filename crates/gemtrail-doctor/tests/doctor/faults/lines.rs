//! Damaged bytes: what a crash, a full disk or an editor does to a file.

use gemtrail_core::model::Code;

use super::{Fault, JOURNAL, JOURNAL_PATH, RECORD, RECORD_PATH, plant_lines};
use crate::home::{HASH, NOW, TURN, TestHome, journal};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        code: Code::EmptyFile,
        file: JOURNAL_PATH,
        line: Some(1),
        also: &[],
        plant: |home| home.chat(JOURNAL, ""),
    },
    Fault {
        code: Code::UnknownFormat,
        file: JOURNAL_PATH,
        line: None,
        also: &[Code::BadJson],
        plant: |home| home.chat(JOURNAL, "Dear diary,\ntoday I wrote no JSON.\n"),
    },
    Fault {
        code: Code::BadJson,
        file: JOURNAL_PATH,
        line: Some(3),
        also: &[],
        plant: |home| plant_lines(home, &[TURN[0], "oops", TURN[1]]),
    },
    Fault {
        code: Code::TornLine,
        file: JOURNAL_PATH,
        line: Some(4),
        also: &[],
        plant: |home| {
            let mut text = journal("aaaaaaaa-0000", NOW, &TURN);
            text.push_str(r#"{"id":"u2","type":"us"#);
            home.chat(JOURNAL, text);
        },
    },
    Fault {
        code: Code::TruncatedFile,
        file: RECORD_PATH,
        line: Some(6),
        also: &[Code::EndangeredSession],
        plant: |home| {
            let text = record("");
            let cut = text.find("\"hi\"").expect("the answer");
            home.chat(RECORD, &text[..cut]);
        },
    },
    Fault {
        code: Code::TrailingBytes,
        file: RECORD_PATH,
        line: Some(10),
        also: &[Code::EndangeredSession],
        plant: |home| home.chat(RECORD, record("\n\n{\"left\": \"over\"}\n")),
    },
    Fault {
        code: Code::InvalidUtf8,
        file: JOURNAL_PATH,
        line: Some(4),
        also: &[],
        plant: |home| {
            let mut bytes = journal("aaaaaaaa-0000", NOW, &TURN).into_bytes();
            bytes.extend(b"{\"id\":\"u2\",\"type\":\"user\",\"content\":\"caf\xE9\"}\n");
            home.chat(JOURNAL, bytes);
        },
    },
    Fault {
        code: Code::LoneSurrogate,
        file: JOURNAL_PATH,
        line: Some(2),
        also: &[],
        plant: |home| {
            plant_lines(
                home,
                &[r#"{"id":"u1","type":"user","content":"half \ud83d"}"#],
            );
        },
    },
    Fault {
        code: Code::ByteOrderMark,
        file: JOURNAL_PATH,
        line: Some(1),
        also: &[Code::EndangeredSession],
        plant: |home| {
            let text = journal("aaaaaaaa-0000", NOW, &TURN);
            home.chat(JOURNAL, format!("\u{FEFF}{text}"));
        },
    },
    Fault {
        code: Code::NulBytes,
        file: JOURNAL_PATH,
        line: Some(4),
        also: &[],
        plant: |home| plant_lines(home, &[TURN[0], TURN[1], "\0\0\0\0\0\0\0\0"]),
    },
    Fault {
        code: Code::InterleavedLines,
        file: JOURNAL_PATH,
        line: Some(2),
        also: &[],
        plant: |home| plant_lines(home, &[&format!("{}{}", TURN[0], TURN[1]), TURN[1]]),
    },
    Fault {
        code: Code::TooDeep,
        file: JOURNAL_PATH,
        line: Some(3),
        also: &[],
        plant: |home| {
            let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
            let line = format!(r#"{{"id":"x","type":"user","content":{deep}}}"#);
            plant_lines(home, &[TURN[0], &line]);
        },
    },
    Fault {
        code: Code::BadLog,
        file: "tmp/my-app/logs.json",
        line: Some(3),
        also: &[],
        plant: |home| home.put("tmp/my-app/logs.json", "[\n  {},\n  oops\n]"),
    },
    Fault {
        code: Code::BadRegistry,
        file: "projects.json",
        line: None,
        also: &[],
        plant: |home| home.put("projects.json", "{\"projects\": "),
    },
    Fault {
        code: Code::BadSettings,
        file: "settings.json",
        line: Some(3),
        also: &[],
        plant: |home| home.put("settings.json", "{\n  // mine\n  \"general\": {,}\n}"),
    },
    Fault {
        code: Code::BadCheckpoint,
        file: "tmp/my-app/checkpoint-later.json",
        line: Some(2),
        also: &[],
        plant: |home| checkpoint(home, "checkpoint-later.json"),
    },
    Fault {
        code: Code::BadCheckpoint,
        file: "tmp/my-app/checkpoints/2026-11-15T10-00-00_000Z-a.txt-write_file.json",
        line: Some(2),
        also: &[],
        plant: |home| {
            let name = "checkpoints/2026-11-15T10-00-00_000Z-a.txt-write_file.json";
            checkpoint(home, name);
        },
    },
];

/// A whole-file record of eight lines.
fn record(end: &str) -> String {
    let head = format!(
        "{{\n  \"sessionId\": \"aaaaaaaa-0000\",\n  \"projectHash\": \"{HASH}\",\n  \"messages\": [\n"
    );
    let (asked, said) = (TURN[0], TURN[1]);
    format!("{head}    {asked},\n    {said}\n  ], \"lastUpdated\": \"{NOW}\"\n}}{end}")
}

/// A truncated checkpoint.
fn checkpoint(home: &TestHome, name: &str) {
    home.put(
        &format!("tmp/my-app/{name}"),
        "{\n  \"history\": [{\"role\":",
    );
}
