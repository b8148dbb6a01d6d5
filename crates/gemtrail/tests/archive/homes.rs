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

/// The same session on two machines, of which one went on.
fn two_machines() -> Keeper {
    let keeper = Keeper::new();
    let first = lines(ID, &[("u1", "one"), ("g1", "first")]);
    let longer = first.clone() + &message("u2", "zebra").to_string() + "\n";
    for (home, content) in [("a", &first), ("b", &longer)] {
        keeper.write(&format!("{home}/{}", chat("2f1e0a52.jsonl")), content);
        let marker = format!("{home}/.gemini/tmp/shop/.project_root");
        keeper.write(&marker, "/srv/demo/shop");
    }
    for (home, host) in [("a", "host=left"), ("b", "host=right")] {
        let report = sync_home(&keeper, home, &["--origin", host]);
        assert_eq!(report["sessions_added"], 1, "{host}");
    }
    let anew = one(&keeper.ok(&["sync", "--rebuild", "--json"]));
    assert_eq!(anew["sessions_added"], 0);
    assert_eq!(anew["sessions_changed"], 0);
    keeper
}

#[test]
fn what_two_machines_have_is_told_apart_by_every_command() {
    let keeper = two_machines();
    let rows = keeper.list(&[]);
    assert!(
        rows.iter().all(|row| row["on_disk"] == true),
        "they are mounted here"
    );
    for (number, row) in rows.iter().enumerate() {
        let host = row["origin"]["host"].as_str().expect("it has one");
        for name in [
            format!("@{}", number + 1),
            format!("{ID}@{host}"),
            format!("2f1e@{host}"),
        ] {
            let shown = keeper.show(&name);
            assert_eq!(shown["origin"]["host"], host, "{name}");
            assert_eq!(shown["counts"], row["counts"], "{name}");
            assert_eq!(shown["diagnostics"][0]["code"], "hosts-disagree", "{name}");
        }
    }
    for shown in [keeper.ok(&["list"]), keeper.ok(&["search", "first"])] {
        let shown = shown.out;
        assert!(
            shown.contains("shop@left") && shown.contains("shop@right"),
            "{shown}"
        );
    }
    let ambiguous = keeper.run(&["show", ID]).expect(2);
    assert!(
        ambiguous.err.contains("shop@left") && ambiguous.err.contains("shop@right"),
        "{}",
        ambiguous.err
    );

    let hits = |query: &[&str]| keeper.ok(&[&["search", "--json"], query].concat()).lines();
    let hit = &hits(&["zebra"])[0];
    assert_eq!(hit["host"], "right");
    let right = rows.iter().position(|row| row["origin"]["host"] == "right");
    let right = right.expect("it is there");
    let number = format!("@{}", right + 1);
    let text = keeper.ok(&["search", "zebra"]).out;
    let reference = rows[right]["ref"].as_str().expect("it has one");
    assert!(text.starts_with(&format!("{reference}:")), "{text}");
    assert_eq!(hits(&[&format!("session:{number}"), "one"]).len(), 1);

    keeper.ok(&["export", "--all", "--format", "json", "-o", "out/"]);
    for (host, messages) in [("left", 2), ("right", 3)] {
        let file = format!("out/session-2026-06-01T10-00-2f1e0a52.{host}.json");
        let text = std::fs::read_to_string(keeper.path(&file)).expect("it was written");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(document["counts"]["messages"], messages, "{host}");
    }
    keeper.ok(&["export", "--all", "--host", "left", "--format", "md"]);
    for (query, count) in [
        (&["one", "--host", "left"][..], 1),
        (&["one", "--host", "right", "--kind", "main"], 1),
        (&["one", "--kind", "all"], 2),
    ] {
        assert_eq!(hits(query).len(), count, "{query:?}");
    }
    for more in [
        ["--kind", "subagent"],
        ["--user", "nobody"],
        ["--host", "none"],
    ] {
        keeper
            .run(&[&["search", "one"], &more[..]].concat())
            .expect(1);
    }
    assert_eq!(keeper.ok(&["projects", "--json"]).lines().len(), 1);
}

#[test]
fn a_home_has_many_names_and_is_one() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.jsonl");
    keeper.write(
        &format!("a/{file}"),
        &lines(ID, &[("u1", "one"), ("g1", "first")]),
    );
    for home in ["a/.gemini", "a/.gemini/", "a/../a/.gemini", "a"] {
        sync_home(&keeper, home, &[]);
    }
    let arguments = ["sync", "--home", "a"];
    let mut command = keeper.command(&arguments);
    assert!(
        command
            .env("USER", "bob")
            .status()
            .expect("it runs")
            .success()
    );
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 1);
    let row = &keeper.list(&[])[0];
    assert_eq!(row["journals"].as_array().map(Vec::len), Some(1));
    assert_eq!(row["origin"]["user"], "bob");
    keeper.verify();
}

/// A home that was moved to another place, with a link where it was.
#[cfg(unix)]
#[test]
fn a_linked_home_is_up_to_date_after_a_sync() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.jsonl").replace(".gemini/", "dotfiles/gemini/");
    keeper.write(&file, &lines(ID, &[("u1", "one"), ("g1", "first")]));
    let link = keeper.path(".gemini");
    std::os::unix::fs::symlink(keeper.path("dotfiles/gemini"), link).expect("a link");
    keeper.sync();
    let report = one(&keeper.ok(&["doctor", "--json"]));
    assert_eq!(report["archive"]["files_behind"], 0, "{report}");
    let at_risk = report["retention"]["at_risk"].as_array().expect("a list");
    assert_eq!(at_risk.len(), 1, "it is old");
    assert_eq!(at_risk[0]["archived"], true, "{report}");
    let paths = |rows: &[Value]| rows[0]["journals"][0]["path"].clone();
    let archived = paths(&keeper.list(&[]));
    assert_eq!(paths(&keeper.list(&["--no-archive"])), archived);
    assert_eq!(at_risk[0]["journals"][0]["path"], archived);
    // Gemini CLI finds it by itself.
    keeper.ok(&["setup", "--yes", "--only", "extension"]);
    let hooks = keeper.path(".gemini/extensions/gemtrail/hooks/hooks.json");
    let hooks = std::fs::read_to_string(hooks).expect("it was written");
    assert!(!hooks.contains("--home"), "{hooks}");
}

#[test]
fn reading_an_archive_adds_no_home_to_it() {
    let keeper = Keeper::new();
    keeper.write(
        &format!("a/{}", chat("2f1e0a52.jsonl")),
        &lines(ID, &[("u1", "one"), ("g1", "yes")]),
    );
    sync_home(&keeper, "a", &[]);
    keeper.write(
        &chat("3a1e0a52.jsonl"),
        &lines(OTHER, &[("u1", "two"), ("g1", "yes")]),
    );
    let rows = keeper.list(&[]);
    assert_eq!(ids(&rows), [ID, OTHER], "archive and disk");
    let other = rows.iter().find(|row| row["id"] == OTHER);
    assert_eq!(other.expect("it is there")["archived"], false);
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 1);
    keeper.sync();
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 2);
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
    keeper.write(".gemini/tmp/secret/.project_root", "/srv/secret/inner");
    keeper.write(".gemini/tmp/shop/.project_root", "/srv/secretary");
    let config = "[archive]\nexclude = [\"/srv/secret\"]\n";
    let ran = with_config(&keeper, config, &["sync", "--json"]).expect(0);
    assert_eq!(one(&ran)["sessions_added"], 1);
    let files = [
        keeper.archive(),
        keeper.archive().with_extension("index.db"),
    ];
    let bytes = files.map(|file| std::fs::read(file).expect("it can be read"));
    let bytes = bytes.concat();
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
