//! A file that is emptied, cut off or damaged takes nothing away: neither the session nor its bytes.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Keeper, Ran, chat, ids, lines, message, one, said, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const STEM: &str = "session-2026-06-01T10-00-2f1e0a52";
const WORDS: [(&str, &str); 4] = [
    ("u1", "one"),
    ("g1", "first"),
    ("u2", "two"),
    ("g2", "second"),
];

/// What may be left of a log of lines that says nothing about its session any more.
fn remains(log: &str) -> [String; 4] {
    let torn_header = log[..30].to_owned();
    let header_only = log[..=log.find('\n').expect("it has lines")].to_owned();
    [
        String::new(),
        "garbage\n".to_owned(),
        torn_header,
        header_only,
    ]
}

fn restore(keeper: &Keeper, more: &[&str]) -> Ran {
    keeper.run(&[&["restore", ID, "--json"], more].concat())
}

fn current(session: &Value) -> usize {
    let states = said(session).into_iter();
    states.filter(|(_, state, _)| state == "current").count()
}

/// The one session is all there is, and its name in the file system leads to it.
#[track_caller]
fn expect_one_session(keeper: &Keeper, more: &[&str], what: &str) {
    assert_eq!(ids(&keeper.list(more)), [ID], "{what}");
    for name in [ID, STEM, "2f1e0a52"] {
        let shown = keeper.ok(&[&["show", name, "--json"], more].concat());
        let shown = one(&shown);
        assert_eq!(shown["id"], ID, "{what}: {name}");
        assert_eq!(shown["counts"]["messages"], 4, "{what}");
        assert_eq!(current(&shown), 4, "{what}: nothing took them back");
        assert_eq!(shown["stems"], json!([STEM]), "{what}");
        assert!(shown["journals"][0]["sha256"].is_string(), "{what}");
    }
    let found = keeper.ok(&[&["search", "second", "--json"], more].concat());
    assert_eq!(found.lines()[0]["session"], ID, "{what}");
}

#[test]
fn no_other_session_appears_when_a_file_loses_its_own() {
    let log = lines(ID, &WORDS);
    for rest in remains(&log) {
        let keeper = Keeper::new();
        let file = chat("2f1e0a52.jsonl");
        keeper.write(&file, &log);
        keeper.sync();
        keeper.write(&file, &rest);
        expect_one_session(
            &keeper,
            &["--no-sync"],
            &format!("{rest:?}, archive and disk"),
        );
        let report = keeper.sync();
        assert_eq!(report["sessions_added"], 0, "{rest:?}: {report}");
        expect_one_session(&keeper, &[], &rest);
        keeper.remove(&file);
        keeper.sync();
        expect_one_session(&keeper, &[], &rest);
        keeper.ok(&["sync", "--rebuild"]);
        expect_one_session(&keeper, &[], &rest);
        keeper.verify();
    }
}

#[test]
fn a_log_without_its_header_goes_on() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.jsonl");
    let log = lines(ID, &WORDS);
    keeper.write(&file, &log);
    keeper.sync();
    let headless = log[30..].to_owned() + &message("u3", "three").to_string() + "\n";
    keeper.write(&file, &headless);
    assert_eq!(keeper.sync()["sessions_added"], 0);
    let shown = keeper.show(STEM);
    assert_eq!(shown["id"], ID);
    assert_eq!(current(&shown), 5);
    // It has every message, so it is what comes back.
    keeper.ok(&["restore", ID, "-o", "out"]);
    let written = fs::read_to_string(keeper.path("out").join(STEM.to_owned() + ".jsonl"));
    assert_eq!(written.expect("it is there"), headless);
}

#[test]
fn an_exact_copy_is_the_last_one_that_was_whole() {
    let log = lines(ID, &WORDS);
    let cut = log[..log.len() - 40].to_owned();
    let without_a_line: String = log.lines().take(3).map(|it| it.to_owned() + "\n").collect();
    let edited = log.replace("second", "2nd");
    let rests = remains(&log).into_iter();
    for rest in rests.chain([cut, without_a_line, edited]) {
        let keeper = Keeper::new();
        let file = chat("2f1e0a52.jsonl");
        let path = keeper.write(&file, &log);
        keeper.sync();
        keeper.write(&file, &rest);
        for more in [&["--exact"][..], &["--exact", "--no-sync"]] {
            let refused = restore(&keeper, more).expect(2);
            assert_eq!(refused.error_code(), "exists", "{rest:?}");
            let left = fs::read_to_string(&path).expect("it is there");
            assert_eq!(left, rest, "not without --force");
        }
        let report = one(&restore(&keeper, &["-o", "out"]).expect(0));
        let warning = report["warnings"][0].as_str().unwrap_or_default();
        assert!(
            warning.contains(" since; this is the version of "),
            "{rest:?}: {report}"
        );
        let written = keeper.path("out").join(STEM.to_owned() + ".jsonl");
        assert_eq!(fs::read_to_string(written).expect("it is there"), log);
        restore(&keeper, &["--exact", "--force"]).expect(0);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), log);
        // The same when the rest is gone, too.
        keeper.write(&file, &rest);
        keeper.sync();
        keeper.remove(&file);
        keeper.sync();
        restore(&keeper, &["--exact"]).expect(0);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), log);
    }
}

#[test]
fn how_much_was_lost_is_said() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.jsonl");
    keeper.write(&file, &lines(ID, &WORDS));
    keeper.sync();
    keeper.write(&file, &lines(ID, &WORDS[..3]));
    let said = keeper.ok(&["restore", ID, "-o", "out"]).err;
    assert!(
        said.contains("2f1e0a52.jsonl lost 1 message since"),
        "{said}"
    );
    keeper.write(&file, "");
    let said = keeper.ok(&["restore", ID, "-o", "again"]).err;
    assert!(
        said.contains("2f1e0a52.jsonl lost 4 messages since"),
        "{said}"
    );
}

#[test]
fn a_rewind_is_no_loss_and_a_torn_whole_file_is() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.json");
    let path = keeper.write(&file, &whole(ID, &WORDS));
    keeper.sync();
    let rewound = whole(ID, &WORDS[..2]);
    keeper.write(&file, &rewound);
    keeper.sync();
    keeper.remove(&file);
    let report = one(&restore(&keeper, &["--exact"]).expect(0));
    assert_eq!(fs::read_to_string(&path).expect("it is there"), rewound);
    assert!(
        !report["warnings"].to_string().contains(" since; "),
        "{report}"
    );
    keeper.write(&file, &rewound[..rewound.len() - 200]);
    keeper.sync();
    restore(&keeper, &["--exact"]).expect(2);
    restore(&keeper, &["--exact", "--force"]).expect(0);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), rewound);
}

#[test]
fn a_rewrite_with_something_new_is_how_the_session_stands() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.jsonl");
    keeper.write(&file, &lines(ID, &WORDS));
    keeper.sync();
    let rewritten = lines(ID, &[WORDS[0], ("g9", "another answer")]);
    let path = keeper.write(&file, &rewritten);
    keeper.sync();
    keeper.remove(&file);
    restore(&keeper, &["--exact"]).expect(0);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), rewritten);
    // Another session took the file.
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let others = lines(other, &[("u7", "of another one")]);
    keeper.write(&file, &others);
    restore(&keeper, &["--exact", "--no-sync"]).expect(2);
    keeper.sync();
    restore(&keeper, &["--exact"]).expect(2);
    restore(&keeper, &["-o", "out"]).expect(0);
    let written = keeper.path("out").join(STEM.to_owned() + ".jsonl");
    assert_eq!(fs::read_to_string(written).expect("it is there"), rewritten);
    let shown = keeper.show(path.to_str().expect("text"));
    assert_eq!(shown["id"], other, "what is in the file now");
    keeper.ok(&["restore", other, "-o", "other"]);
    let written = keeper.path("other").join(STEM.to_owned() + ".jsonl");
    assert_eq!(fs::read_to_string(written).expect("it is there"), others);
}

#[test]
fn what_the_archive_has_not_taken_in_yet_counts_if_it_is_more() {
    let keeper = Keeper::new();
    let file = chat("2f1e0a52.jsonl");
    let short = lines(ID, &WORDS[..2]);
    let path = keeper.write(&file, &short);
    keeper.sync();
    let settings = json!({"$set": {"summary": "about numbers"}}).to_string() + "\n";
    for (at, longer) in [short + &settings, lines(ID, &WORDS)].iter().enumerate() {
        keeper.write(&file, longer);
        restore(&keeper, &["--exact", "--no-sync"]).expect(0);
        assert_eq!(&fs::read_to_string(&path).expect("it is there"), longer);
        let dir = at.to_string();
        let report = one(&restore(&keeper, &["-o", &dir, "--no-sync"]).expect(0));
        assert_eq!(report["warnings"], json!([]));
        let written = keeper.path(&dir).join(STEM.to_owned() + ".jsonl");
        assert_eq!(&fs::read_to_string(written).expect("it is there"), longer);
    }
}

#[test]
fn a_session_whose_file_was_emptied_comes_back_for_gemini_cli() {
    let keeper = Keeper::new();
    let root = keeper.path("shop");
    fs::create_dir(&root).expect("it can be made");
    let marker = root.to_string_lossy();
    keeper.write(".gemini/tmp/shop/.project_root", &marker);
    keeper.write(&chat("2f1e0a52.jsonl"), &lines(ID, &WORDS));
    keeper.sync();
    keeper.write(&chat("2f1e0a52.jsonl"), "");
    let report = one(&restore(&keeper, &[]).expect(0));
    let path = report["files"][0]["path"].as_str().expect("a file");
    let written = fs::read_to_string(path).expect("it is there");
    assert!(written.contains("second"), "{written}");
}
