//! Several homes, several machines, and what is not kept.

use serde_json::Value;

use crate::common::{Keeper, chat, ids, lines, message, one, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn sync_home(keeper: &Keeper, home: &str, more: &[&str]) -> Value {
    let home = keeper.path(home);
    let arguments = ["sync", "--json", "--home", home.to_str().expect("text")];
    one(&keeper.ok(&[&arguments[..], more].concat()))
}

#[test]
fn the_same_session_in_two_homes_is_one() {
    let keeper = Keeper::new();
    let first = lines(ID, &[("u1", "one"), ("g1", "first")]);
    let longer = first.clone() + &message("u2", "two").to_string() + "\n";
    keeper.write(&format!("a/{}", chat("2f1e0a52.jsonl")), &first);
    keeper.write(&format!("b/{}", chat("2f1e0a52.jsonl")), &longer);
    for home in ["a", "b"] {
        keeper.write(
            &format!("{home}/.gemini/tmp/shop/.project_root"),
            "/work/shop",
        );
    }
    sync_home(&keeper, "a", &[]);
    sync_home(&keeper, "b", &[]);
    let rows = keeper.list(&[]);
    assert_eq!(ids(&rows), [ID]);
    assert_eq!(rows[0]["counts"]["messages"], 3);
    assert_eq!(rows[0]["counts"]["superseded"], 0);
    assert_eq!(rows[0]["tokens"]["total"], 10);
    assert_eq!(rows[0]["journals"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        rows[0]["on_disk"], true,
        "nobody looked at its homes now, but they are there"
    );
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 2);
    keeper.remove("a");
    keeper.remove("b");
    assert_eq!(keeper.list(&[])[0]["on_disk"], false);
    assert_eq!(keeper.show(ID)["counts"]["messages"], 3);
    keeper.verify();
}

#[test]
fn the_same_session_from_two_machines_is_two() {
    let keeper = Keeper::new();
    let content = lines(ID, &[("u1", "one"), ("g1", "first")]);
    keeper.write(&format!("a/{}", chat("2f1e0a52.jsonl")), &content);
    sync_home(&keeper, "a", &["--origin", "host=left,user=alice"]);
    sync_home(&keeper, "a", &["--origin", "host=right"]);
    let rows = keeper.list(&[]);
    assert_eq!(ids(&rows), [ID, ID]);
    let mut hosts: Vec<&Value> = rows.iter().map(|row| &row["origin"]["host"]).collect();
    hosts.sort_by_key(ToString::to_string);
    assert_eq!(hosts, ["left", "right"]);
    let left = keeper.list(&["--host", "left"]);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["origin"]["user"], "alice");
    assert_eq!(
        keeper.number("SELECT count(*) FROM content"),
        1,
        "the same bytes are kept once"
    );
    // Both are found.
    let hits = keeper.ok(&["search", "first", "--json"]).lines();
    assert_eq!(hits.len(), 2);
    // The name alone does not tell which.
    keeper.run(&["show", ID]).expect(2);
    keeper.verify();
}

#[test]
fn the_same_bytes_in_many_files_are_kept_once() {
    let keeper = Keeper::new();
    let text = "the same words in all of them ".repeat(400);
    let content = lines(ID, &[("u1", &text), ("g1", "first")]);
    // Many, so that one thread waits for the chunk that another one sends.
    for at in 0..40 {
        let dir = format!("homes/{at}");
        keeper.write(&format!("{dir}/{}", chat("2f1e0a52.jsonl")), &content);
    }
    let homes: Vec<String> = (0..40)
        .flat_map(|at| {
            let home = keeper.path(&format!("homes/{at}"));
            ["--home".to_owned(), home.to_string_lossy().into_owned()]
        })
        .collect();
    for round in 0..5 {
        let mut arguments = vec!["sync".to_owned(), "--json".to_owned()];
        arguments.extend(homes.iter().cloned());
        let report = one(&keeper.ok(&arguments));
        assert_eq!(report["files_read"], 40, "round {round}");
        assert_eq!(keeper.number("SELECT count(*) FROM content"), 1);
        assert_eq!(keeper.number("SELECT count(*) FROM version"), 40);
        keeper.remove("archive.db");
    }
}

fn with_config(keeper: &Keeper, config: &str, arguments: &[&str]) -> crate::common::Ran {
    let file = keeper.write("config.toml", config);
    let output = keeper
        .command(arguments)
        .env("GEMTRAIL_CONFIG", file)
        .output();
    crate::common::Ran::of(output.expect("the binary runs"))
}

#[test]
fn excluded_projects_are_not_taken_in() {
    let keeper = Keeper::new();
    keeper.write(&chat("2f1e0a52.json"), &whole(ID, &[("u1", "public")]));
    let secret = whole(OTHER, &[("u1", "vqjxsecret4711")]).replace("\"shop\"", "\"secret\"");
    keeper.write(
        ".gemini/tmp/secret/chats/session-2026-06-01T10-00-3a1e0a52.json",
        &secret,
    );
    keeper.write(".gemini/tmp/secret/.project_root", "/work/secret/inner");
    keeper.write(".gemini/tmp/shop/.project_root", "/work/secretary");
    let config = "[archive]\nexclude = [\"/work/secret\"]\n";
    let ran = with_config(&keeper, config, &["sync", "--json"]).expect(0);
    assert_eq!(one(&ran)["sessions_added"], 1);
    let bytes = std::fs::read(keeper.archive()).expect("it can be read");
    let has = |needle: &[u8]| bytes.windows(needle.len()).any(|it| it == needle);
    assert!(has(b"public") && !has(b"vqjxsecret4711"));
    // It is on disk and shown from there, quietly.
    for more in [&[][..], &["--no-sync"]] {
        let arguments = [&["list", "--json"][..], more].concat();
        let ran = with_config(&keeper, config, &arguments).expect(0);
        assert_eq!(ids(&ran.lines()), [ID, OTHER]);
        assert_eq!(ran.err, "", "there is nothing to take in");
    }
    assert_eq!(keeper.info()["sessions"], 1);
    // Until it is no longer excluded.
    keeper.sync();
    assert_eq!(keeper.info()["sessions"], 2);
    keeper.verify();
}

#[test]
fn sessions_that_are_gone_are_kept_as_long_as_wanted() {
    let keeper = Keeper::new();
    let old = |id: &str| whole(id, &[("u1", "old")]).replace("2026-06-01", "2020-06-01");
    let file = chat("2f1e0a52.json");
    let path = keeper.write(&file, &old(ID));
    let output = format!(".gemini/tmp/shop/tool-outputs/session-{ID}/run_1.txt");
    keeper.write(&output, "vqjxoutput4711");
    keeper.write(&chat("3a1e0a52.json"), &old(OTHER));
    let recent = "4a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let now = whole(recent, &[("u1", "new")]).replace("2026-06-01", "2999-06-01");
    keeper.write(&chat("4a1e0a52.json"), &now);
    let config = "[archive]\nkeep_days = 30\n";
    let sync = || one(&with_config(&keeper, config, &["sync", "--json"]).expect(0));
    sync();
    assert_eq!(
        ids(&keeper.list(&[])),
        [ID, OTHER, recent],
        "all are on disk"
    );
    let aside = keeper.path("aside.json");
    std::fs::rename(&path, &aside).expect("it can be moved");
    keeper.remove(&output);
    keeper.remove(&chat("4a1e0a52.json"));
    keeper.sync();
    assert_eq!(
        ids(&keeper.list(&[])),
        [ID, OTHER, recent],
        "nobody said how long"
    );
    sync();
    assert_eq!(ids(&keeper.list(&[])), [OTHER, recent]);
    assert_eq!(
        keeper.number("SELECT count(*) FROM content"),
        2,
        "with what belongs to it"
    );
    keeper.verify();
    // It comes back, the very same file.
    std::fs::rename(&aside, &path).expect("it can be moved");
    sync();
    assert_eq!(ids(&keeper.list(&[])), [ID, OTHER, recent]);
    keeper.verify();
}
