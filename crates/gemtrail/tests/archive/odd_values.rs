//! No value in any file stops a command, or hides another session.

use std::fmt::Write as _;

use gemtrail_testkit::odd;
use serde_json::Value;

use crate::common::{Keeper, chat, lines};

const GOOD: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// A home with a session for each odd value in each field, and a plain one. Returns how many.
fn fill(keeper: &Keeper) -> usize {
    let mut count = 0;
    for value in odd::values() {
        for place in odd::places(&odd::records("")) {
            count += 1;
            let start = format!("{count:08x}");
            let records = odd::records(&format!("{start}-aaaa-4bbb-8ccc-0123456789ab"));
            let (name, file) = if count % 4 == 0 {
                (start + ".json", odd::as_whole(&records, &place, &value))
            } else {
                (start + ".jsonl", odd::as_lines(&records, &place, &value))
            };
            keeper.write(&chat(&name), &file);
        }
    }
    keeper.write(&chat("2f1e0a52.jsonl"), &lines(GOOD, &[("u1", "goodword")]));
    count + 1
}

/// Logs and small files of the home, each full of odd values.
fn fill_small_files(keeper: &Keeper) {
    let mut log = String::from("[");
    for value in odd::values() {
        for field in ["sessionId", "messageId", "type", "message", "timestamp"] {
            let entry = r#"{"sessionId":"s","messageId":0,"type":"user","message":"m","timestamp":"2026-06-01T10:00:00.000Z"}"#;
            let mut entry: Value = serde_json::from_str(entry).expect("it is JSON");
            entry[field] = "@".into();
            let _ = write!(log, "{},", entry.to_string().replace("\"@\"", &value));
        }
    }
    log.push_str("null]");
    keeper.write(".gemini/tmp/shop/logs.json", &log);
    for (at, value) in odd::values().iter().enumerate() {
        let projects = format!("{{\"projects\":{{\"/w/{at}\":{value}}}}}");
        keeper.write(&format!("{at}/.gemini/projects.json"), &projects);
        let dir = format!("{at}/.gemini/tmp/shop");
        keeper.write(&format!("{dir}/checkpoint-a.json"), value);
        keeper.write(&format!("{dir}/logs.json"), value);
        keeper.write(&format!("{dir}/chats/session-x.json"), value);
        keeper.write(&format!("{dir}/chats/session-y.jsonl"), value);
    }
}

#[test]
fn no_value_in_any_field_stops_a_command() {
    let keeper = Keeper::new();
    let count = fill(&keeper);
    fill_small_files(&keeper);
    let report = keeper.sync();
    assert!(report["files_read"].as_u64() >= Some(count as u64));
    keeper.verify();
    let rows = |more: &[&str]| -> Vec<String> {
        let arguments = ["list", "--json", "--all", "--kind", "all"];
        let ran = keeper.ok(&[&arguments[..], more].concat());
        ran.out.lines().map(without_origin).collect()
    };
    let (archived, disk) = (rows(&[]), rows(&["--no-archive"]));
    assert!(archived.iter().any(|row| row.contains(GOOD)));
    for (archived, disk) in archived.iter().zip(&disk) {
        assert_eq!(archived, disk);
    }
    assert_eq!(archived.len(), disk.len());
    let found = keeper.ok(&["search", "goodword", "--json"]);
    assert_eq!(ids_of_hits(&found.lines()), [GOOD]);
    for arguments in [
        &["list"][..],
        &["search", "answer"],
        &["signals"],
        &["doctor"],
        &["sync", "--rebuild"],
        &["projects"],
    ] {
        keeper.ok(arguments);
    }
    for format in ["json", "usage", "md"] {
        let out = keeper.path(&format!("out-{format}"));
        let out = out.to_str().expect("text");
        keeper.ok(&["export", "--all", "--format", format, "-o", out]);
    }
    for at in 0..odd::values().len() {
        let home = keeper.path(&format!("{at}/.gemini"));
        let home = home.to_str().expect("text");
        keeper.ok(&["sync", "--home", home]);
        let ran = keeper.run(&["list", "--home", home]);
        assert!(ran.code < Some(2), "{ran:?}");
    }
    keeper.verify();
}

/// A line of a list without what the disk does not know of it. As text: no type holds every number,
/// and each is kept as it was written.
fn without_origin(row: &str) -> String {
    let row = row.replace("\"archived\":true", "\"archived\":false");
    let (start, rest) = row.split_once("\"origin\":").expect("it has one");
    let (_, end) = rest.split_once("\"kind\":").expect("it has one");
    format!("{start}{end}")
}

fn ids_of_hits(hits: &[Value]) -> Vec<String> {
    let ids = hits.iter().filter_map(|hit| hit["session"].as_str());
    ids.map(str::to_owned).collect()
}
