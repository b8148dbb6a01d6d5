//! `archive info`, `verify` and `backup`.

use std::fs;

use serde_json::json;

use crate::common::{Keeper, chat, lines, one, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn keeper() -> Keeper {
    let keeper = Keeper::new();
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &lines(ID, &[("u1", "one"), ("g1", "first")]),
    );
    // One after the other, so that the rows are in this order.
    keeper.sync();
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    keeper.write(
        &chat("3a1e0a52.json"),
        &whole(other, &[("u1", "two"), ("g1", "second")]),
    );
    keeper.sync();
    keeper
}

#[test]
fn info_says_how_many_files_are_gone() {
    let keeper = keeper();
    keeper.remove(&chat("3a1e0a52.json"));
    keeper.sync();
    assert_eq!(keeper.info()["schema"], "gemtrail.archive/1");
    let text = keeper.ok(&["archive", "info"]).out;
    assert!(text.contains("2 (1 gone from disk)"), "{text}");
}

/// What `verify` says about a damaged archive.
#[track_caller]
fn problems(keeper: &Keeper) -> String {
    let ran = keeper.run(&["archive", "verify", "--json"]).expect(1);
    let check = one(&ran);
    assert_eq!(check["ok"], false);
    let told = keeper.run(&["archive", "verify"]).expect(1);
    let problem = check["problems"][0].as_str().expect("a problem");
    assert!(told.out.contains(problem), "{}", told.out);
    check["problems"].to_string()
}

#[test]
fn a_flipped_byte_is_found() {
    let keeper = keeper();
    let data: Vec<u8> = keeper
        .database()
        .query_row("SELECT data FROM chunk WHERE id = 1", [], |row| row.get(0))
        .expect("a chunk");
    let mut bytes = fs::read(keeper.archive()).expect("it can be read");
    let at = bytes
        .windows(data.len())
        .position(|window| window == data)
        .expect("it stands there as it is");
    bytes[at + data.len() / 2] ^= 0x10;
    fs::write(keeper.archive(), &bytes).expect("it can be written");
    assert!(problems(&keeper).contains("chunk 1 "));
    // What is whole can still be read, and the disk as well.
    keeper.ok(&["list"]);
    keeper.ok(&["show", "3a1e0a52"]);
    keeper.ok(&["show", ID, "--no-archive"]);
    // What is not, comes from the disk, which is told (see `rot`).
    let ran = keeper.ok(&["show", ID, "--json"]);
    assert!(ran.err.contains("damaged"), "{}", ran.err);
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_killed_backup_left_is_removed_by_the_next_run() {
    let keeper = keeper();
    fs::create_dir(keeper.path("safe")).expect("it can be made");
    let whole = fs::read(keeper.archive()).expect("it can be read");
    // A run that is killed leaves its file, and the system takes the lock away.
    let left = |dir: &str| {
        let path = keeper.path(&format!("{dir}/.old.db.4711.gemtrail-tmp"));
        fs::write(&path, &whole).expect("it can be written");
        fs::write(
            keeper.path(&format!("{dir}/.old.db.4711.gemtrail-tmp-journal")),
            "x",
        )
        .expect("it can be written");
        path
    };
    let (beside, elsewhere) = (left("."), left("safe"));
    keeper.sync();
    assert!(!beside.exists() && elsewhere.exists());
    let to = keeper.path("safe/new.db");
    keeper.ok(&["archive", "backup", to.to_str().expect("text")]);
    let entries = fs::read_dir(keeper.path("safe")).expect("it is there");
    assert_eq!(entries.count(), 1, "only the new one");
    let restored = left("safe");
    let page = keeper.path("safe/x.json");
    keeper.ok(&[
        "export",
        ID,
        "--format",
        "json",
        "-o",
        page.to_str().expect("text"),
    ]);
    assert!(!restored.exists());
}

#[test]
fn a_backup_is_a_whole_archive() {
    let keeper = keeper();
    fs::create_dir(keeper.path("safe")).expect("it can be made");
    let to = keeper.path("safe/backup.db");
    let to = to.to_str().expect("text");
    let ran = keeper.ok(&["archive", "backup", to]);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("wrote "), "{}", ran.err);
    for ran in [
        keeper.ok(&["list", "--json", "--archive", to]),
        keeper.ok(&["search", "second", "--json", "--archive", to]),
        keeper.ok(&["archive", "verify", "--archive", to]),
    ] {
        assert_eq!(ran.err, "");
    }
    let rows = |ran: crate::common::Ran| ran.lines();
    assert_eq!(
        rows(keeper.ok(&["list", "--json", "--archive", to])),
        rows(keeper.ok(&["list", "--json"]))
    );
    let bytes = fs::read(to).expect("it can be read");
    let ran = keeper.run(&["archive", "backup", to, "--json"]).expect(2);
    assert_eq!(ran.error_code(), "exists");
    let ran = keeper.run(&["archive", "backup", to]).expect(2);
    let told = format!("error: {to} exists; nothing was written\n");
    assert!(ran.err.starts_with(&told), "{}", ran.err);
    assert!(ran.err.contains("hint: choose a file"), "{}", ran.err);
    assert_eq!(fs::read(to).expect("it can be read"), bytes);
    // One can go on with it.
    keeper.write(&chat("2f1e0a52.jsonl"), &lines(ID, &[("u9", "another")]));
    keeper.ok(&["sync", "--archive", to]);
    keeper.ok(&["archive", "verify", "--archive", to]);
}

#[test]
fn a_backup_is_told_as_data() {
    let keeper = keeper();
    let ran = keeper.ok(&["archive", "backup", "copy.db", "--json"]);
    let document = one(&ran);
    let bytes = fs::metadata(keeper.path("copy.db")).map(|it| it.len());
    assert_eq!(document["schema"], "gemtrail.backup/1");
    assert_eq!(document["path"], json!(keeper.path("copy.db")));
    assert_eq!(document["bytes"], bytes.expect("it is there"));
    assert_eq!(ran.err, "");
}

#[test]
fn a_backup_makes_no_directories() {
    let keeper = keeper();
    let to = keeper.path("missing/dir/copy.db");
    let arguments = ["archive", "backup", to.to_str().expect("text")];
    let ran = keeper.run(&arguments).expect(2);
    assert!(
        ran.err.contains("there is no such directory"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("cannot use the archive"), "{}", ran.err);
    let ran = keeper
        .run(&[&arguments[..], &["--json"]].concat())
        .expect(2);
    assert_eq!(ran.error_code(), "cannot-write");
    assert!(!keeper.path("missing").exists());
}

#[test]
fn every_command_has_examples() {
    let keeper = Keeper::new();
    for command in ["info", "verify", "forget", "backup"] {
        let help = keeper.ok(&["archive", command, "--help"]).out;
        let example = format!("Examples:\n  gemtrail archive {command}");
        assert!(help.contains(&example), "{help}");
    }
}

/// Counts come from the index.
#[test]
fn info_says_that_the_index_is_not_complete() {
    let keeper = keeper();
    let text = keeper.ok(&["archive", "info"]).out;
    assert!(!text.contains("the index is not complete"), "{text}");
    std::fs::remove_file(keeper.archive().with_extension("index.db")).expect("it is there");
    let text = keeper.ok(&["archive", "info"]).out;
    assert!(
        text.contains("the index is not complete; gemtrail sync"),
        "{text}"
    );
    keeper.sync();
    let text = keeper.ok(&["archive", "info"]).out;
    assert!(!text.contains("the index is not complete"), "{text}");
}
