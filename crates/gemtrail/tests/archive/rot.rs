//! One damaged chunk: every command does its job for everything else, and says so.

use std::fs;

use serde_json::Value;

use crate::common::{Keeper, chat, ids, lines};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// Five sessions that all say "charlie", the first of which is damaged.
fn rotten() -> Keeper {
    let keeper = Keeper::with_session(ID);
    let file = lines(ID, &[("u1", "charlie"), ("g1", "first")]);
    keeper.write(&chat("2f1e0a52.jsonl"), &file);
    for at in 1..5 {
        let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
        let file = lines(&id, &[("u1", "charlie"), ("g1", "answer")]);
        keeper.write(&chat(&format!("{at:08x}.jsonl")), &file);
    }
    keeper.sync();
    let rot = "UPDATE chunk SET data = substr(data, 1, length(data) - 3) || x'000000'
        WHERE id IN (SELECT chunk.id FROM file JOIN version ON version.file = file.id
        JOIN content ON content.id = version.content JOIN chunk ON chunk.bytes = content.bytes
        WHERE file.path LIKE '%2f1e0a52%')";
    let rotten = keeper.database().execute(rot, []).expect("it is written");
    assert_eq!(rotten, 1);
    keeper
}

fn codes(findings: &Value) -> Vec<&str> {
    let findings = findings.as_array().expect("a list").iter();
    findings.filter_map(|it| it["code"].as_str()).collect()
}

#[test]
fn what_is_on_disk_is_shown_and_mended() {
    let keeper = rotten();
    let shown = keeper.ok(&["show", ID, "--json"]);
    assert!(shown.err.contains("read from the disk"), "{}", shown.err);
    assert!(shown.out.contains("first"));
    let found = keeper.ok(&["search", "charlie", "--json", "--limit", "0"]);
    assert_eq!(found.lines().len(), 5);
    assert!(found.err.contains("archive is damaged"), "{}", found.err);
    let doctor = keeper.ok(&["doctor", "--json"]).lines();
    assert_eq!(codes(&doctor[0]["diagnostics"]), ["damaged-archive"]);
    assert_eq!(doctor[0]["ok"], false);
    keeper.run(&["archive", "verify"]).expect(1);
    keeper.sync();
    keeper.verify();
    assert_eq!(keeper.ok(&["show", ID]).err, "");
    let doctor = keeper.ok(&["doctor", "--json"]).lines();
    assert_eq!(doctor[0]["ok"], true, "{doctor:?}");
}

#[test]
fn what_is_lost_stops_nothing_and_is_said() {
    let keeper = rotten();
    fs::remove_file(keeper.path(&chat("2f1e0a52.jsonl"))).expect("it is there");
    keeper.write(".gemini/tmp/shop/.project_root", "/w/shop");
    for round in ["plain", "rebuilt"] {
        let sync = match round {
            "plain" => keeper.ok(&["sync", "--json"]),
            _ => keeper.ok(&["sync", "--rebuild", "--json"]),
        };
        let report = &sync.lines()[0];
        assert_eq!(
            codes(&report["diagnostics"]),
            ["damaged-archive"],
            "{round}"
        );
        let told = keeper.ok(&["sync"]);
        assert!(told.out.contains("damaged"), "{}", told.out);
        assert_eq!(keeper.list(&[]).len(), 5, "{round}");
        assert!(ids(&keeper.ok(&["list", "--json"]).lines()).contains(&ID.to_owned()));
        let shown = keeper.ok(&["show", ID, "--json"]);
        assert!(shown.err.contains("are lost"), "{round}: {}", shown.err);
        let document: Value = serde_json::from_str(&shown.out).expect("it is JSON");
        assert!(codes(&document["diagnostics"]).contains(&"damaged-archive"));
        let found = keeper.ok(&["search", "charlie", "--json", "--limit", "0"]);
        assert_eq!(found.lines().len(), 4, "{round}");
        assert!(found.err.contains("are lost"), "{round}: {}", found.err);
        let signals = keeper.ok(&["signals", "--json"]);
        assert!(signals.err.contains("are lost"), "{}", signals.err);
        let out = keeper.path(round);
        let out = out.to_str().expect("text");
        let export = keeper.ok(&["export", "--all", "--format", "json", "-o", out]);
        assert!(export.err.contains("are lost"), "{}", export.err);
        assert_eq!(fs::read_dir(out).expect("it is there").count(), 5);
        let doctor = keeper.ok(&["doctor", "--json"]).lines();
        assert!(codes(&doctor[0]["diagnostics"]).contains(&"damaged-archive"));
        for arguments in [
            &["restore", ID, "-o", "back", "--json"][..],
            &["restore", ID, "--exact", "--json"],
        ] {
            let ran = keeper.run(arguments).expect(2);
            assert_eq!(ran.error_code(), "damaged-archive", "{}", ran.err);
        }
        let ran = keeper.run(&["restore", ID]);
        assert!(ran.code > Some(0) && ran.err.contains("damaged"), "{ran:?}");
    }
}

#[test]
fn a_repair_that_saves_no_session_leaves_an_archive_to_go_on_with() {
    let keeper = Keeper::with_session(ID);
    keeper.sync();
    keeper.remove(".gemini/tmp/shop/chats");
    keeper.write(".gemini/tmp/shop/logs.json", "[]");
    keeper.sync();
    let rot = "UPDATE chunk SET data = x'00'";
    keeper.database().execute(rot, []).expect("it is written");
    let repaired = &keeper.ok(&["archive", "repair", "--json"]).lines()[0];
    assert_eq!(repaired["versions"], 0, "{repaired}");
    let lost = ["damaged-archive"; 2];
    assert_eq!(
        codes(&repaired["diagnostics"]),
        lost,
        "one for each file: {repaired}"
    );
    keeper.verify();
    keeper.write(&chat("2f1e0a52.jsonl"), &lines(ID, &[("u1", "charlie")]));
    keeper.sync();
    assert_eq!(keeper.list(&[]).len(), 1);
}

#[test]
fn a_changed_table_of_the_index_is_told() {
    let keeper = Keeper::with_session(ID);
    keeper.sync();
    keeper.verify();
    let change = "PRAGMA writable_schema = ON;
        UPDATE ix.sqlite_schema SET sql = sql || ' ' WHERE name = 'calls'";
    keeper
        .database()
        .execute_batch(change)
        .expect("it is changed");
    let verified = keeper.run(&["archive", "verify"]).expect(1);
    let told = format!("{}{}", verified.out, verified.err);
    assert!(told.contains("not as they were made"), "{told}");
}

#[test]
fn a_changed_project_is_told() {
    let keeper = Keeper::with_session(ID);
    keeper.sync();
    let change = "UPDATE ix.project SET path = coalesce(path, '') || 'x'";
    let changed = keeper.database().execute(change, []);
    assert_eq!(changed.expect("it is written"), 1);
    let told = keeper.run(&["archive", "verify"]).expect(1);
    assert!(told.out.contains("differ from the index"), "{}", told.out);
    keeper.ok(&["sync", "--rebuild"]);
    keeper.verify();
}

#[test]
fn lengths_that_no_file_has_are_damage() {
    let keeper = Keeper::with_session(ID);
    keeper.write(".gemini/tmp/shop/.project_root", "/w/shop");
    keeper.sync();
    let rot = "UPDATE version SET bytes = 9223372036854775807";
    keeper.database().execute(rot, []).expect("it is written");
    keeper.run(&["archive", "verify"]).expect(1);
    keeper.ok(&["sync", "--rebuild"]);
    keeper.ok(&["archive", "repair"]);
    keeper.verify();
}
