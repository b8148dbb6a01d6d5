//! Reading commands take in what is new by themselves, or say that they did not.

use std::fs;

use serde_json::json;

use crate::common::{Keeper, chat, ids, lines, message, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn keeper() -> (Keeper, String) {
    let keeper = Keeper::new();
    let content = lines(ID, &[("u1", "one"), ("g1", "first")]);
    keeper.write(&chat("2f1e0a52.jsonl"), &content);
    keeper.sync();
    (keeper, content)
}

#[test]
fn a_small_change_is_taken_in_on_the_way() {
    let (keeper, content) = keeper();
    let content = content + &message("u2", "brandnew").to_string() + "\n";
    keeper.write(&chat("2f1e0a52.jsonl"), &content);
    let ran = keeper.ok(&["search", "brandnew", "--json"]);
    assert_eq!((ran.lines().len(), ran.err.as_str()), (1, ""));
    assert_eq!(keeper.number("SELECT count(*) FROM version"), 2);
    // It is really there.
    keeper.remove(".gemini");
    fs::create_dir(keeper.path(".gemini")).expect("it can be made");
    assert_eq!(keeper.show(ID)["counts"]["messages"], 3);
    assert_eq!(keeper.list(&[])[0]["on_disk"], false);
    keeper.verify();
}

#[test]
fn without_syncing_the_archive_answers_as_it_is() {
    let (keeper, content) = keeper();
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let bytes = fs::read(keeper.archive()).expect("it can be read");
    let info = keeper.info();
    let content = content + &message("u2", "brandnew").to_string() + "\n";
    keeper.write(&chat("2f1e0a52.jsonl"), &content);
    keeper.write(
        &chat("3a1e0a52.json"),
        &whole(other, &[("u1", "brandnew too")]),
    );
    let rows = keeper.list(&["--no-sync"]);
    assert_eq!(ids(&rows), [ID]);
    assert_eq!(rows[0]["counts"]["messages"], 2);
    keeper
        .run(&["search", "brandnew", "--json", "--no-sync"])
        .expect(1);
    assert_eq!(keeper.info(), info);
    assert_eq!(fs::read(keeper.archive()).expect("it can be read"), bytes);
    // Unless it may be brought up to date.
    let rows = keeper.list(&[]);
    assert_eq!(ids(&rows), [ID, other]);
    assert_eq!(rows[0]["archived"], json!(true));
}

#[test]
fn a_large_change_is_taken_in_as_well() {
    let (keeper, _) = keeper();
    for at in 0..250 {
        let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
        keeper.write(
            &chat(&format!("{at:08x}.json")),
            &whole(&id, &[("u1", "bulk")]),
        );
    }
    let ran = keeper.ok(&["list", "--json"]);
    assert_eq!((ran.lines().len(), ran.err.as_str()), (251, ""));
    assert_eq!(keeper.info()["sessions"], 251);
}

#[test]
fn an_archive_is_made_by_sync_only() {
    let keeper = Keeper::new();
    keeper.write(&chat("2f1e0a52.json"), &whole(ID, &[("u1", "one")]));
    keeper.ok(&["list"]);
    keeper.ok(&["search", "one"]);
    assert!(!keeper.archive().exists());
    let ran = keeper.run(&["archive", "info", "--json"]).expect(2);
    assert_eq!(ran.error_code(), "no-archive");
    let file = keeper.archive();
    let named = ["list", "--json", "--archive", file.to_str().expect("text")];
    assert_eq!(keeper.run(&named).expect(2).error_code(), "no-archive");
    assert!(!keeper.archive().exists());
    keeper.sync();
    keeper.info();
}

#[test]
fn a_named_home_without_a_named_archive_is_read_from_disk() {
    let (keeper, _) = keeper();
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let file = "elsewhere/.gemini/tmp/shop/chats/session-2026-06-01T10-00-3a1e0a52.json";
    keeper.write(file, &whole(other, &[("u1", "one")]));
    let elsewhere = keeper.path("elsewhere");
    let home = ["--home", elsewhere.to_str().expect("text")];
    assert_eq!(ids(&keeper.list(&home)), [other]);
    assert_eq!(ids(&keeper.list(&["--no-archive"])), [ID]);
    assert_eq!(ids(&keeper.list(&[])), [ID]);
    keeper.ok(&["sync", home[0], home[1]]);
    assert_eq!(ids(&keeper.list(&[])), [ID, other]);
}

#[test]
fn a_search_without_hits_says_where_it_looked() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.json");
    let mut arguments = vec!["sync".to_owned()];
    for at in 0..6 {
        keeper.write(&format!("homes/{at}/{file}"), &whole(ID, &[("u1", "one")]));
        let home = keeper.path(&format!("homes/{at}"));
        arguments.extend(["--home".to_owned(), home.to_string_lossy().into_owned()]);
    }
    keeper.ok(&arguments);
    let archive = keeper.archive();
    let archive = archive
        .file_name()
        .and_then(|it| it.to_str())
        .expect("text");
    for arguments in [
        &["show", "no-such-id"][..],
        &["search", "nonesuch"],
        &["list", "--project", "nonesuch"],
        &["export", "--all", "--project", "nonesuch"],
    ] {
        let ran = keeper.run(arguments).expect(1);
        assert!(
            ran.err.contains("the archive ") && ran.err.contains(archive),
            "{}",
            ran.err
        );
        // All homes are in it: one path is enough.
        assert_eq!(ran.err.matches("/homes/").count(), 0, "{}", ran.err);
        let disk = keeper.run(&[arguments, &["--no-archive"]].concat());
        let disk = disk.expect(1).err;
        assert!(!disk.contains("the archive"), "{disk}");
        assert!(disk.contains("/.gemini/tmp"), "{disk}");
    }
}

#[test]
fn commands_about_the_archive_need_it() {
    let (keeper, _) = keeper();
    let backup = keeper.path("backup.db");
    for arguments in [
        &["sync"][..],
        &["sync", "--watch"],
        &["archive", "info"],
        &["archive", "verify"],
        &["archive", "forget", ID, "--yes"],
        &["archive", "backup", backup.to_str().expect("text")],
    ] {
        let ran = keeper.run(&[arguments, &["--no-archive", "--json"]].concat());
        assert_eq!(ran.expect(2).error_code(), "usage", "{arguments:?}");
    }
    let ran = keeper.run(&["sync", "--no-archive"]).expect(2);
    assert!(ran.err.contains("--no-archive turns off"), "{}", ran.err);
    assert_eq!(ids(&keeper.list(&[])), [ID]);
}

#[test]
fn sync_without_any_home_says_where_it_looked() {
    let keeper = Keeper::new();
    let ran = keeper.ok(&["sync"]);
    assert!(ran.err.contains("~/.gemini does not exist."), "{}", ran.err);
    assert!(ran.err.contains("--home"), "{}", ran.err);
    assert_eq!(keeper.ok(&["sync", "-q"]).err, "");
    keeper.write(&chat("2f1e0a52.json"), &whole(ID, &[("u1", "one")]));
    assert_eq!(keeper.ok(&["sync"]).err, "");
}

#[test]
fn a_quiet_sync_prints_nothing_but_data() {
    let keeper = Keeper::new();
    keeper.write(&chat("2f1e0a52.json"), &whole(ID, &[("u1", "one")]));
    for option in ["-q", "--quiet"] {
        let ran = keeper.ok(&["sync", option]);
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    }
    assert_eq!(ids(&keeper.list(&[])), [ID]);
    let ran = keeper.ok(&["sync", "--quiet", "--json"]);
    assert_eq!(ran.lines().len(), 1);
}

#[test]
fn ids_are_known_in_any_case() {
    let (keeper, _) = keeper();
    let upper = ID.to_uppercase();
    for more in [&[][..], &["--no-archive"]] {
        for name in [upper.as_str(), "2F1E0A52", "2F1e"] {
            let shown = keeper.ok(&[&["show", name, "--json"][..], more].concat());
            assert_eq!(crate::common::one(&shown)["id"], ID);
            let query = format!("session:{name}");
            let found = keeper.ok(&[&["search", "one", &query, "--json"][..], more].concat());
            assert_eq!(found.lines().len(), 1);
        }
    }
    let ran = keeper.ok(&["archive", "forget", &upper, "--dry-run", "--json"]);
    assert_eq!(crate::common::one(&ran)["session"], ID);
}

#[test]
fn an_index_of_another_version_is_made_anew_on_the_way() {
    let keeper = Keeper::with_session("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab");
    keeper.sync();
    let rows = keeper.list(&[]);
    let age = "UPDATE state SET version = 0";
    keeper
        .database()
        .execute(age, [])
        .expect("it can be written");
    let ran = keeper.ok(&["list", "--json", "--no-sync"]);
    assert_eq!(ran.lines(), rows, "read from the bytes");
    let ran = keeper.ok(&["list", "--json"]);
    assert_eq!((ran.lines(), ran.err.as_str()), (rows, ""));
    assert_ne!(keeper.number("SELECT version FROM state"), 0);
    keeper.verify();
}
