//! Pins, titles, tags and notes: where they are kept, what shows them, and what they survive.

use serde_json::{Value, json};

use crate::common::{Keeper, chat, copy, ids, one, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// Somebody with an archive of two sessions.
fn keeper() -> Keeper {
    let keeper = Keeper::with_session(ID);
    let file = chat("3a1e0a52.json");
    keeper.write(&file, &whole(OTHER, &[("u1", "two"), ("g1", "second")]));
    keeper.sync();
    keeper
}

fn mark(keeper: &Keeper, session: &str, options: &[&str]) -> Value {
    one(&keeper.ok(&[&["mark", session, "--json"], options].concat()))["marks"].clone()
}

fn none() -> Value {
    json!({"pinned": false, "title": null, "tags": [], "note": null})
}

#[test]
fn each_mark_is_set_shown_and_removed() {
    let keeper = keeper();
    assert_eq!(mark(&keeper, ID, &[]), none());
    let options = [
        "--pin",
        "--title",
        "Cart totals",
        "--tag",
        "billing",
        "--tag",
        "Urgent",
        "--note",
        "ask Bob",
    ];
    let marks = json!({"pinned": true, "title": "Cart totals", "tags": ["Urgent", "billing"], "note": "ask Bob"});
    assert_eq!(mark(&keeper, ID, &options), marks);
    assert_eq!(mark(&keeper, ID, &[]), marks);
    assert_eq!(mark(&keeper, OTHER, &[]), none());
    let told = keeper.ok(&["mark", ID]).out;
    for word in ["Cart totals", "Urgent, billing", "ask Bob", "pinned"] {
        assert!(told.contains(word), "{told}");
    }
    let document = one(&keeper.ok(&["mark", ID, "--json"]));
    assert_eq!(document["schema"], "gemtrail.mark/1");
    assert_eq!(document["ref"], keeper.show(ID)["ref"]);
    // What is not named stays.
    let marks = mark(
        &keeper,
        ID,
        &["--unpin", "--untag", "urgent", "--title", ""],
    );
    assert_eq!(
        marks,
        json!({"pinned": false, "title": null, "tags": ["billing"], "note": "ask Bob"})
    );
    assert_eq!(mark(&keeper, ID, &["--note", "", "--tag", ""]), none());
    keeper.run(&["mark", ID, "--pin", "--unpin"]).expect(2);
    keeper.run(&["mark", "9999", "--pin"]).expect(1);
}

#[test]
fn without_an_archive_it_is_refused_with_a_hint() {
    let keeper = Keeper::with_session(ID);
    for options in [&["--pin"][..], &[]] {
        let ran = keeper.run(&[&["mark", ID, "--json"], options].concat());
        assert_eq!(ran.error_code(), "no-archive");
        assert!(ran.err.contains("gemtrail sync"), "{}", ran.err);
        ran.expect(2);
    }
    keeper.run(&["mark", ID, "--pin", "--no-archive"]).expect(2);
    assert!(!keeper.archive().exists());
    // There are marks in a document all the same.
    assert_eq!(keeper.show(ID)["marks"], none());
    assert_eq!(keeper.list(&[])[0]["marks"], none());
}

#[test]
fn documents_rows_and_hits_have_them() {
    let keeper = keeper();
    let marks = mark(
        &keeper,
        ID,
        &["--pin", "--title", "Cart \"totals\"", "--tag", "billing"],
    );
    let document = keeper.show(ID);
    assert_eq!(
        (&document["marks"], &document["title"]),
        (&marks, &json!("Cart \"totals\""))
    );
    let rows = keeper.list(&[]);
    let row = |id: &str| {
        rows.iter()
            .find(|row| row["id"] == id)
            .expect("it is listed")
    };
    assert_eq!(
        (&row(ID)["marks"], &row(ID)["title"]),
        (&marks, &json!("Cart \"totals\""))
    );
    assert_eq!(
        (&row(OTHER)["marks"], &row(OTHER)["title"]),
        (&none(), &json!("two"))
    );
    assert_eq!(row(ID)["first_prompt"], "one");
    let keys = |row: &Value| {
        row.as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        keys(row(ID)),
        keys(row(OTHER)),
        "the same members in the same order"
    );
    let hit = &keeper.ok(&["search", "first", "--json"]).lines()[0];
    assert_eq!(hit["title"], "Cart \"totals\"");
    let exported = keeper.ok(&["export", ID, "--format", "json"]).json();
    assert_eq!(exported["marks"], marks);
    let page = keeper.ok(&["export", ID, "--format", "md", "-o", "-"]).out;
    assert!(page.contains("Cart \"totals\""), "{page}");
    let stats = keeper.ok(&["stats", "--by", "session", "--json"]).out;
    assert!(stats.contains("Cart \\\"totals\\\""), "{stats}");
    let list = keeper.ok(&["list"]).out;
    assert!(list.contains("★ #billing Cart \"totals\""), "{list}");
}

#[test]
fn a_title_of_ones_own_is_found() {
    let keeper = keeper();
    mark(&keeper, ID, &["--title", "Zeppelin landing gear"]);
    for query in [
        "zeppelin",
        "landing zeppelin",
        "\"landing gear\"",
        "field:title zeppelin",
    ] {
        let hits = keeper.ok(&["search", query, "--json"]).lines();
        assert_eq!(hits.len(), 1, "{query}");
        assert_eq!(
            (&hits[0]["session"], &hits[0]["field"]),
            (&json!(ID), &json!("title")),
            "{query}"
        );
        assert_eq!(hits[0]["match"], "exact");
    }
    keeper
        .run(&["search", "--exact", "zeppelin hangar"])
        .expect(1);
    mark(&keeper, ID, &["--title", ""]);
    keeper.run(&["search", "--exact", "zeppelin"]).expect(1);
}

#[test]
fn filters_take_what_is_marked() {
    let keeper = keeper();
    mark(
        &keeper,
        ID,
        &["--pin", "--tag", "billing", "--tag", "urgent"],
    );
    mark(&keeper, OTHER, &["--tag", "billing"]);
    for (options, expected) in [
        (&["--pinned"][..], &[ID][..]),
        (&["--tag", "billing"], &[ID, OTHER]),
        (&["--tag", "BILLING", "--tag", "urgent"], &[ID]),
        (&["--pinned", "--tag", "billing"], &[ID]),
    ] {
        let rows = keeper.ok(&[&["list", "--json"], options].concat()).lines();
        assert_eq!(ids(&rows), expected, "{options:?}");
        let hits = keeper
            .ok(&[&["search", "role:assistant", "--json"], options].concat())
            .lines();
        let mut found: Vec<&str> = hits
            .iter()
            .filter_map(|hit| hit["session"].as_str())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{options:?}");
        let stats = keeper.ok(&[&["stats", "--json"], options].concat()).json();
        assert_eq!(stats["sessions"], expected.len(), "{options:?}");
        let directory = keeper.path("out").to_string_lossy().into_owned();
        let export = [
            "export", "--all", "--format", "json", "-o", &directory, "--force",
        ];
        keeper.ok(&[&export, options].concat());
        let written = std::fs::read_dir(&directory).expect("it is there").count();
        assert_eq!(written, expected.len(), "{options:?}");
        std::fs::remove_dir_all(&directory).expect("it can be removed");
    }
    keeper.run(&["list", "--tag", "none"]).expect(1);
    keeper
        .run(&["search", "first", "--tag", "urgent", "--tag", "none"])
        .expect(1);
}

#[test]
fn they_survive_deletion_rebuild_and_backup_and_no_file_of_gemini_cli_changes() {
    let keeper = keeper();
    let file = keeper.path(&chat("2f1e0a52.jsonl"));
    let before = std::fs::read(&file).expect("it is there");
    let marks = mark(
        &keeper,
        ID,
        &["--pin", "--title", "Mine", "--tag", "a b", "--note", "n"],
    );
    assert_eq!(std::fs::read(&file).expect("it is there"), before);
    keeper.ok(&["sync", "--rebuild"]);
    assert_eq!(keeper.show(ID)["marks"], marks);
    std::fs::remove_file(keeper.path("archive.index.db")).expect("it is there");
    assert_eq!(keeper.show(ID)["marks"], marks);
    let backup = keeper.path("backup.db").to_string_lossy().into_owned();
    keeper.ok(&["archive", "backup", &backup]);
    keeper.remove(".gemini");
    assert_eq!(keeper.show(ID)["marks"], marks);
    let of_backup = keeper
        .ok(&["show", ID, "--json", "--archive", &backup])
        .json();
    assert_eq!(
        (&of_backup["marks"], &of_backup["title"]),
        (&marks, &json!("Mine"))
    );
    keeper.verify();
}

#[test]
fn an_import_takes_each_field_from_where_it_was_set_last() {
    let here = keeper();
    let there = Keeper::new();
    copy(&here.path(".gemini"), &there.path(".gemini"));
    // The same machine and the same home: an earlier copy of the archive.
    let copied = there.archive();
    std::fs::copy(here.archive(), &copied).expect("it can be copied");
    let copied = copied.to_string_lossy().into_owned();
    let at_copy = |options: &[&str]| {
        here.ok(&[&["mark", ID, "--archive", &copied], options].concat());
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    let at_home = |options: &[&str]| {
        mark(&here, ID, options);
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    at_copy(&["--title", "older", "--note", "kept", "--tag", "old"]);
    at_home(&["--title", "newer", "--tag", "new"]);
    at_copy(&["--pin"]);
    let report = one(&here.ok(&["archive", "import", &copied, "--json"]));
    assert_eq!(report["marks_added"], 2, "{report}");
    let marks = json!({"pinned": true, "title": "newer", "tags": ["new"], "note": "kept"});
    assert_eq!(mark(&here, ID, &[]), marks);
    // What was taken away last stays away.
    at_home(&["--unpin", "--title", ""]);
    here.ok(&["archive", "import", &copied]);
    let marks = json!({"pinned": false, "title": null, "tags": ["new"], "note": "kept"});
    assert_eq!(mark(&here, ID, &[]), marks);
    assert_eq!(
        one(&here.ok(&["archive", "import", &copied, "--json"]))["marks_added"],
        0
    );
}

#[test]
fn marks_of_another_machine_come_with_its_sessions() {
    let (laptop, desktop) = (Keeper::with_session(ID), Keeper::with_session(ID));
    laptop.ok(&["sync", "--origin", "host=laptop,user=alice"]);
    laptop.ok(&["mark", ID, "--tag", "there"]);
    desktop.sync();
    desktop.ok(&["mark", ID, "--tag", "here"]);
    let from = laptop.archive().to_string_lossy().into_owned();
    desktop.ok(&["archive", "import", &from]);
    let rows = desktop.list(&[]);
    let mut tags: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["origin"]["host"] == "laptop",
                row["marks"]["tags"].clone(),
            )
        })
        .collect();
    tags.sort_by_key(|(is_laptop, _)| *is_laptop);
    assert_eq!(tags, [(false, json!(["here"])), (true, json!(["there"]))]);
}

#[test]
fn forget_removes_them_for_good() {
    let keeper = keeper();
    let backup = keeper.path("backup.db").to_string_lossy().into_owned();
    mark(&keeper, ID, &["--pin", "--title", "vqjxneedle7731"]);
    mark(&keeper, OTHER, &["--tag", "stays"]);
    keeper.ok(&["archive", "backup", &backup]);
    keeper.ok(&["archive", "forget", ID, "--yes"]);
    assert_eq!(keeper.number("SELECT count(*) FROM mark"), 1);
    let bytes = std::fs::read(keeper.archive()).expect("it is there");
    let needle = b"vqjxneedle7731";
    assert!(!bytes.windows(needle.len()).any(|part| part == needle));
    // Nor does an older copy bring them back.
    keeper.ok(&["archive", "import", &backup]);
    assert_eq!(keeper.number("SELECT count(*) FROM mark"), 1);
    assert_eq!(mark(&keeper, OTHER, &[])["tags"], json!(["stays"]));
}

#[test]
fn a_repaired_archive_has_them() {
    let keeper = keeper();
    let marks = mark(&keeper, ID, &["--pin", "--title", "Mine"]);
    keeper.ok(&["archive", "repair"]);
    assert_eq!(mark(&keeper, ID, &[]), marks);
}

#[test]
fn what_is_pinned_outlives_keep_days() {
    let keeper = keeper();
    assert_eq!(keeper.info()["pinned"], 0);
    mark(&keeper, ID, &["--pin"]);
    assert_eq!(keeper.info()["pinned"], 1);
    let told = keeper.ok(&["archive", "info"]).out;
    assert!(
        told.contains("1 session: neither archive.keep_days nor tidy removes them"),
        "{told}"
    );
    keeper.remove(".gemini/tmp/shop/chats");
    keeper.write(".gemini/tmp/shop/logs.json", "[]");
    keeper.sync();
    keeper
        .database()
        .execute(
            "UPDATE file SET gone = gone - 40 * 86400000 WHERE gone IS NOT NULL",
            [],
        )
        .expect("it can be written");
    keeper.write("config.toml", "[archive]\nkeep_days = 30\n");
    let config = keeper.path("config.toml");
    let ran = keeper
        .command(&["sync"])
        .env("GEMTRAIL_CONFIG", config)
        .output();
    assert!(ran.expect("it runs").status.success());
    assert_eq!(ids(&keeper.list(&[])), [ID]);
}

#[test]
fn completion_knows_the_tags() {
    let keeper = keeper();
    mark(&keeper, ID, &["--tag", "billing", "--tag", "back end"]);
    for line in [
        &["list", "--tag", "b"][..],
        &["mark", ID, "--untag", "b"],
        &["search", "x", "--tag", "b"],
    ] {
        let words = [&["__complete", "--", "gemtrail"], line].concat();
        let told = keeper.ok(&words).out;
        assert!(told.contains("billing\t1 session"), "{line:?}: {told}");
        assert!(told.contains("back end"), "{line:?}: {told}");
    }
}
