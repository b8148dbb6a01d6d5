//! Databases on disk: while they are written, after a kill, and damaged.

mod common;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use common::made::{ID, answer, create, database, database_with, insert, proto, step, typed};
use common::{Home, conversation_of, files};
use gemtrail_antigravity::{ConversationRows, Snapshot, image};
use gemtrail_core::model::{Code, Session};
use proptest::prelude::*;
use rusqlite::Connection;

/// The number of steps that a snapshot has.
fn steps_at(path: &Path) -> usize {
    let snapshot = Snapshot::take(path).expect("a snapshot");
    let rows = ConversationRows::from_database(&snapshot.image).expect("rows");
    assert!(rows.findings.is_empty(), "{:?}", rows.findings);
    rows.steps.len()
}

fn in_wal_mode(path: &Path) -> Connection {
    let connection = create(path);
    let mode = "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 7;";
    connection.execute_batch(mode).expect("WAL mode");
    connection
}

#[test]
fn what_is_only_in_the_log_is_read_and_nothing_is_left_behind() {
    let home = Home::empty();
    let path = home
        .dot_gemini()
        .join(format!("antigravity/conversations/{ID}.db"));
    let connection = in_wal_mode(&path);
    let never = "PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE);";
    connection.execute_batch(never).expect("a checkpoint");
    for index in 0..20 {
        insert(&connection, index, &typed(&"long ".repeat(2000)));
    }
    connection.execute_batch("BEGIN").expect("a transaction");
    insert(&connection, 20, &typed("not committed"));
    let alone = image(fs::read(&path).expect("bytes"), &[]);
    assert_eq!(
        ConversationRows::from_database(&alone)
            .expect("rows")
            .steps
            .len(),
        0
    );
    let before = home.fingerprint();
    assert_eq!(steps_at(&path), 20);
    assert!(before == home.fingerprint());
    connection.execute_batch("COMMIT").expect("a commit");
    assert_eq!(steps_at(&path), 21);
    let shrink = "DELETE FROM steps WHERE idx > 0; VACUUM;";
    connection
        .execute_batch(shrink)
        .expect("a smaller database");
    assert_eq!(steps_at(&path), 1);
    drop(connection);
    let before = home.fingerprint();
    assert_eq!(steps_at(&path), 1);
    assert!(before == home.fingerprint());
    assert_eq!(files(&home.dot_gemini()), [path]);
}

#[test]
fn a_log_may_end_anywhere() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.db");
    let connection = in_wal_mode(&path);
    let never = "PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE);";
    connection.execute_batch(never).expect("a checkpoint");
    for index in 0..3 {
        insert(&connection, index, &typed("words"));
    }
    let bytes = fs::read(&path).expect("bytes");
    let log = fs::read(dir.path().join("a.db-wal")).expect("a log");
    let mut last = 0;
    for end in (0..=log.len()).step_by(101).chain([log.len()]) {
        let rows =
            ConversationRows::from_database(&image(bytes.clone(), &log[..end])).expect("rows");
        assert!(rows.findings.is_empty() && rows.steps.len() >= last);
        last = rows.steps.len();
    }
    assert_eq!(last, 3);
}

/// Snapshots during checkpoints, restarts of the log and the end of the writer are whole, and never
/// go back.
#[test]
fn a_database_can_be_read_while_it_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.db");
    let connection = in_wal_mode(&path);
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut connection = Some(connection);
            for index in 0..400 {
                let open = connection.take().unwrap_or_else(|| {
                    let open = Connection::open(&path).expect("a database");
                    let often = "PRAGMA wal_autocheckpoint = 5";
                    open.execute_batch(often).expect("a setting");
                    open
                });
                let step = if index % 3 == 0 {
                    typed(&"word ".repeat(3000))
                } else {
                    answer("short", &[])
                };
                insert(&open, index, &step);
                // Every now and then the engine ends, which removes the log.
                connection = (index % 50 != 49).then_some(open);
            }
            has_ended.store(true, Ordering::Relaxed);
        });
        let mut last = 0;
        let mut count = 0;
        while !has_ended.load(Ordering::Relaxed) {
            let Ok(snapshot) = Snapshot::take(&path) else {
                continue;
            };
            let rows = ConversationRows::from_database(&snapshot.image).expect("rows");
            assert!(rows.findings.is_empty(), "{:?}", rows.findings);
            assert!(
                rows.steps.len() >= last,
                "{} after {last}",
                rows.steps.len()
            );
            last = rows.steps.len();
            count += 1;
        }
        assert!(count > 0);
    });
    assert_eq!(steps_at(&path), 400);
}

#[test]
fn files_that_are_no_databases_are_errors() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(Snapshot::take(dir.path()).is_err());
    assert!(Snapshot::take(&dir.path().join("none.db")).is_err());
    assert!(ConversationRows::from_database(b"").is_err());
    assert!(
        ConversationRows::from_database(b"no database, but long enough to look like one").is_err()
    );
}

#[test]
fn a_view_that_never_ends_is_not_asked() {
    let image = database_with(&[], |connection| {
        let view = "DROP TABLE steps; CREATE VIEW steps AS WITH RECURSIVE n(i) AS \
                    (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS idx, 0 AS step_type, \
                    0 AS status, x'00' AS step_payload FROM n WHERE i < 0;";
        connection.execute_batch(view).expect("a view");
    });
    assert!(ConversationRows::from_database(&image).is_err());
}

/// A database with a bit of everything.
fn sample() -> Vec<u8> {
    static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(make_sample);
    SAMPLE.clone()
}

fn make_sample() -> Vec<u8> {
    let command = proto().text(2, "/work").number(6, 0);
    let command = command.record(21, &proto().text(1, "out"));
    database(&[
        typed("one"),
        answer(
            "two",
            &[("c1", "run_command", "{}"), ("c2", "view_file", "{}")],
        ),
        step(21, 28, &command).of_call("c1"),
        step(8, 14, &proto().text(4, "text"))
            .of_call("c2")
            .status(2),
        step(23, 30, &proto().text(5, "so far")),
        step(999, 77, &proto().text(1, "new")),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is wrong with a database, reading it ends, and every step that was read is there.
    #[test]
    fn damaged_databases_are_read_as_far_as_possible(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 1..40),
        log in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut bytes = sample();
        for (at, flip) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        if let Ok(rows) = ConversationRows::from_database(&image(bytes, &log)) {
            let session = conversation_of(&rows).session;
            prop_assert!(session.messages.len() <= rows.steps.len());
            let _ = serde_json::to_string(&session).expect("JSON");
        }
    }

    /// The same for the bytes of steps, which are most of a database.
    #[test]
    fn damaged_steps_are_never_lost(
        step in 0..6usize,
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 1..6),
    ) {
        let mut rows = ConversationRows::from_database(&sample()).expect("rows");
        let payload = &mut rows.steps[step].payload;
        for (at, flip) in flips {
            let at = at.index(payload.len());
            payload[at] ^= flip;
        }
        let session = conversation_of(&rows).session;
        let json = serde_json::to_string(&session).expect("JSON");
        prop_assert!(serde_json::from_str::<Session>(&json).is_ok());
        let findings = session.diagnostics.iter();
        let kept = findings.filter(|it| matches!(it.code, Code::DamagedStep | Code::UnknownType));
        let messages = session.messages.iter();
        let with_bytes = messages.filter(|it| it.extra.get("payload").is_some());
        prop_assert_eq!(kept.count(), with_bytes.count());
    }
}
