//! Several homes, several machines, and what is not kept.

use gemtrail_query::Order;
use gemtrail_store::ResolveError;
use gemtrail_store::archive::SyncReport;
use serde_json::Value;

use crate::common::{
    Sandbox, chat, copy, document, hits, ids, lines, log, message, rows, session, whole,
};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";

#[test]
fn the_same_session_in_two_homes_is_one() {
    let sandbox = Sandbox::new();
    let first = lines(ID, &[("u1", "one"), ("g1", "first")]);
    let longer = first.clone() + &message("u2", "two").to_string() + "\n";
    sandbox.write(&format!("a/{}", chat("2f1e0a52.jsonl")), &first);
    sandbox.write(&format!("b/{}", chat("2f1e0a52.jsonl")), &longer);
    for home in ["a", "b"] {
        sandbox.write(
            &format!("{home}/.gemini/tmp/shop/.project_root"),
            "/srv/demo/shop",
        );
    }
    sandbox.sync_home("a", None);
    sandbox.sync_home("b", None);
    let rows = sandbox.rows();
    assert_eq!(ids(&rows), [ID]);
    assert_eq!(rows[0]["counts"]["messages"], 3);
    assert_eq!(rows[0]["counts"]["superseded"], 0);
    assert_eq!(rows[0]["tokens"]["total"], 10);
    assert_eq!(rows[0]["journals"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        rows[0]["on_disk"], true,
        "nobody looked at its homes now, but they are there"
    );
    assert_eq!(sandbox.number("SELECT count(*) FROM home"), 2);
    sandbox.remove("a");
    sandbox.remove("b");
    assert_eq!(sandbox.rows()[0]["on_disk"], false);
    assert_eq!(sandbox.show(ID)["counts"]["messages"], 3);
    sandbox.verify();
}

/// The same session on two machines, continued on one of them.
fn two_machines() -> Sandbox {
    let sandbox = Sandbox::new();
    let first = lines(ID, &[("u1", "one"), ("g1", "first")]);
    let longer = first.clone() + &message("u2", "zebra").to_string() + "\n";
    for (home, content) in [("a", &first), ("b", &longer)] {
        sandbox.write(&format!("{home}/{}", chat("2f1e0a52.jsonl")), content);
        let marker = format!("{home}/.gemini/tmp/shop/.project_root");
        sandbox.write(&marker, "/srv/demo/shop");
    }
    for (home, host) in [("a", "left"), ("b", "right")] {
        let report = sandbox.sync_home(home, Some(host));
        assert_eq!(report.sessions_added, 1, "{host}");
    }
    let rebuilt = sandbox.rebuild();
    assert_eq!((rebuilt.sessions_added, rebuilt.sessions_changed), (0, 0));
    sandbox
}

#[test]
fn what_only_a_log_has_is_of_its_machine() {
    let sandbox = two_machines();
    for (home, host) in [("a", "left"), ("b", "right")] {
        let file = format!("{home}/.gemini/tmp/shop/logs.json");
        sandbox.write(&file, &log("2026-06-01T11:00:00.000Z", &[(OTHER, "typed")]));
        sandbox.sync_home(home, Some(host));
    }
    let rows = sandbox.rows();
    let logged = rows.iter().filter(|row| row["kind"] == "log");
    let mut hosts: Vec<&Value> = logged.map(|row| &row["origin"]["host"]).collect();
    hosts.sort_by_key(ToString::to_string);
    assert_eq!(hosts, ["left", "right"]);
}

#[test]
fn the_same_session_from_two_machines_is_two() {
    let sandbox = Sandbox::new();
    let content = lines(ID, &[("u1", "one"), ("g1", "first")]);
    sandbox.write(&format!("a/{}", chat("2f1e0a52.jsonl")), &content);
    sandbox.sync_home("a", Some("left"));
    sandbox.sync_home("a", Some("right"));
    let rows = sandbox.rows();
    assert_eq!(ids(&rows), [ID, ID]);
    let mut hosts: Vec<&Value> = rows.iter().map(|row| &row["origin"]["host"]).collect();
    hosts.sort_by_key(ToString::to_string);
    assert_eq!(hosts, ["left", "right"]);
    assert_eq!(
        sandbox.number("SELECT count(*) FROM content"),
        1,
        "the same bytes are kept once"
    );
    // Both are found.
    assert_eq!(sandbox.search("first").len(), 2);
    let both = sandbox.library().resolve(ID);
    assert!(
        matches!(both, Err(ResolveError::Ambiguous { .. })),
        "{both:?}"
    );
    sandbox.verify();
}

#[test]
fn the_same_bytes_in_many_files_are_kept_once() {
    let sandbox = Sandbox::new();
    let text = "the same words in all of them ".repeat(400);
    let content = lines(ID, &[("u1", &text), ("g1", "first")]);
    // Many, so that one thread waits for a chunk that another one sends.
    for at in 0..40 {
        let dir = format!("homes/{at}");
        sandbox.write(&format!("{dir}/{}", chat("2f1e0a52.jsonl")), &content);
    }
    let dirs: Vec<String> = (0..40).map(|at| format!("homes/{at}")).collect();
    let dirs: Vec<&str> = dirs.iter().map(String::as_str).collect();
    for round in 0..5 {
        let report = sandbox.sync_found(&sandbox.homes(&dirs), &sandbox.options());
        assert_eq!(report.files_read, 40, "round {round}");
        assert_eq!(sandbox.number("SELECT count(*) FROM content"), 1);
        assert_eq!(sandbox.number("SELECT count(*) FROM version"), 40);
        sandbox.remove("archive.db");
    }
}

#[test]
fn sessions_that_are_gone_are_kept_as_long_as_wanted() {
    let mut sandbox = Sandbox::new();
    let old = |id: &str| whole(id, &[("u1", "old")]).replace("2026-06-01", "2020-06-01");
    let file = chat("2f1e0a52.json");
    let path = sandbox.write(&file, &old(ID));
    let output = format!(".gemini/tmp/shop/tool-outputs/session-{ID}/run_1.txt");
    sandbox.write(&output, "vqjxoutput4711");
    sandbox.write(&chat("3a1e0a52.json"), &old(OTHER));
    let recent = "4a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let now = whole(recent, &[("u1", "new")]).replace("2026-06-01", "2999-06-01");
    sandbox.write(&chat("4a1e0a52.json"), &now);
    sandbox.options.keep_days = 30;
    sandbox.sync();
    assert_eq!(ids(&sandbox.rows()), [ID, OTHER, recent], "all are on disk");
    let aside = sandbox.path("aside.json");
    std::fs::rename(&path, &aside).expect("it can be moved");
    sandbox.remove(&output);
    sandbox.options.keep_days = 0;
    sandbox.sync();
    sandbox.wait_days(2);
    sandbox.remove(&chat("4a1e0a52.json"));
    sandbox.sync();
    let expect_all = |sandbox: &Sandbox, why: &str| {
        assert_eq!(ids(&sandbox.rows()), [ID, OTHER, recent], "{why}");
    };
    sandbox.wait_days(29);
    sandbox.sync();
    expect_all(&sandbox, "nobody said how long");
    sandbox.options.keep_days = 32;
    sandbox.sync();
    expect_all(&sandbox, "not gone for that long");
    sandbox.options.keep_days = 30;
    sandbox.rename(".gemini", "unmounted");
    sandbox.sync();
    expect_all(&sandbox, "its disk may not be mounted");
    sandbox.rename("unmounted", ".gemini");
    sandbox.sync();
    assert_eq!(ids(&sandbox.rows()), [OTHER, recent]);
    assert_eq!(
        sandbox.number("SELECT count(*) FROM version JOIN file ON file.id = version.file WHERE path LIKE '%2f1e0a52%'"),
        0,
        "with what belongs to it"
    );
    sandbox.verify();
    // It comes back, the very same file.
    std::fs::rename(&aside, &path).expect("it can be moved");
    sandbox.sync();
    assert_eq!(ids(&sandbox.rows()), [ID, OTHER, recent]);
    sandbox.verify();
}

#[test]
fn a_home_from_elsewhere_is_known_again() {
    let sandbox = Sandbox::new();
    let file = format!("mnt/{}", chat("2f1e0a52.jsonl"));
    let first = lines(ID, &[("u1", "zulu"), ("g1", "first")]);
    sandbox.write(&file, &first);
    sandbox.sync_home("mnt", Some("laptop"));
    let longer = first + &message("u2", "zulu again").to_string() + "\n";
    sandbox.write(&file, &longer);
    // Even without scanning its home, it is there.
    assert_eq!(sandbox.rows()[0]["on_disk"], true);
    let library = sandbox.library_of(sandbox.homes(&["mnt"]));
    let listed = rows(&library);
    assert_eq!(ids(&listed), [ID]);
    assert_eq!(listed[0]["counts"]["messages"], 3);
    assert_eq!(listed[0]["origin"]["host"], "laptop");
    assert_eq!(hits(&library, "zulu", Order::Newest).len(), 2);
    assert_eq!(session(&library, ID).messages.len(), 3);
    sandbox.sync_home("mnt", None);
    assert_eq!(sandbox.number("SELECT count(*) FROM home"), 1);
    // Another machine with a home at the same path has other files there.
    copy(&sandbox.path("mnt"), &sandbox.path("copy")).expect("it can be copied");
    sandbox.remove("mnt");
    sandbox.rename("copy", "mnt");
    sandbox.sync_home("mnt", None);
    assert_eq!(sandbox.number("SELECT count(*) FROM home"), 2);
}

#[test]
fn a_journal_that_was_copied_by_mistake_changes_no_project() {
    let sandbox = Sandbox::new();
    let journal = |id: &str, root: &str| {
        let hash = format!("{:?}", gemtrail_core::project_hash(root));
        lines(id, &[("u1", root), ("g1", "yes")]).replace("\"shop\"", &hash)
    };
    for (slug, id) in [("shop", ID), ("bin", OTHER)] {
        let root = format!("/srv/demo/{slug}");
        sandbox.write(&format!(".gemini/tmp/{slug}/.project_root"), &root);
        let file = chat(&format!("{}.jsonl", &id[..8])).replace("/shop/", &format!("/{slug}/"));
        sandbox.write(&file, &journal(id, &root));
    }
    sandbox.sync();
    let stray = chat("2f1e0a52.jsonl").replace("/shop/", "/bin/");
    sandbox.write(&stray, &journal(ID, "/srv/demo/shop"));
    for sync in [Sandbox::sync, Sandbox::rebuild] {
        sync(&sandbox);
        for library in [sandbox.library(), sandbox.disk_library()] {
            let projects = library.project_rows().into_iter();
            let mut paths: Vec<String> = projects.filter_map(|it| it.path).collect();
            paths.sort();
            assert_eq!(paths, ["/srv/demo/bin", "/srv/demo/shop"]);
        }
    }
    sandbox.verify();
}

#[test]
fn sessions_are_counted_once() {
    let sandbox = Sandbox::with_session(ID);
    sandbox.write(".gemini/tmp/shop/.project_root", "/srv/demo/shop");
    let counts = |report: &SyncReport| {
        let added = report.sessions_added;
        [added, report.sessions_changed, report.sessions_gone]
    };
    assert_eq!(counts(&sandbox.sync()), [1, 0, 0]);
    assert_eq!(counts(&sandbox.rebuild()), [0, 0, 0], "rebuilt");
    let (from, to) = (chat("2f1e0a52.jsonl"), chat("2f1e0a52-1.jsonl"));
    std::fs::rename(sandbox.path(&from), sandbox.path(&to)).expect("it can be renamed");
    assert_eq!(counts(&sandbox.sync()), [0, 1, 0], "renamed");
    let dir = |name: &str| sandbox.path(&format!(".gemini/tmp/{name}"));
    std::fs::rename(dir("shop"), dir("store")).expect("it can be renamed");
    assert_eq!(counts(&sandbox.sync()), [0, 1, 0], "with its directory");
    copy(&sandbox.path(".gemini"), &sandbox.path("copy/.gemini")).expect("it can be copied");
    assert_eq!(
        counts(&sandbox.sync_home("copy", None)),
        [0, 1, 0],
        "copied"
    );
    sandbox.remove(".gemini");
    sandbox.remove("copy");
    std::fs::create_dir(sandbox.path(".gemini")).expect("it can be made");
    assert_eq!(counts(&sandbox.sync()), [0, 0, 0], "the copy may be there");
    std::fs::create_dir_all(sandbox.path("copy/.gemini")).expect("it can be made");
    assert_eq!(counts(&sandbox.sync_home("copy", None)), [0, 0, 1], "gone");
}

#[test]
fn an_agent_whose_parent_is_there_is_no_orphan() {
    let sandbox = Sandbox::with_session(ID);
    let agent = "5e1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let dir = format!(".gemini/tmp/shop/chats/{ID}");
    sandbox.write(
        &format!("{dir}/{agent}.jsonl"),
        &lines(agent, &[("u1", "look"), ("g1", "yes")]),
    );
    sandbox.sync();
    for library in [sandbox.library(), sandbox.disk_library()] {
        assert_eq!(session(&library, agent).diagnostics, []);
    }
    sandbox.remove(&chat("2f1e0a52.jsonl"));
    let shown = document(&session(&sandbox.disk_library(), agent));
    assert_eq!(shown["diagnostics"][0]["code"], "orphan-subagent");
}

#[test]
fn a_clock_far_off_drops_nothing_at_once() {
    let mut sandbox = Sandbox::with_session("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab");
    sandbox.options.keep_days = 30;
    sandbox.sync();
    sandbox.remove(".gemini/tmp/shop/chats");
    sandbox.sync();
    sandbox.wait_days(3650);
    for _ in 0..5 {
        sandbox.sync();
        assert_eq!(sandbox.rows().len(), 1);
    }
    sandbox.wait_days(-3650);
    sandbox.sync();
    sandbox.wait_days(29);
    sandbox.sync();
    assert_eq!(sandbox.rows().len(), 1, "not yet");
    sandbox.wait_days(2);
    sandbox.sync();
    assert_eq!(sandbox.rows().len(), 0, "now it is time");
}

#[test]
fn a_clock_that_stays_far_ahead_is_believed_after_a_week() {
    let mut sandbox = Sandbox::with_session("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab");
    sandbox.options.keep_days = 30;
    sandbox.sync();
    sandbox.remove(".gemini/tmp/shop/chats");
    sandbox.sync();
    sandbox.wait_days(800);
    sandbox.sync();
    assert_eq!(sandbox.rows().len(), 1);
    sandbox.wait_days(8);
    sandbox.sync();
    assert_eq!(sandbox.rows().len(), 0);
}
