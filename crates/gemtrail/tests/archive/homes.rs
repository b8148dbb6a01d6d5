//! Several homes, several machines, and what is not kept.

use serde_json::Value;

use crate::common::{Keeper, chat, ids, lines, log, message, one, whole};

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
            "/srv/demo/shop",
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
fn what_only_a_log_has_is_of_its_machine() {
    let keeper = two_machines();
    for (home, host) in [("a", "left"), ("b", "right")] {
        let file = format!("{home}/.gemini/tmp/shop/logs.json");
        keeper.write(&file, &log("2026-06-01T11:00:00.000Z", &[(OTHER, "typed")]));
        sync_home(&keeper, home, &["--origin", &format!("host={host}")]);
    }
    let rows = keeper.list(&[]);
    let logged = rows.iter().filter(|row| row["kind"] == "log");
    let mut hosts: Vec<&Value> = logged.map(|row| &row["origin"]["host"]).collect();
    hosts.sort_by_key(ToString::to_string);
    assert_eq!(hosts, ["left", "right"]);
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
        ambiguous.err.contains(&format!("{ID}@left")),
        "{}",
        ambiguous.err
    );

    let hits = |query: &[&str]| keeper.ok(&[&["search", "--json"], query].concat()).lines();
    let hit = &hits(&["zebra"])[0];
    assert_eq!(hit["host"], "right");
    let right = rows.iter().position(|row| row["origin"]["host"] == "right");
    let number = format!("@{}", right.expect("it is there") + 1);
    let text = keeper.ok(&["search", "zebra"]).out;
    assert!(text.contains(&number), "{text}");
    assert_eq!(hits(&[&format!("session:{number}"), "one"]).len(), 1);

    keeper.ok(&["export", "--all", "--format", "json", "-o", "out/"]);
    for (host, messages) in [("left", 2), ("right", 3)] {
        let row = rows.iter().find(|row| row["origin"]["host"] == host);
        let reference = row.expect("it is listed")["ref"]
            .as_str()
            .expect("a reference");
        let file = format!("out/session-2026-06-01T10-00-2f1e0a52.{reference}.json");
        let text = std::fs::read_to_string(keeper.path(&file)).expect("it was written");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(document["counts"]["messages"], messages, "{host}");
    }
    keeper.ok(&["export", "--all", "--host", "left", "--format", "md"]);
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

#[test]
fn whoever_reads_an_archive_adds_no_home_to_it() {
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
    keeper.write(".gemini/tmp/secret/.project_root", "/srv/secret/inner");
    keeper.write(".gemini/tmp/shop/.project_root", "/srv/secretary");
    let config = "[archive]\nexclude = [\"/srv/secret\"]\n";
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
    let is_all_there = |why: &str| assert_eq!(ids(&keeper.list(&[])), [ID, OTHER, recent], "{why}");
    keeper.sync();
    is_all_there("nobody said how long");
    sync();
    is_all_there("it has only just gone");
    // Two of them have been gone for some time, one for long enough.
    let since = |id: &str, days: i64| {
        let sql = "UPDATE file SET gone = gone - ?2 WHERE gone IS NOT NULL AND path LIKE ?1";
        let like = format!("%{id}%");
        let changed = keeper.database().execute(sql, (like, days * 86_400_000));
        assert!(changed.expect("it can be written") > 0);
    };
    since("4a1e0a52", 29);
    since("2f1e0a52", 31);
    let home = keeper.path(".gemini");
    std::fs::rename(&home, keeper.path("unmounted")).expect("it can be moved");
    sync();
    is_all_there("its disk may not be mounted");
    std::fs::rename(keeper.path("unmounted"), &home).expect("it can be moved");
    sync();
    assert_eq!(ids(&keeper.list(&[])), [OTHER, recent]);
    assert_eq!(
        keeper.number("SELECT count(*) FROM version JOIN file ON file.id = version.file WHERE path LIKE '%2f1e0a52%'"),
        0,
        "with what belongs to it"
    );
    keeper.verify();
    // It comes back, the very same file.
    std::fs::rename(&aside, &path).expect("it can be moved");
    sync();
    assert_eq!(ids(&keeper.list(&[])), [ID, OTHER, recent]);
    keeper.verify();
}

#[test]
fn a_directory_that_another_project_took_over_has_both() {
    let keeper = Keeper::new();
    let hash = gemtrail_store::project_hash;
    let journal = |id: &str, root: &str, text: &str| {
        let journal = lines(id, &[("u1", text), ("g1", "yes")]);
        journal.replace("\"shop\"", &format!("{:?}", hash(root)))
    };
    let typed = "2026-06-01T10:00:00.000Z";
    // What a project has in its directory.
    let live_in = |root: &str, id: &str, logged: &str, said: &str| {
        keeper.write(".gemini/tmp/shop/.project_root", root);
        keeper.write(".gemini/tmp/shop/logs.json", &log(typed, &[(id, logged)]));
        let file = chat(&format!("{}.jsonl", &id[..8]));
        keeper.write(&file, &journal(id, root, said));
    };
    live_in("/srv/old/shop", ID, "only logged", "then");
    let checkpoint = r#"[{"role":"user","parts":[{"text":"checked then"}]}]"#;
    keeper.write(".gemini/tmp/shop/checkpoint-then.json", checkpoint);
    keeper.sync();
    keeper.remove(".gemini/tmp/shop");
    live_in("/srv/new/shop", OTHER, "hello", "hello");
    let report = keeper.sync();
    assert_eq!(report["sessions_added"], 1);
    let hits = keeper.ok(&["search", "checked", "--json"]).lines();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0]["project"]["path"], "/srv/old/shop");
    for _ in 0..2 {
        let rows = keeper.list(&["--no-sync"]);
        assert_eq!(ids(&rows), [ID, OTHER]);
        for (row, (root, logged)) in rows
            .iter()
            .zip([("/srv/old/shop", 1), ("/srv/new/shop", 0)])
        {
            assert_eq!(row["project"]["path"], root);
            assert_eq!(row["project"]["hash"], hash(root));
            assert_eq!(row["logged_count"], logged, "{root}");
        }
        assert_eq!(keeper.show(ID)["messages"][0]["text"], "then");
        assert_eq!(keeper.ok(&["projects", "--json"]).lines().len(), 2);
        keeper.ok(&["sync", "--rebuild"]);
    }
    // Before it is taken in, each has its part of the log, too.
    keeper.write(
        ".gemini/tmp/shop/logs.json",
        &log(typed, &[(OTHER, "hello"), (OTHER, "/new")]),
    );
    let checkpoint = r#"[{"role":"user","parts":[{"text":"checked now"}]}]"#;
    keeper.write(".gemini/tmp/shop/checkpoint-then.json", checkpoint);
    let hits = keeper.ok(&["search", "checked", "--json", "--no-sync"]);
    let mut paths: Vec<String> = hits
        .lines()
        .iter()
        .map(|hit| hit["project"]["path"].to_string())
        .collect();
    paths.sort();
    assert_eq!(paths, ["\"/srv/new/shop\"", "\"/srv/old/shop\""]);
    let logged = |id: &str| keeper.ok(&["show", id, "--json", "--no-sync"]);
    assert_eq!(one(&logged(ID))["logged"][0]["text"], "only logged");
    assert_eq!(one(&logged(OTHER))["logged"][0]["text"], "/new");
    keeper.sync();
    // The new one goes on; the former one is left alone.
    let more = journal(OTHER, "/srv/new/shop", "hello") + &message("u2", "more").to_string() + "\n";
    keeper.write(&chat("3a1e0a52.jsonl"), &more);
    let report = keeper.sync();
    assert_eq!(
        (&report["sessions_added"], &report["sessions_changed"]),
        (&0.into(), &1.into())
    );
    assert_eq!(ids(&keeper.list(&[])), [ID, OTHER]);
    // The former one has a directory of its own, from an old release, and goes on in it.
    let third = "4c1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let old = format!(".gemini/tmp/{}/chats", hash("/srv/old/shop"));
    let file = format!("{old}/session-2026-06-01T10-00-4c1e0a52.jsonl");
    let content = journal(third, "/srv/old/shop", "old");
    keeper.write(&file, &content);
    keeper.sync();
    assert_eq!(ids(&keeper.list(&[])), [ID, OTHER, third]);
    keeper.write(
        &file,
        &(content + &message("u2", "more").to_string() + "\n"),
    );
    keeper.sync();
    assert_eq!(ids(&keeper.list(&["--no-sync"])), [ID, OTHER, third]);
    keeper.verify();
}

#[test]
fn a_home_from_elsewhere_is_known_again() {
    let keeper = Keeper::new();
    let file = format!("mnt/{}", chat("2f1e0a52.jsonl"));
    let first = lines(ID, &[("u1", "zulu"), ("g1", "first")]);
    keeper.write(&file, &first);
    sync_home(&keeper, "mnt", &["--origin", "host=laptop,user=bob"]);
    let archive = keeper.archive();
    let home = keeper.path("mnt");
    let look = [
        "--home",
        home.to_str().expect("text"),
        "--archive",
        archive.to_str().expect("text"),
    ];
    let longer = first + &message("u2", "zulu again").to_string() + "\n";
    keeper.write(&file, &longer);
    // Where nobody looks at it, it is there all the same.
    assert_eq!(keeper.list(&[])[0]["on_disk"], true);
    let rows = keeper.list(&look);
    assert_eq!(ids(&rows), [ID]);
    assert_eq!(rows[0]["counts"]["messages"], 3);
    assert_eq!(rows[0]["origin"]["host"], "laptop");
    let hits = keeper.ok(&[&["search", "zulu", "--json"][..], &look].concat());
    assert_eq!(hits.lines().len(), 2);
    keeper.ok(&[&["show", ID][..], &look].concat());
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 1);
    sync_home(&keeper, "mnt", &[]);
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 1);
    // Another machine that has a home at the same path has other files there.
    crate::common::copy(&home, &keeper.path("copy"));
    keeper.remove("mnt");
    std::fs::rename(keeper.path("copy"), &home).expect("it can be renamed");
    sync_home(&keeper, "mnt", &[]);
    assert_eq!(keeper.number("SELECT count(*) FROM home"), 2);
}

#[test]
fn a_journal_that_was_copied_by_mistake_changes_no_project() {
    let keeper = Keeper::new();
    let journal = |id: &str, root: &str| {
        let hash = format!("{:?}", gemtrail_store::project_hash(root));
        lines(id, &[("u1", root), ("g1", "yes")]).replace("\"shop\"", &hash)
    };
    for (slug, id) in [("shop", ID), ("bin", OTHER)] {
        let root = format!("/srv/demo/{slug}");
        keeper.write(&format!(".gemini/tmp/{slug}/.project_root"), &root);
        let file = chat(&format!("{}.jsonl", &id[..8])).replace("/shop/", &format!("/{slug}/"));
        keeper.write(&file, &journal(id, &root));
    }
    keeper.sync();
    let stray = chat("2f1e0a52.jsonl").replace("/shop/", "/bin/");
    keeper.write(&stray, &journal(ID, "/srv/demo/shop"));
    for sync in [&["sync"][..], &["sync", "--rebuild"]] {
        keeper.ok(sync);
        for more in [&[][..], &["--no-archive"]] {
            let projects = keeper.ok(&[&["projects", "--json"][..], more].concat());
            let mut paths: Vec<String> = projects
                .lines()
                .iter()
                .map(|project| project["path"].to_string())
                .collect();
            paths.sort();
            assert_eq!(paths, ["\"/srv/demo/bin\"", "\"/srv/demo/shop\""]);
        }
    }
    keeper.verify();
}

#[test]
fn sessions_are_counted_once() {
    let keeper = Keeper::with_session(ID);
    keeper.write(".gemini/tmp/shop/.project_root", "/srv/demo/shop");
    let counts = |report: &Value| {
        let names = ["sessions_added", "sessions_changed", "sessions_gone"];
        names.map(|name| report[name].as_u64().expect("a number"))
    };
    assert_eq!(counts(&keeper.sync()), [1, 0, 0]);
    let anew = one(&keeper.ok(&["sync", "--rebuild", "--json"]));
    assert_eq!(counts(&anew), [0, 0, 0], "made anew");
    let (from, to) = (chat("2f1e0a52.jsonl"), chat("2f1e0a52-1.jsonl"));
    std::fs::rename(keeper.path(&from), keeper.path(&to)).expect("it can be renamed");
    assert_eq!(counts(&keeper.sync()), [0, 1, 0], "renamed");
    let dir = |name: &str| keeper.path(&format!(".gemini/tmp/{name}"));
    std::fs::rename(dir("shop"), dir("store")).expect("it can be renamed");
    assert_eq!(counts(&keeper.sync()), [0, 1, 0], "with its directory");
    crate::common::copy(&keeper.path(".gemini"), &keeper.path("copy/.gemini"));
    assert_eq!(
        counts(&sync_home(&keeper, "copy", &[])),
        [0, 1, 0],
        "copied"
    );
    keeper.remove(".gemini");
    keeper.remove("copy");
    std::fs::create_dir(keeper.path(".gemini")).expect("it can be made");
    assert_eq!(counts(&keeper.sync()), [0, 0, 0], "the copy may be there");
    std::fs::create_dir_all(keeper.path("copy/.gemini")).expect("it can be made");
    assert_eq!(counts(&sync_home(&keeper, "copy", &[])), [0, 0, 1], "gone");
}

#[test]
fn an_agent_whose_parent_is_there_is_no_orphan() {
    let keeper = Keeper::with_session(ID);
    let agent = "5e1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let dir = format!(".gemini/tmp/shop/chats/{ID}");
    keeper.write(
        &format!("{dir}/{agent}.jsonl"),
        &lines(agent, &[("u1", "look"), ("g1", "yes")]),
    );
    keeper.sync();
    for more in [&[][..], &["--no-archive"]] {
        let shown = one(&keeper.ok(&[&["show", agent, "--json"][..], more].concat()));
        assert_eq!(shown["diagnostics"], Value::Array(Vec::new()));
    }
    keeper.remove(&chat("2f1e0a52.jsonl"));
    let shown = one(&keeper.ok(&["show", agent, "--json", "--no-archive"]));
    assert_eq!(shown["diagnostics"][0]["code"], "orphan-subagent");
}
