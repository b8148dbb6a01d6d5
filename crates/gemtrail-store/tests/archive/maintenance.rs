//! Facts about an archive, checks and backups.

use std::fs;

use gemtrail_store::archive::{Archive, ArchiveError};

use crate::common::{Sandbox, chat, lines, rows, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// Taken in one by one, so that the rows are in this order.
fn two_sessions() -> Sandbox {
    let sandbox = Sandbox::new();
    let first = lines(ID, &[("u1", "one"), ("g1", "first")]);
    sandbox.write(&chat("2f1e0a52.jsonl"), &first);
    sandbox.sync();
    let second = whole(OTHER, &[("u1", "two"), ("g1", "second")]);
    sandbox.write(&chat("3a1e0a52.json"), &second);
    sandbox.sync();
    sandbox
}

#[test]
fn info_counts_what_is_there() {
    let sandbox = two_sessions();
    let info = sandbox.info();
    assert_eq!((info.files, info.files_gone, info.versions), (2, 0, 2));
    assert_eq!((info.sessions, info.messages, info.forgotten), (2, 4, 0));
    let size = |below: String| {
        let metadata = fs::metadata(sandbox.path(&below));
        metadata.expect("it exists").len()
    };
    let bytes = size(chat("2f1e0a52.jsonl")) + size(chat("3a1e0a52.json"));
    assert_eq!((info.source_bytes, info.history_bytes), (bytes, bytes));
    assert_eq!(info.homes[0].files, 2);
    assert_eq!(info.growth[0].bytes, bytes);
    sandbox.remove(&chat("3a1e0a52.json"));
    sandbox.sync();
    assert_eq!(sandbox.info().files_gone, 1);
}

#[test]
fn verify_names_what_does_not_hold() {
    // The damage to the archive, and a part of the expected message.
    let damages = [
        (
            "UPDATE chunk SET data = CAST(substr(data, 1, 20) || x'00' || substr(data, 22) AS BLOB) WHERE id = 1",
            "chunk 1 ",
        ),
        (
            "UPDATE chunk SET data = zeroblob(9) WHERE id = 2",
            "chunk 2 cannot be unpacked",
        ),
        ("DELETE FROM chunk WHERE id = 1", "content 1 lacks chunk 1"),
        (
            "UPDATE chunk SET refs = 7 WHERE id = 1",
            "chunk 1 is counted 6 times too many",
        ),
        (
            "DELETE FROM content WHERE id = 1",
            "version 1 has no content",
        ),
        (
            "UPDATE content SET bytes = bytes + 1 WHERE id = 2",
            "content 2 has changed",
        ),
        (
            "UPDATE version SET bytes = bytes + 1 WHERE id = 2",
            "version 2 has no content of its length",
        ),
        (
            "DELETE FROM version WHERE id = 2",
            "1 contents without version",
        ),
        (
            "DELETE FROM file WHERE id = 1",
            "version 1 belongs to no file",
        ),
        (
            "DELETE FROM session WHERE id = 1",
            "messages without session",
        ),
        ("DELETE FROM project", "2 sessions without project"),
        (
            "DELETE FROM unit WHERE id = 1",
            "1 sessions that lack texts",
        ),
        (
            "DELETE FROM words WHERE rowid = 1",
            "1 texts that cannot be found",
        ),
    ];
    let sandbox = two_sessions();
    sandbox.verify();
    let whole = sandbox.bytes();
    for (sql, wanted) in damages {
        let database = sandbox.database();
        database
            .pragma_update(None, "foreign_keys", false)
            .expect("it can be set");
        assert_eq!(database.execute(sql, []).expect(sql).min(1), 1, "{sql}");
        drop(database);
        let check = sandbox.check();
        assert!(!check.ok, "{sql}");
        let problems = check.problems.join("\n");
        assert!(problems.contains(wanted), "{sql}: {problems}");
        sandbox.put_bytes(&whole);
    }
    sandbox.verify();
}

#[test]
fn an_index_of_another_archive_is_not_used() {
    let sandbox = two_sessions();
    let backup = sandbox.path("copy.db");
    sandbox
        .archive()
        .backup(&backup)
        .expect("it can be written");
    let listed = rows(&sandbox.library());
    // The archive is deleted, but not its index.
    sandbox.remove("archive.db");
    sandbox.sync();
    sandbox.verify();
    assert_eq!(rows(&sandbox.library()).len(), listed.len());
    // An earlier copy takes the place of an archive that went on.
    sandbox.remove("archive.db");
    sandbox.rename("copy.db", "archive.db");
    assert_eq!(rows(&sandbox.library()), listed);
    sandbox.verify();
}

#[test]
fn a_backup_is_a_whole_archive_and_replaces_nothing() {
    let sandbox = two_sessions();
    let listed = rows(&sandbox.library());
    let to = sandbox.path("copy.db");
    sandbox.archive().backup(&to).expect("it can be written");
    let again = sandbox.archive().backup(&to);
    assert!(
        matches!(again, Err(ArchiveError::Exists { .. })),
        "{again:?}"
    );
    sandbox.remove("archive.db");
    sandbox.rename("copy.db", "archive.db");
    sandbox.verify();
    assert_eq!(rows(&sandbox.library()), listed);
}

#[test]
#[cfg(unix)]
fn only_its_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = two_sessions();
    let archive = sandbox.archive();
    archive
        .backup(&sandbox.path("copy.db"))
        .expect("it can be written");
    // Readers leave SQLite's side files next to it.
    let mut seen = 0;
    for entry in fs::read_dir(sandbox.path("")).expect("it can be read") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let holds_text = name.contains(".db") && !name.ends_with(".lock");
        if holds_text {
            let mode = entry.metadata().expect("it exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 2, "{seen}");
}

#[test]
fn a_backup_that_fails_leaves_nothing() {
    let sandbox = two_sessions();
    sandbox.write("file", "x");
    for below in ["file/copy.db", "missing/copy.db"] {
        let outcome = sandbox.archive().backup(&sandbox.path(below));
        assert!(outcome.is_err(), "{below}");
    }
    assert!(!sandbox.path("missing").exists());
    // The middle of the database is gone.
    let mut bytes = fs::read(sandbox.archive_path()).expect("it can be read");
    let half = bytes.len() / 2;
    bytes[half..].fill(0xff);
    fs::write(sandbox.archive_path(), &bytes).expect("it can be written");
    let to = sandbox.path("copy.db");
    let opened = Archive::open(&sandbox.archive_path());
    let outcome = opened.and_then(|archive| archive.backup(&to));
    assert!(outcome.is_err());
    assert!(!to.exists());
}
