//! A forgotten session is gone for good.

use std::fs;

use serde_json::Value;

use gemtrail_store::archive::Archive;
use gemtrail_testkit::made::{
    NEEDLE_ID as ID, NEEDLE_LOGGED as LOGGED, NEEDLE_OTHER as OTHER, NEEDLES, needles,
};

use crate::common::{Keeper, Ran, chat, ids, log, message, one};

/// A session with a needle in everything that is its own, and another one.
fn keeper() -> Keeper {
    let keeper = Keeper::new();
    needles(|path, text| {
        keeper.write(path, text);
    });
    keeper
}

fn archive(keeper: &Keeper) -> Vec<u8> {
    fs::read(keeper.archive()).expect("it can be read")
}

/// Whether it is in the archive, or in what `SQLite` has beside it. Words of the index are compressed.
fn has(keeper: &Keeper, needle: &str) -> bool {
    let words = Archive::open(&keeper.archive()).and_then(|archive| archive.words());
    if words.expect("it can be read").contains_key(needle) {
        return true;
    }
    let sides = ["archive.db-wal", "archive.db-shm"].map(|name| keeper.path(name));
    let sides = sides.iter().filter_map(|path| fs::read(path).ok());
    sides.chain([archive(keeper)]).any(|bytes| {
        let mut windows = bytes.windows(needle.len());
        windows.any(|it| it == needle.as_bytes())
    })
}

fn found(keeper: &Keeper, needle: &str, more: &[&str]) -> usize {
    let arguments = [&["search", needle, "--json"][..], more].concat();
    let ran = keeper.run(&arguments);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    ran.lines().len()
}

/// Nothing of it is left, in no byte and in no answer.
#[track_caller]
fn expect_forgotten(keeper: &Keeper, when: &str) {
    for needle in NEEDLES {
        assert!(!has(keeper, needle), "{needle} {when}");
        for more in [&[][..], &["--no-sync"]] {
            assert_eq!(found(keeper, needle, more), 0, "{needle} {when} {more:?}");
        }
    }
    let rows = keeper.list(&["--no-sync"]);
    assert_eq!(ids(&rows), [OTHER], "{when}");
    keeper.run(&["show", ID]).expect(1);
    keeper.verify();
}

fn forget(keeper: &Keeper, name: &str, more: &[&str]) -> Value {
    let arguments = [&["archive", "forget", name, "--yes", "--json"][..], more].concat();
    one(&keeper.ok(&arguments))
}

#[test]
fn s006_a_forgotten_session_is_in_no_byte() {
    let keeper = keeper();
    keeper.sync();
    let [.., spilled] = NEEDLES;
    for needle in &NEEDLES[..5] {
        assert!(has(&keeper, needle), "the index has {needle}");
        assert_eq!(found(&keeper, needle, &[]), 1, "{needle}");
    }
    // Not searched, but kept.
    let chunks = keeper.number("SELECT count(*) FROM chunk");

    let before = archive(&keeper);
    let plan = forget(&keeper, "2f1e0a52", &["--dry-run"]);
    assert_eq!(plan["sessions"], 2);
    let planned = plan["files"].as_array().expect("a list");
    assert_eq!(planned.len(), 3, "{plan}");
    assert_eq!(plan["on_disk"].as_array().map(Vec::len), Some(3));
    assert_eq!(keeper.show(ID)["counts"]["messages"], 3, "nothing was done");
    assert_eq!(archive(&keeper), before);

    let report = forget(&keeper, "2f1e0a52", &[]);
    assert_eq!(report["files"], plan["files"]);
    assert_eq!(
        keeper.number("SELECT count(*) FROM chunk"),
        chunks - 3,
        "{spilled} went as well"
    );
    expect_forgotten(&keeper, "at once");
    assert_eq!(found(&keeper, "unsaid", &[]), 1, "prompts of others stay");
    keeper.sync();
    expect_forgotten(&keeper, "after sync");
    keeper.ok(&["sync", "--rebuild"]);
    expect_forgotten(&keeper, "after making everything anew");

    let path = keeper.path(&chat("2f1e0a52.jsonl"));
    let file = fs::File::options()
        .append(true)
        .open(&path)
        .expect("it is there");
    // Any other time than that of writing.
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_790_000_000))
        .expect("it takes the time");
    expect_forgotten(&keeper, "after the file was touched");
    let copy = fs::read(&path).expect("it can be read");
    fs::remove_file(&path).expect("it can be removed");
    keeper.sync();
    fs::write(&path, &copy).expect("it can be written");
    expect_forgotten(&keeper, "after the file was written again");
    keeper.sync();
    expect_forgotten(&keeper, "after that was synced");

    let logged = [
        (ID, NEEDLES[0]),
        (ID, NEEDLES[4]),
        (OTHER, "unsaid of the other"),
        (OTHER, "more unsaid"),
    ];
    keeper.write(".gemini/tmp/shop/logs.json", &log(LOGGED, &logged));
    assert_eq!(found(&keeper, "more", &[]), 1);
    expect_forgotten(&keeper, "after the log got longer");
    keeper.sync();
    expect_forgotten(&keeper, "after that was synced");
    assert_eq!(found(&keeper, "more", &[]), 1);

    // It goes on: what it says now was not meant.
    let mut content = String::from_utf8(copy).expect("text");
    content.push_str(&message("u3", "goes on").to_string());
    content.push('\n');
    fs::write(&path, content).expect("it can be written");
    keeper.sync();
    assert_eq!(ids(&keeper.list(&[])), [ID, OTHER]);
    assert_eq!(found(&keeper, NEEDLES[0], &[]), 1);
    let logged = [&logged[..], &[(ID, "/later in the log")]].concat();
    keeper.write(".gemini/tmp/shop/logs.json", &log(LOGGED, &logged));
    keeper.sync();
    assert_eq!(found(&keeper, "later", &[]), 1);
    assert_eq!(found(&keeper, NEEDLES[4], &[]), 0);
    keeper.verify();
}

#[test]
fn without_anybody_to_ask_nothing_is_forgotten() {
    let keeper = keeper();
    keeper.sync();
    let before = archive(&keeper);
    let refused = |arguments: &[&str], input: &[u8]| {
        let mut child = keeper
            .command(arguments)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut stdin = child.stdin.take().expect("piped");
        // It need not read what it is told.
        let _ = std::io::Write::write_all(&mut stdin, input);
        drop(stdin);
        Ran::of(child.wait_with_output().expect("it ends")).expect(2)
    };
    for answer in [&b""[..], b"n\n", b"y\n"] {
        let ran = refused(&["archive", "forget", "2f1e0a52"], answer);
        assert!(ran.err.contains("nothing was removed"), "{}", ran.err);
        assert!(ran.err.contains("2f1e0a52.jsonl"), "{}", ran.err);
        assert!(ran.err.contains("hint: add --yes"), "{}", ran.err);
    }
    let ran = refused(&["archive", "forget", "2f1e0a52", "--json"], b"");
    assert_eq!(ran.error_code(), "not-confirmed");
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("2f1e0a52.jsonl") && ran.err.contains("--yes"));
    assert_eq!(archive(&keeper), before, "not a byte changed");

    let ran = keeper.ok(&["archive", "forget", "2f1e0a52", "-y"]);
    let journal = keeper.path(&chat("2f1e0a52.jsonl"));
    let left = format!("still on disk: {}", journal.display());
    assert_eq!(ran.out.matches(&left).count(), 1, "{}", ran.out);
    expect_forgotten(&keeper, "after it was confirmed");
}
