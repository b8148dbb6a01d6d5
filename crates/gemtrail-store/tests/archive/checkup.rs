//! A check-up says the same whether it reads a journal or the archive knows enough of it.

use gemtrail_store::doctor::{DoctorOptions, Report, SystemSettings};
use gemtrail_testkit::fixtures;

use crate::common::{Sandbox, chat, copy, lines, log};

const IDS: [&str; 4] = [
    "11111111-aaaa-4bbb-8ccc-0123456789ab",
    "22222222-aaaa-4bbb-8ccc-0123456789ab",
    "33333333-aaaa-4bbb-8ccc-0123456789ab",
    "44444444-aaaa-4bbb-8ccc-0123456789ab",
];

fn options() -> DoctorOptions {
    DoctorOptions {
        now: "2026-06-02T10:00:00Z".parse().expect("a time"),
        system: SystemSettings::default(),
        archive: Vec::new(),
    }
}

/// What is unknown is looked for in the newest sessions, and those are always read.
fn comparable(mut report: Report) -> Report {
    report.unknown.clear();
    report
}

/// Compares both ways. Returns how many journals the archive knows enough of.
#[track_caller]
fn assert_same(sandbox: &Sandbox, what: &str) -> u64 {
    let library = sandbox.disk_library();
    let at = &sandbox.options.whereabouts;
    let known = sandbox.archive().known_journals(library.homes(), at, 0);
    let known = known
        .expect("the views can be read")
        .expect("they are fresh");
    let read = comparable(library.examine(&options()));
    let beside = comparable(library.examine_beside(&known, &options()));
    assert_eq!(read, beside, "{what}");
    let database = sandbox.database();
    let count = database.query_row("SELECT count(*) FROM checkup", [], |row| row.get(0));
    count.expect("the table is there")
}

#[test]
fn every_recorded_home_is_judged_the_same() {
    let mut known = 0;
    for fixture in fixtures() {
        let sandbox = Sandbox::new();
        copy(&fixture.home, &sandbox.path(".gemini")).expect("it can be copied");
        sandbox.sync();
        known += assert_same(&sandbox, &fixture.name());
    }
    assert!(known > 10, "most sessions are plain, but only {known} were");
}

#[test]
fn what_changed_since_is_read() {
    let sandbox = Sandbox::new();
    let file = |n: usize| chat(&format!("{}.jsonl", &IDS[n][..8]));
    for (n, id) in IDS.iter().enumerate() {
        let said = format!("question {n}");
        sandbox.write(&file(n), &lines(id, &[("u1", &said), ("g1", "answer")]));
    }
    let logged = [
        (IDS[0], "question 0"),
        ("gone", "question 1"),
        ("gone", "never said anywhere"),
    ];
    let logged = log("2026-06-01T10:00:00.000Z", &logged);
    sandbox.write(".gemini/tmp/shop/logs.json", &logged);
    sandbox.sync();
    assert_eq!(assert_same(&sandbox, "nothing changed"), 4);
    sandbox.write(&file(0), &lines(IDS[0], &[("u1", "question 0")]));
    assert_same(&sandbox, "a shorter file");
    let agent = format!(".gemini/tmp/shop/chats/{}/agent.jsonl", IDS[1]);
    sandbox.write(&agent, &lines("agent", &[("u1", "work"), ("g1", "done")]));
    assert_same(&sandbox, "a subagent of a known session");
    sandbox.write(&chat("other.jsonl"), &lines(IDS[2], &[("u9", "elsewhere")]));
    assert_same(&sandbox, "another file of a known session");
    sandbox.remove(&file(3));
    assert_same(&sandbox, "a file is gone");
    sandbox.sync();
    assert_eq!(assert_same(&sandbox, "synced"), 1, "the one that is gone");
}
