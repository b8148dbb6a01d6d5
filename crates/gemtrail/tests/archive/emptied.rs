//! A file that is emptied, cut off or damaged takes nothing away: neither the session nor its bytes.

use std::fs;

use gemtrail_testkit::made::remains;

use crate::common::{Keeper, Ran, chat, lines, one};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const STEM: &str = "session-2026-06-01T10-00-2f1e0a52";
const WORDS: [(&str, &str); 4] = [
    ("u1", "one"),
    ("g1", "first"),
    ("u2", "two"),
    ("g2", "second"),
];

fn restore(keeper: &Keeper, more: &[&str]) -> Ran {
    keeper.run(&[&["restore", ID, "--json"], more].concat())
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
