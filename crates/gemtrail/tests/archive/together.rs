//! Several processes at once.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use gemtrail_testkit::corpus::{Corpus, Size};
use serde_json::Value;

use crate::common::{Keeper, Ran, chat, lines, message, without};

const SMALL: Size = Size {
    sessions: 40,
    bytes: 2_000_000,
    projects: 5,
};

/// Taking it in lasts long enough to be interrupted.
const LASTING: Size = Size {
    bytes: 12_000_000,
    ..SMALL
};

fn start(keeper: &Keeper, arguments: &[&str]) -> Child {
    let mut command = keeper.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

fn signal(child: &Child, signal: &str) {
    let mut kill = std::process::Command::new("kill");
    kill.args([signal, &child.id().to_string()]);
    assert!(kill.status().expect("it runs").success());
}

fn wait(child: Child) -> Ran {
    Ran::of(child.wait_with_output().expect("it ends"))
}

/// Everything that can be seen of an archive.
fn seen(keeper: &Keeper) -> Vec<Value> {
    let rows = keeper.list(&["--no-sync"]);
    let hits = ["the", "role:human", "field:tool_output"].map(|query| {
        let ran = keeper.run(&["search", query, "--json", "--limit", "0", "--no-sync"]);
        ran.lines()
    });
    let all = rows.into_iter().chain(hits.into_iter().flatten());
    all.map(|value| without(value, &["home"])).collect()
}

#[test]
fn two_syncs_at_once_are_as_good_as_one() {
    let Some(corpus) = Corpus::generate(SMALL).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let home = corpus.home.to_str().expect("the path is text");
    let fresh = Keeper::new();
    fresh.ok(&["sync", "--home", home]);
    let wanted = seen(&fresh);
    assert!(wanted.len() > 100, "{}", wanted.len());
    for round in 0..4 {
        let keeper = Keeper::new();
        let run = || start(&keeper, &["sync", "--json", "--home", home]);
        let (first, second) = (run(), run());
        let (first, second) = (wait(first).expect(0), wait(second).expect(0));
        let added = |ran: &Ran| ran.lines()[0]["sessions_added"].as_u64();
        assert!(
            added(&first) == Some(0) || added(&second) == Some(0),
            "one of them did the work: {first:?} {second:?}"
        );
        assert_eq!(seen(&keeper), wanted, "round {round}");
        keeper.verify();
    }
}

#[test]
fn searches_during_a_sync_wait_for_nobody() {
    let Some(corpus) = Corpus::generate(LASTING).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let home = corpus.home.to_str().expect("the path is text");
    let keeper = Keeper::new();
    // The archive is there, and a writer holds it for as long as this test lasts.
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &lines("2f1e0a52", &[("u1", "alone")]),
    );
    keeper.sync();
    let file = keeper.archive();
    let file = file.to_str().expect("text");
    let lock = std::fs::File::options()
        .write(true)
        .open(format!("{file}.lock"))
        .expect("the lock is there");
    lock.lock().expect("nobody has it");
    let mut writer = keeper.database();
    let transaction = writer
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .expect("nobody writes");
    transaction
        .execute("UPDATE setting SET value = value", [])
        .expect("it can be written");
    // The program waits ten seconds for a lock: a search that waited would take longer than that.
    let started = Instant::now();
    let searches: Vec<Child> = (0..5)
        .map(|_| start(&keeper, &["search", "alone", "--json"]))
        .collect();
    for search in searches {
        assert_eq!(wait(search).expect(0).lines().len(), 1);
    }
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
    drop(transaction);
    drop(writer);
    drop(lock);

    // And the real thing: while it writes, while it is held up, and while it makes an archive.
    let new = keeper.path("new.db");
    let search = ["search", "the OR alone", "--json", "--limit", "0"];
    let scanned = [&search[..], &["--no-archive", "--home", home]].concat();
    let of_home = keeper.ok(&scanned).lines().len();
    let archive = file;
    // What was never indexed before is found as far as the writer has come.
    for (file, held, is_known) in [
        (archive, false, false),
        (archive, true, true),
        (new.to_str().expect("text"), false, false),
        (archive, false, true),
    ] {
        let arguments = [
            "sync",
            "--rebuild",
            "--json",
            "--home",
            home,
            "--archive",
            file,
        ];
        let sync = start(&keeper, &arguments);
        while !std::path::Path::new(file).exists() {
            std::thread::yield_now();
        }
        if held {
            let draft = keeper.archive().with_extension("index.db.new");
            while !std::fs::metadata(&draft).is_ok_and(|draft| draft.len() > 0) {
                std::thread::yield_now();
            }
            signal(&sync, "-STOP");
        }
        let query = [&search[..], &["--archive", file, "--home", home]].concat();
        let alone = usize::from(file == archive);
        let started = Instant::now();
        let searches: Vec<Child> = (0..20).map(|_| start(&keeper, &query)).collect();
        for search in searches {
            let ran = wait(search);
            assert!(ran.code < Some(2), "{ran:?}");
            if is_known {
                assert_eq!(ran.lines().len(), of_home + alone, "{}", ran.err);
            }
        }
        let each = started.elapsed() / 20;
        assert!(each < Duration::from_secs(3), "{each:?}");
        if held {
            signal(&sync, "-CONT");
        }
        wait(sync).expect(0);
    }
    keeper.verify();
}

#[test]
fn a_file_that_grows_while_it_is_read() {
    let keeper = Keeper::new();
    let id = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
    let file = chat("2f1e0a52.jsonl");
    // Several chunks, of which the last is replaced with every sync.
    let words: Vec<String> = (0..40_000).map(|at| format!("word{at}")).collect();
    let words = words.join(" ");
    let mut content = lines(id, &[("u1", &words), ("g1", &words), ("u2", &words)]);
    keeper.write(&file, &content);
    keeper.sync();
    for round in 0..12 {
        content.push_str(&message(&format!("g{round}x"), "more").to_string());
        content.push('\n');
        keeper.write(&file, &content);
        let sync = start(&keeper, &["sync"]);
        let readers: Vec<Child> = [
            &["show", id, "--json", "--no-sync"][..],
            &["search", "word39999", "--json", "--no-sync"],
            &["list", "--json", "--no-sync"],
        ]
        .into_iter()
        .map(|arguments| start(&keeper, arguments))
        .collect();
        for reader in readers {
            let ran = wait(reader).expect(0);
            assert!(!ran.out.is_empty(), "round {round}: {}", ran.err);
            assert!(
                !ran.out.contains("\"unreadable\""),
                "round {round}: {}",
                ran.err
            );
        }
        wait(sync).expect(0);
    }
    assert_eq!(keeper.show(id)["counts"]["messages"], 15);
    keeper.verify();
}

#[test]
fn after_waiting_it_looks_again() {
    let keeper = Keeper::new();
    keeper.write(
        &chat("2f1e0a52.jsonl"),
        &lines("2f1e0a52", &[("u1", "one")]),
    );
    keeper.sync();
    let lock = format!("{}.lock", keeper.archive().display());
    let lock = std::fs::File::options()
        .write(true)
        .open(lock)
        .expect("the lock is there");
    lock.lock().expect("nobody has it");
    let mut waiting = keeper.command(&["sync", "--json"]);
    waiting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = waiting.spawn().expect("the binary runs");
    // It says that it waits, after it has looked.
    let mut said = String::new();
    let stderr = waiting.stderr.take().expect("it is a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut said).expect("a line");
    assert!(said.contains("waiting"), "{said}");
    keeper.write(
        &chat("3a1e0a52.jsonl"),
        &lines("3a1e0a52", &[("u1", "two")]),
    );
    drop(lock);
    let ran = wait(waiting).expect(0);
    assert_eq!(ran.lines()[0]["sessions_added"], 1);
    let rows = keeper.list(&["--no-sync"]);
    assert!(rows.iter().all(|row| row["on_disk"] == true));
}
