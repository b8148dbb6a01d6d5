//! Archives that are damaged, of another time, or not archives at all.

use std::fs;

use serde_json::json;

use crate::common::{Keeper, chat, ids, lines, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

fn keeper() -> Keeper {
    let keeper = Keeper::with_session(ID);
    keeper.sync();
    keeper
}

/// Every command but those that need no archive says the same, and the file stays as it is.
#[track_caller]
fn expect_refused(keeper: &Keeper, code: &str) {
    let before = fs::read(keeper.archive()).expect("it can be read");
    for arguments in [
        &["list", "--json"][..],
        &["list", "--json", "--no-sync"],
        &["show", ID, "--json"],
        &["search", "one", "--json"],
        &["sync", "--json"],
        &["sync", "--rebuild", "--json"],
        &["archive", "info", "--json"],
        &["archive", "verify", "--json"],
        &["archive", "forget", ID, "--json"],
    ] {
        let ran = keeper.run(arguments).expect(2);
        assert_eq!(ran.error_code(), code, "{arguments:?}");
        assert!(ran.err.contains("hint"), "{}", ran.err);
    }
    assert_eq!(fs::read(keeper.archive()).expect("it can be read"), before);
    let disk = keeper.list(&["--no-archive"]);
    assert_eq!(ids(&disk), [ID]);
}

#[test]
fn an_archive_of_a_newer_version() {
    let keeper = keeper();
    keeper
        .database()
        .pragma_update(None, "user_version", 99)
        .expect("it can be set");
    expect_refused(&keeper, "newer-archive");
    let ran = keeper.run(&["list"]).expect(2);
    assert!(
        ran.err.contains("schema 99") && ran.err.contains("--no-archive"),
        "{}",
        ran.err
    );
}

#[test]
fn files_that_are_no_archives() {
    let keeper = Keeper::with_session(ID);
    fs::write(
        keeper.archive(),
        "some text, which is not a database at all\n".repeat(300),
    )
    .expect("it can be written");
    expect_refused(&keeper, "not-an-archive");
    fs::remove_file(keeper.archive()).expect("it can be removed");
    let database = keeper.database();
    database
        .execute_batch("CREATE TABLE mine(x)")
        .expect("it can be made");
    drop(database);
    expect_refused(&keeper, "not-an-archive");
    fs::remove_file(keeper.archive()).expect("it can be removed");
    fs::create_dir(keeper.archive()).expect("it can be made");
    keeper.run(&["sync"]).expect(2);
    keeper.run(&["list"]).expect(2);
    keeper.ok(&["list", "--no-archive"]);
}

#[test]
fn an_empty_file_becomes_an_archive() {
    let keeper = Keeper::with_session(ID);
    fs::write(keeper.archive(), "").expect("it can be written");
    for arguments in [&["list", "--json"][..], &["list", "--json", "--no-sync"]] {
        let ran = keeper.ok(arguments);
        assert_eq!(ids(&ran.lines()), [ID]);
        assert!(ran.err.contains("the archive is empty"), "{}", ran.err);
    }
    // Only `sync` makes an archive; until then it may as well be the rest of one.
    assert_eq!(fs::read(keeper.archive()).expect("it is there"), b"");
    let ran = keeper.run(&["archive", "verify", "--json"]).expect(1);
    assert_eq!(ran.error_code(), "empty-archive");
    keeper.sync();
    keeper.verify();
    assert_eq!(keeper.info()["sessions"], 1);
}

#[test]
fn an_archive_that_was_cut_off() {
    let keeper = keeper();
    for at in 0..40 {
        let id = format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab");
        keeper.write(
            &chat(&format!("{at:08x}.json")),
            &whole(&id, &[("u1", "bulk")]),
        );
    }
    keeper.sync();
    let whole = fs::read(keeper.archive()).expect("it can be read");
    let page = 8192;
    let lengths = [1, 16, 100, 511, 512, page - 1, page];
    let parts = (1..5).map(|part| whole.len() * part / 5);
    let mut refused = 0;
    for length in lengths.into_iter().chain(parts).chain([whole.len() - page]) {
        for arguments in [
            &["list", "--json"][..],
            &["list", "--json", "--no-sync"],
            &["show", ID, "--json"],
            &["search", "one", "--json"],
            &["archive", "info", "--json"],
            &["archive", "verify", "--json"],
            &["sync", "--json"],
        ] {
            for side in ["", "-wal", "-shm"] {
                let path = keeper.path(&format!("archive.db{side}"));
                let _ = fs::remove_file(path);
            }
            fs::write(keeper.archive(), &whole[..length]).expect("it can be written");
            let ran = keeper.run(arguments);
            let code = ran.code.expect("it was not killed");
            assert!(code <= 2, "{length} {arguments:?}: {ran:?}");
            // `verify` says that it is damaged, not that it is no archive.
            if arguments.contains(&"verify") {
                assert_eq!(code, 1, "{length}: {ran:?}");
                assert!(ran.out.contains("problems") || ran.error_code() == "damaged-archive");
            }
            if code == 2 {
                refused += 1;
                let said = ran.error_code();
                assert!(
                    ["damaged-archive", "not-an-archive"].contains(&said.as_str()),
                    "{length} {arguments:?}: {}",
                    ran.err
                );
            }
        }
        assert_eq!(keeper.list(&["--no-archive"]).len(), 41);
    }
    assert!(refused > 50, "{refused}");
}

/// What `verify` says of a file, by its exit code and its error's.
#[track_caller]
fn verified(keeper: &Keeper, content: &[u8]) -> (i32, String) {
    for side in ["-wal", "-shm"] {
        let _ = fs::remove_file(keeper.path(&format!("archive.db{side}")));
    }
    fs::write(keeper.archive(), content).expect("it can be written");
    let ran = keeper.run(&["archive", "verify", "--json"]);
    (ran.code.expect("it was not killed"), ran.error_code())
}

#[test]
fn an_archive_whose_first_page_is_damaged() {
    let keeper = keeper();
    let whole = fs::read(keeper.archive()).expect("it can be read");
    // Starts and lengths of what is overwritten: header, tables, page.
    for (start, length) in [
        (0, 16),
        (0, 100),
        (16, 84),
        (100, 400),
        (0, 4096),
        (0, 8192),
    ] {
        for byte in [0, 0xff, b'x'] {
            let mut content = whole.clone();
            content[start..start + length].fill(byte);
            let told = verified(&keeper, &content);
            let wanted = (1, "damaged-archive".to_owned());
            assert_eq!(told, wanted, "{start} {length} {byte}");
        }
    }
    let ran = keeper.run(&["archive", "verify"]).expect(1);
    assert!(ran.err.contains("the archive is damaged"), "{}", ran.err);
    assert!(ran.err.contains("archive repair"), "{}", ran.err);
}

#[test]
fn what_never_was_an_archive_cannot_be_verified() {
    let keeper = Keeper::with_session(ID);
    let none = (2, "not-an-archive".to_owned());
    assert_eq!(verified(&keeper, b"some text"), none);
    assert_eq!(verified(&keeper, &b"some text\n".repeat(1000)), none);
    assert_eq!(verified(&keeper, &vec![b'x'; 3 * 8192]), none);
    assert_eq!(verified(&keeper, &vec![0; 3 * 8192]), none);
    fs::remove_file(keeper.archive()).expect("it can be removed");
    let ran = keeper.run(&["archive", "verify", "--json"]).expect(2);
    assert_eq!(ran.error_code(), "no-archive");
}

/// Whether modes of files mean anything to this process.
#[cfg(unix)]
fn is_bound_by_modes(keeper: &Keeper) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let probe = keeper.write("probe", "");
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o000)).expect("it can be set");
    let is_bound = fs::read(&probe).is_err();
    fs::remove_file(probe).expect("it can be removed");
    is_bound
}

#[test]
#[cfg(unix)]
fn an_archive_that_may_only_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let keeper = Keeper::new();
    if !is_bound_by_modes(&keeper) {
        return read_only_by_mount();
    }
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &lines(ID, &[("u1", "one"), ("g1", "first")]),
    );
    keeper.write("data/archive/x", "");
    let archive = keeper.path("data/archive/a.db");
    let archive = archive.to_str().expect("text");
    keeper.ok(&["sync", "--archive", archive]);
    let dir = keeper.path("data/archive");
    let mode = |mode| {
        let file = fs::Permissions::from_mode(mode & 0o666);
        fs::set_permissions(archive, file).expect("it can be set");
        fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).expect("it can be set");
    };
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    keeper.write(&chat("3a1e0a52.json"), &whole(other, &[("u1", "new")]));
    mode(0o500);
    let list = keeper.run(&["list", "--json", "--archive", archive]);
    let sync = keeper.run(&["sync", "--json", "--archive", archive]);
    mode(0o700);
    expect_read_only(&list, &sync, other);
}

#[track_caller]
fn expect_read_only(list: &crate::common::Ran, sync: &crate::common::Ran, other: &str) {
    assert_eq!(list.code, Some(0), "{}", list.err);
    assert_eq!(ids(&list.lines()), [ID], "not {other}");
    assert!(list.err.contains("could not be updated"), "{}", list.err);
    assert_eq!(sync.code, Some(2), "{}", sync.err);
    assert_eq!(sync.error_code(), "archive-read-only", "{}", sync.err);
}

/// The same for somebody to whom modes mean nothing: a directory that is mounted to be read only.
#[cfg(unix)]
fn read_only_by_mount() {
    let keeper = Keeper::with_session(ID);
    fs::create_dir(keeper.path("archive")).expect("it can be made");
    let archive = keeper.path("archive/a.db");
    let archive = archive.to_str().expect("text");
    keeper.ok(&["sync", "--archive", archive]);
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    keeper.write(&chat("3a1e0a52.json"), &whole(other, &[("u1", "new")]));
    let dir = keeper.path("archive");
    let dir = dir.to_str().expect("text");
    let program = env!("CARGO_BIN_EXE_gemtrail");
    let within = |arguments: &str| {
        let script = format!(
            "mount --bind '{dir}' '{dir}' && mount -o remount,ro,bind '{dir}' && exec '{program}' {arguments} --json --archive '{archive}'"
        );
        let mut command = keeper.command::<&str>(&[]);
        let mut unshare = std::process::Command::new("unshare");
        unshare
            .args(["-rm", "sh", "-c", &script])
            .env_clear()
            .current_dir(keeper.root());
        for (name, value) in command.get_envs() {
            unshare.env(name, value.unwrap_or_default());
        }
        unshare.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.stdin(std::process::Stdio::null());
        unshare.output()
    };
    let list = match within("list") {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("mount") => output,
        other => {
            #[expect(clippy::print_stdout, reason = "a skipped test should be noticed")]
            {
                println!("skipped: modes mean nothing here, and nothing can be mounted: {other:?}");
            }
            return;
        }
    };
    let sync = within("sync").expect("it ran before");
    expect_read_only(
        &crate::common::Ran::of(list),
        &crate::common::Ran::of(sync),
        other,
    );
    assert_eq!(
        json!(fs::read_dir(dir).expect("it can be read").count() > 0),
        json!(true)
    );
}

#[test]
fn a_damaged_index_is_reported_and_the_files_are_searched() {
    let keeper = keeper();
    let search = ["search", "first", "--json", "--no-sync"];
    let whole = keeper.ok(&search);
    assert_eq!((whole.lines().len(), whole.err.as_str()), (1, ""));
    let break_it = "ALTER TABLE unit RENAME COLUMN number TO numbers";
    keeper
        .database()
        .execute_batch(break_it)
        .expect("it is a table");
    let damaged = keeper.ok(&search);
    assert_eq!(damaged.lines(), whole.lines());
    assert!(
        damaged.err.contains("index cannot be used") && damaged.err.contains("sync --rebuild"),
        "{}",
        damaged.err
    );
    keeper.ok(&["sync", "--rebuild"]);
    assert_eq!(keeper.ok(&search).err, "");
}
