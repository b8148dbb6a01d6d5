//! Files that change: what a later version lacks is still there.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Sandbox, chat, document, ids, lines, message, said, session, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn states(session: &Value) -> Vec<String> {
    let messages = said(session).into_iter();
    messages
        .map(|(id, state, by)| format!("{id} {state} {by}").trim_end().to_owned())
        .collect()
}

#[test]
fn a_rewind_in_a_file_that_is_written_whole_loses_nothing() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.json");
    let all = [
        ("u1", "one"),
        ("g1", "first"),
        ("u2", "two"),
        ("g2", "second"),
    ];
    sandbox.write(&file, &whole(ID, &all));
    sandbox.sync();
    let before = sandbox.show(ID);
    assert_eq!(
        states(&before),
        ["u1 current", "g1 current", "u2 current", "g2 current"]
    );
    sandbox.write(&file, &whole(ID, &[all[0], all[1], ("u3", "three")]));
    let report = sandbox.sync();
    assert_eq!(report.sessions_changed, 1, "{report:?}");
    let after = sandbox.show(ID);
    let wanted = [
        "u1 current",
        "g1 current",
        "u2 superseded rewind",
        "g2 superseded rewind",
        "u3 current",
    ];
    assert_eq!(states(&after), wanted);
    assert_eq!(after["tokens"]["total"], 20);
    let row = &sandbox.rows()[0];
    assert_eq!(row["tokens"]["total"], 20);
    assert_eq!(row["counts"]["superseded"], 2);
    let found = sandbox.search("second");
    assert_eq!(found[0]["state"], "superseded");
    // The disk alone cannot know.
    let disk = document(&session(&sandbox.disk_library(), ID));
    assert!(!disk.to_string().contains("second"));
    sandbox.verify();
}

#[test]
fn appending_is_one_content_with_a_version_for_each_look() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    let mut content = lines(ID, &[("u1", "one")]);
    let mut lengths = Vec::new();
    for round in 0..5 {
        content.push_str(&message(&format!("g{round}"), "more").to_string());
        content.push('\n');
        sandbox.write(&file, &content);
        lengths.push(content.len());
        sandbox.sync();
    }
    let database = sandbox.database();
    let versions: Vec<(i64, usize)> = database
        .prepare("SELECT content, bytes FROM version ORDER BY id")
        .and_then(|mut it| {
            it.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .expect("versions");
    let (contents, bytes): (Vec<i64>, Vec<usize>) = versions.into_iter().unzip();
    assert_eq!(bytes, lengths);
    assert!(contents.iter().all(|content| *content == contents[0]));
    assert_eq!(sandbox.number("SELECT count(*) FROM content"), 1);
    assert_eq!(
        sandbox.number("SELECT count(*) FROM chunk"),
        1,
        "old chunks are collected"
    );
    assert_eq!(sandbox.show(ID)["counts"]["superseded"], 0);
    sandbox.verify();
}

#[test]
fn a_rewritten_log_of_lines_keeps_what_it_had() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    sandbox.write(
        &file,
        &lines(ID, &[("u1", "one"), ("g1", "first"), ("u2", "two")]),
    );
    sandbox.sync();
    // Longer than before, so that size does not decide.
    let other = "another answer, much longer than the one that stood there ".repeat(4);
    sandbox.write(
        &file,
        &lines(ID, &[("u1", "one"), ("g9", &other), ("u9", "nine")]),
    );
    sandbox.sync();
    let session = sandbox.show(ID);
    let ids: Vec<String> = said(&session).into_iter().map(|it| it.0).collect();
    for id in ["u1", "g1", "u2", "g9", "u9"] {
        assert_eq!(
            ids.iter().filter(|it| *it == id).count(),
            1,
            "{id}: {ids:?}"
        );
    }
    let is_superseded = |it: &Value| {
        (it["state"] == "superseded") == ["g1", "u2"].map(|id| it["id"] == id).contains(&true)
    };
    assert!(
        session["messages"]
            .as_array()
            .expect("a list")
            .iter()
            .all(is_superseded)
    );
    assert_eq!(
        sandbox.number("SELECT count(DISTINCT content) FROM version"),
        2
    );
    sandbox.verify();
}

#[test]
fn a_file_that_got_shorter_and_long_again() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    let long = lines(
        ID,
        &[
            ("u1", "one"),
            ("g1", "first"),
            ("u2", "two"),
            ("g2", "second"),
        ],
    );
    let short = lines(ID, &[("u1", "one"), ("g1", "first")]);
    assert!(long.starts_with(&short));
    sandbox.write(&file, &long);
    sandbox.sync();
    sandbox.write(&file, &short);
    sandbox.sync();
    let session = sandbox.show(ID);
    assert_eq!(session["counts"]["messages"], 4);
    assert_eq!(session["counts"]["superseded"], 2);
    assert_eq!(session["tokens"]["total"], 20);
    sandbox.write(&file, &long);
    sandbox.sync();
    let session = sandbox.show(ID);
    assert_eq!(session["counts"]["messages"], 4);
    assert_eq!(session["counts"]["superseded"], 0);
    // Empty for a moment, like a file that is being rewritten.
    sandbox.write(&file, "");
    sandbox.sync();
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 4);
    sandbox.write(&file, &(long + &message("u3", "three").to_string() + "\n"));
    sandbox.sync();
    let session = sandbox.show(ID);
    assert_eq!(session["counts"]["messages"], 5);
    assert_eq!(session["counts"]["superseded"], 0);
    sandbox.verify();
}

#[test]
fn a_file_that_holds_another_session_now() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.json");
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    sandbox.write(
        &file,
        &whole(ID, &[("u1", "the first of them"), ("g1", "yes")]),
    );
    sandbox.sync();
    sandbox.write(
        &file,
        &whole(other, &[("u1", "the second of them"), ("g1", "no")]),
    );
    sandbox.sync();
    assert_eq!(ids(&sandbox.rows()), [ID, other]);
    let (first, second) = (sandbox.show(ID), sandbox.show(other));
    assert_eq!(first["messages"][0]["text"], "the first of them");
    assert_eq!(second["messages"][0]["text"], "the second of them");
    for session in [&first, &second] {
        assert_eq!(session["counts"]["messages"], 2);
        assert_eq!(session["counts"]["superseded"], 0);
    }
    let hits = sandbox.search("\"of them\"");
    let mut found: Vec<&Value> = hits.iter().map(|hit| &hit["session"]).collect();
    found.sort_by_key(ToString::to_string);
    found.dedup();
    assert_eq!(found, [&json!(ID), &json!(other)]);
    sandbox.verify();
}

#[test]
fn a_file_that_is_written_whole_for_every_message_is_not_read_once_for_each() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.json");
    let names: Vec<String> = (0..30)
        .map(|at| format!("{}{at}", ["u", "g"][at % 2]))
        .collect();
    let mut messages: Vec<(&str, &str)> = Vec::new();
    for name in &names {
        messages.push((name, "something"));
        sandbox.write(&file, &whole(ID, &messages));
        sandbox.sync();
    }
    assert_eq!(sandbox.number("SELECT count(*) FROM version"), 30);
    assert_eq!(
        sandbox.number("SELECT count(*) FROM version WHERE NOT repeated"),
        1
    );
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 30);
    // The longest one before a rewind counts again.
    messages.truncate(10);
    sandbox.write(&file, &whole(ID, &messages));
    sandbox.sync();
    assert_eq!(
        sandbox.number("SELECT count(*) FROM version WHERE NOT repeated"),
        2
    );
    let session = sandbox.show(ID);
    assert_eq!(session["counts"]["messages"], 30);
    assert_eq!(session["counts"]["superseded"], 20);
    assert_eq!(session["tokens"]["total"], 150);
    sandbox.verify();
}

#[test]
fn prompt_logs_are_written_whole_as_well() {
    let sandbox = Sandbox::new();
    let entry = |at: usize| {
        json!({"sessionId": ID, "messageId": at, "type": "user", "message": format!("prompt {at}"),
            "timestamp": format!("2026-06-01T10:{at:02}:00.000Z")})
    };
    for count in 1..=8 {
        let log: Value = (0..count).map(entry).collect();
        sandbox.write(".gemini/tmp/shop/logs.json", &log.to_string());
        sandbox.sync();
    }
    assert_eq!(sandbox.show(ID)["logged"].as_array().map(Vec::len), Some(8));
    assert_eq!(
        sandbox.number("SELECT count(*) FROM version WHERE NOT repeated"),
        1
    );
    // A log that starts over, as after damage.
    let log: Value = std::iter::once(entry(20)).collect();
    sandbox.write(".gemini/tmp/shop/logs.json", &log.to_string());
    sandbox.sync();
    assert_eq!(sandbox.show(ID)["logged"].as_array().map(Vec::len), Some(9));
    sandbox.verify();
}

#[test]
fn a_vanished_file_keeps_its_session_and_may_come_back() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.json");
    let content = whole(ID, &[("u1", "one"), ("g1", "first")]);
    let path = sandbox.write(&file, &content);
    sandbox.sync();
    let row = |archived: bool, on_disk: bool| {
        let row = sandbox.rows()[0].clone();
        assert_eq!(row["on_disk"], on_disk, "{row}");
        assert_eq!(row["archived"], archived, "{row}");
        row
    };
    let before = row(true, true);
    let aside = sandbox.path("aside.json");
    fs::rename(&path, &aside).expect("it can be moved");
    let report = sandbox.sync();
    assert_eq!((report.sessions_gone, report.sessions_changed), (1, 0));
    assert_eq!(sandbox.sync().sessions_gone, 0, "said once");
    let mut after = row(true, false);
    after["on_disk"] = true.into();
    assert_eq!(before, after);
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 2);
    fs::rename(&aside, &path).expect("it can be moved");
    sandbox.sync();
    row(true, true);
    assert_eq!(sandbox.number("SELECT count(*) FROM version"), 1);
    // Back as another file with more in it.
    sandbox.remove(&file);
    sandbox.sync();
    sandbox.write(
        &file,
        &whole(ID, &[("u1", "one"), ("g1", "first"), ("u2", "two")]),
    );
    sandbox.sync();
    row(true, true);
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 3);
    // The whole home.
    sandbox.remove(".gemini");
    assert_eq!(sandbox.sync().sessions_gone, 1);
    row(true, false);
    sandbox.verify();
}

/// Writes into a file without changing its length, and puts its time of change back.
#[cfg(unix)]
fn edit_unseen(path: &std::path::Path, at: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt as _;
    let file = std::fs::File::options().write(true).open(path);
    let file = file.expect("it is there");
    let modified = file.metadata().and_then(|it| it.modified());
    file.write_all_at(bytes, at).expect("it can be written");
    file.set_modified(modified.expect("it has one"))
        .expect("it can be set");
}

#[cfg(unix)]
#[test]
fn an_edit_whose_time_was_put_back_is_seen() {
    let sandbox = Sandbox::new();
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let text = lines(id, &[("u1", "before")]);
    let path = sandbox.write(&chat("2f1e0a52.jsonl"), &text);
    sandbox.sync();
    let at = text.find("before").expect("it says so") as u64;
    edit_unseen(&path, at, b"AFTERX");
    assert_eq!(sandbox.sync().files_read, 1);
    assert_eq!(sandbox.search("afterx").len(), 1);
    // An archive that never asked for that time learns it.
    let forget_it = "UPDATE file SET changed = NULL";
    sandbox
        .database()
        .execute(forget_it, [])
        .expect("it is a table");
    assert_eq!(sandbox.sync().files_read, 0);
    edit_unseen(&path, at, b"LATERX");
    assert_eq!(sandbox.sync().files_read, 1);
}

#[cfg(unix)]
#[test]
fn a_full_sync_sees_what_samples_do_not() {
    let mut sandbox = Sandbox::new();
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let file = chat("2f1e0a52.jsonl");
    let texts: Vec<(String, String)> = (0..100)
        .map(|at| {
            (
                format!("u{at}"),
                format!("mark{at} {}", format!("{at:09}").repeat(11_000)),
            )
        })
        .collect();
    let messages: Vec<(&str, &str)> = texts
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let text = lines(id, &messages);
    assert!(text.len() > 9 << 20);
    let path = sandbox.write(&file, &text);
    sandbox.sync();
    let mut edited = 0;
    for at in (2..98).step_by(10) {
        let place = text.find(&format!("mark{at} ")).expect("it says so") as u64;
        edit_unseen(&path, place, b"EDIT");
        edited += 1;
    }
    let all = std::fs::read_to_string(&path).expect("it is text");
    sandbox.write(&file, &(all + "{}\n"));
    sandbox.options.full = true;
    let report = sandbox.sync();
    assert!(report.bytes_read > 9 << 20, "{report:?}");
    assert_eq!(sandbox.search("edit*").len(), edited);
    assert_eq!(sandbox.sync().files_read, 1, "every time");
}
