//! A file that is emptied, truncated or damaged loses nothing: neither the session nor its bytes.

use serde_json::{Value, json};

use gemtrail_testkit::made::remains;

use crate::common::{Sandbox, chat, ids, lines, message, said, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const STEM: &str = "session-2026-06-01T10-00-2f1e0a52";
const WORDS: [(&str, &str); 4] = [
    ("u1", "one"),
    ("g1", "first"),
    ("u2", "two"),
    ("g2", "second"),
];

/// The text of the journal to restore, and how many messages the file has lost since.
#[track_caller]
fn restored(sandbox: &Sandbox) -> (String, Option<usize>) {
    let mut journals = sandbox.journals(ID);
    assert_eq!(journals.len(), 1);
    let (file, text) = journals.remove(0);
    (text, file.lost)
}

fn current(session: &Value) -> usize {
    let states = said(session).into_iter();
    states.filter(|(_, state, _)| state == "current").count()
}

/// There is only the one session, and its file path resolves to it.
#[track_caller]
fn expect_one_session(sandbox: &Sandbox, what: &str) {
    assert_eq!(ids(&sandbox.rows()), [ID], "{what}");
    for name in [ID, STEM, "2f1e0a52"] {
        let shown = sandbox.show(name);
        assert_eq!(shown["id"], ID, "{what}: {name}");
        assert_eq!(shown["counts"]["messages"], 4, "{what}");
        assert_eq!(current(&shown), 4, "{what}: nothing took them back");
        assert_eq!(shown["stems"], json!([STEM]), "{what}");
        assert!(shown["journals"][0]["sha256"].is_string(), "{what}");
    }
    assert_eq!(sandbox.search("second")[0]["session"], ID, "{what}");
}

#[test]
fn no_other_session_appears_when_a_file_loses_its_own() {
    let log = lines(ID, &WORDS);
    for rest in remains(&log) {
        let sandbox = Sandbox::new();
        let file = chat("2f1e0a52.jsonl");
        sandbox.write(&file, &log);
        sandbox.sync();
        sandbox.write(&file, &rest);
        expect_one_session(&sandbox, &format!("{rest:?}, archive and disk"));
        let report = sandbox.sync();
        assert_eq!(report.sessions_added, 0, "{rest:?}: {report:?}");
        expect_one_session(&sandbox, &rest);
        sandbox.remove(&file);
        sandbox.sync();
        expect_one_session(&sandbox, &rest);
        sandbox.rebuild();
        expect_one_session(&sandbox, &rest);
        sandbox.verify();
    }
}

#[test]
fn a_log_without_its_header_goes_on() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    let log = lines(ID, &WORDS);
    sandbox.write(&file, &log);
    sandbox.sync();
    let headless = log[30..].to_owned() + &message("u3", "three").to_string() + "\n";
    sandbox.write(&file, &headless);
    assert_eq!(sandbox.sync().sessions_added, 0);
    let shown = sandbox.show(STEM);
    assert_eq!(shown["id"], ID);
    assert_eq!(current(&shown), 5);
    // It has every message, so it is the one to restore.
    assert_eq!(restored(&sandbox), (headless, None));
}

#[test]
fn what_comes_back_is_the_last_version_that_was_whole() {
    let log = lines(ID, &WORDS);
    let cut = log[..log.len() - 40].to_owned();
    let without_a_line: String = log.lines().take(3).map(|it| it.to_owned() + "\n").collect();
    let edited = log.replace("second", "2nd");
    let rests = remains(&log).into_iter();
    for rest in rests.chain([cut, without_a_line, edited]) {
        let sandbox = Sandbox::new();
        let file = chat("2f1e0a52.jsonl");
        sandbox.write(&file, &log);
        sandbox.sync();
        sandbox.write(&file, &rest);
        let expect = |when: &str| {
            let (text, lost) = restored(&sandbox);
            assert_eq!(text, log, "{rest:?} {when}");
            assert!(lost.is_some(), "{rest:?} {when}");
        };
        expect("before it is taken in");
        sandbox.sync();
        expect("after it was taken in");
        sandbox.remove(&file);
        sandbox.sync();
        expect("after the rest is gone, too");
    }
}

#[test]
fn how_much_was_lost_is_known() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    sandbox.write(&file, &lines(ID, &WORDS));
    sandbox.sync();
    assert_eq!(restored(&sandbox).1, None);
    sandbox.write(&file, &lines(ID, &WORDS[..3]));
    assert_eq!(restored(&sandbox).1, Some(1));
    sandbox.write(&file, "");
    assert_eq!(restored(&sandbox).1, Some(4));
}

#[test]
fn a_rewind_is_no_loss_and_a_torn_whole_file_is() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.json");
    sandbox.write(&file, &whole(ID, &WORDS));
    sandbox.sync();
    let rewound = whole(ID, &WORDS[..2]);
    sandbox.write(&file, &rewound);
    sandbox.sync();
    sandbox.remove(&file);
    assert_eq!(restored(&sandbox), (rewound.clone(), None));
    sandbox.write(&file, &rewound[..rewound.len() - 200]);
    sandbox.sync();
    let (text, lost) = restored(&sandbox);
    assert_eq!(text, rewound);
    assert!(lost.is_some());
}

#[test]
fn a_rewrite_with_something_new_is_how_the_session_stands() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    sandbox.write(&file, &lines(ID, &WORDS));
    sandbox.sync();
    let rewritten = lines(ID, &[WORDS[0], ("g9", "another answer")]);
    sandbox.write(&file, &rewritten);
    sandbox.sync();
    sandbox.remove(&file);
    assert_eq!(restored(&sandbox).0, rewritten);
    // Another session took the file.
    let other = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let others = lines(other, &[("u7", "of another one")]);
    sandbox.write(&file, &others);
    assert_eq!(restored(&sandbox).0, rewritten, "before it is taken in");
    sandbox.sync();
    assert_eq!(restored(&sandbox).0, rewritten);
    assert_eq!(sandbox.journals(other)[0].1, others);
}

#[test]
fn what_the_archive_has_not_taken_in_yet_counts_if_it_is_more() {
    let sandbox = Sandbox::new();
    let file = chat("2f1e0a52.jsonl");
    let short = lines(ID, &WORDS[..2]);
    sandbox.write(&file, &short);
    sandbox.sync();
    let settings = json!({"$set": {"summary": "about numbers"}}).to_string() + "\n";
    for longer in [short + &settings, lines(ID, &WORDS)] {
        sandbox.write(&file, &longer);
        assert_eq!(restored(&sandbox), (longer, None));
    }
}
