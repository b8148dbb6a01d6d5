//! Conversations of Antigravity beside sessions of Gemini CLI.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gemtrail_core::model::{Kind, Role, SessionRow, SessionSource};
use gemtrail_core::project_hash;
use gemtrail_store::{Library, ReadDetail, SessionFilter};
use rusqlite::Connection;

use crate::common::{Sandbox, all_rows};
use crate::made::{self, ID, answer, database_with, insert, proto, step, typed};

const ROOT: &str = "/srv/alice/shop";
const DATABASE: &str =
    ".gemini/antigravity-cli/conversations/3f2b6c1e-5a77-4c0e-9d3b-0a1b2c3d4e5f.db";
const SESSION: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// A conversation in the workspace of a project that Gemini CLI has as well.
fn conversation(words: &str) -> Vec<u8> {
    let workspace = proto().text(7, &format!("file://{ROOT}"));
    let command = proto().text(2, ROOT).number(6, 0);
    let command = command.record(21, &proto().text(1, "needle-output"));
    let steps = [
        typed(words),
        answer(
            "an answer",
            &[("c1", "run_command", "{\"CommandLine\":\"make\"}")],
        ),
        step(21, 28, &command).of_call("c1"),
    ];
    database_with(&steps, |connection| {
        let row = "INSERT INTO trajectory_metadata_blob VALUES ('main', ?1)";
        connection.execute(row, [&workspace.0]).expect("a row");
    })
}

fn put(sandbox: &Sandbox, below: &str, bytes: &[u8]) -> PathBuf {
    let path = sandbox.write(below, "");
    fs::write(&path, bytes).expect("it can be written");
    path
}

/// A home with a session and a conversation of one project.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_session(SESSION);
    sandbox.write(".gemini/tmp/shop/.project_root", ROOT);
    put(&sandbox, DATABASE, &conversation("needle-words"));
    let brain = format!(".gemini/antigravity-cli/brain/{ID}");
    sandbox.write(&format!("{brain}/plan.md"), "needle-plan");
    sandbox.write(
        &format!("{brain}/.system_generated/logs/transcript.jsonl"),
        "{\"step_index\":0,\"type\":\"USER_INPUT\",\"content\":\"needle-line\"}\n",
    );
    sandbox
}

fn of(library: &Library, source: SessionSource) -> Vec<SessionRow> {
    let filter = SessionFilter {
        source: Some(source),
        ..SessionFilter::everything()
    };
    library.rows(&filter)
}

/// Names, bytes and times of everything below a directory.
fn state(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        let modified = entry.metadata().and_then(|it| it.modified());
        if path.is_dir() {
            found.extend(state(&path));
        } else {
            let bytes = fs::read(&path).expect("bytes");
            found.insert(path, (bytes, modified.expect("a time")));
        }
    }
    found
}

#[test]
fn two_sources_are_one_library() {
    let alone = Sandbox::with_session(SESSION);
    alone.write(".gemini/tmp/shop/.project_root", ROOT);
    let sandbox = sandbox();
    let before = state(&sandbox.path(".gemini"));
    sandbox.sync();
    for library in [sandbox.disk_library(), sandbox.library()] {
        assert_eq!(library.projects().len(), 1, "joined by path");
        let [row] = of(&library, SessionSource::Antigravity)
            .try_into()
            .expect("one");
        assert_eq!((row.id.as_str(), row.kind), (ID, Kind::Main));
        let hash = project_hash(ROOT);
        assert_eq!(row.project.hash.as_ref(), Some(&hash));
        assert_eq!(row.project.dir.as_deref(), Some("shop"));
        let session = library.read(row.reference, ReadDetail::Document);
        let session = session.expect("it can be read");
        let roles: Vec<Role> = session.messages.iter().map(|it| it.role).collect();
        assert_eq!(roles, [Role::Human, Role::Assistant]);
        let call = &session.messages[1].tool_calls[0];
        assert_eq!(call.output.as_deref(), Some("needle-output"));
        let mut rest = of(&library, SessionSource::GeminiCli);
        let mut own = all_rows(&alone.disk_library());
        for row in rest.iter_mut().chain(&mut own) {
            row.origin.home = None;
            row.archived = false;
            row.journals.clear();
        }
        assert_eq!(rest, own, "as without Antigravity");
    }
    assert_eq!(sandbox.search("needle-words source:antigravity").len(), 1);
    assert_eq!(sandbox.search("needle-words source:gemini-cli").len(), 0);
    assert!(before == state(&sandbox.path(".gemini")));
}

#[test]
fn the_archive_says_what_the_disk_said() {
    let sandbox = sandbox();
    let read = |library: &Library| {
        let [row] = of(library, SessionSource::Antigravity)
            .try_into()
            .expect("one");
        let session = library
            .read(row.reference, ReadDetail::Document)
            .expect("a session");
        let mut session = serde_json::to_value(&session).expect("JSON");
        session["origin"] = serde_json::Value::Null;
        session
    };
    let disk = read(&sandbox.disk_library());
    sandbox.sync();
    sandbox.remove(".gemini/antigravity-cli");
    assert_eq!(read(&sandbox.library()), disk, "not synced yet");
    sandbox.sync();
    assert_eq!(read(&sandbox.library()), disk);
    sandbox.rebuild();
    assert_eq!(read(&sandbox.library()), disk);
    sandbox.verify();
}

#[test]
fn each_row_is_kept_once_and_comes_back() {
    let sandbox = sandbox();
    let path = sandbox.path(DATABASE);
    let connection = Connection::open(&path).expect("a database");
    let mode = "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0";
    connection.execute_batch(mode).expect("WAL mode");
    for index in 3..60_u32 {
        let letter =
            |n: u32| char::from(b"abcdefghijklmnopqrstuvwxyz"[(n * n * index % 23) as usize]);
        let noise: String = (0..2000).map(letter).collect();
        insert(
            &connection,
            i64::from(index),
            &typed(&format!("{index} {noise}")),
        );
    }
    let stored = || sandbox.number("SELECT sum(length(data)) FROM chunk");
    sandbox.sync();
    let first = stored();
    insert(&connection, 60, &typed("one more"));
    let before = state(&sandbox.path(".gemini"));
    sandbox.sync();
    assert!(
        before == state(&sandbox.path(".gemini")),
        "the engine writes"
    );
    let growth = stored() - first;
    assert!((1..400).contains(&growth), "{growth} bytes for one row");
    let files = sandbox.journals(ID);
    let (file, _) = files
        .iter()
        .find(|(file, _)| file.path == path)
        .expect("the database");
    let mut bytes = Vec::new();
    file.open()
        .and_then(|mut it| it.read_to_end(&mut bytes))
        .expect("bytes");
    let restored = put(&sandbox, "restored.db", &bytes);
    let rows = |connection: &Connection| -> Vec<(i64, Vec<u8>)> {
        let query = "SELECT idx, step_payload FROM steps ORDER BY idx";
        let mut statement = connection.prepare(query).expect("a table");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    };
    let restored = Connection::open(restored).expect("a database");
    assert_eq!(rows(&restored).len(), 61);
    assert_eq!(rows(&restored), rows(&connection));
    let check: String = restored
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("an answer");
    assert_eq!(check, "ok");
}

#[test]
fn a_forgotten_conversation_is_gone() {
    let sandbox = sandbox();
    sandbox.sync();
    assert_eq!(sandbox.search("needle-words").len(), 1);
    sandbox.forget(ID);
    for _ in 0..2 {
        let needles = [
            "needle-words",
            "needle-output",
            "needle-plan",
            "needle-line",
        ];
        for needle in needles {
            assert!(!sandbox.has_bytes(needle), "{needle}");
        }
        assert!(of(&sandbox.library(), SessionSource::Antigravity).is_empty());
        assert_eq!(sandbox.rows().len(), 1);
        // The files are still on disk, and are not taken again.
        sandbox.sync();
    }
    sandbox.verify();
}

#[test]
fn what_is_sealed_is_a_row_and_is_kept() {
    let sandbox = Sandbox::new();
    put(
        &sandbox,
        ".gemini/antigravity/implicit/77777777.pb",
        b"sealed-bytes",
    );
    sandbox.sync();
    sandbox.remove(".gemini/antigravity");
    sandbox.sync();
    let [row] = all_rows(&sandbox.library()).try_into().expect("one");
    assert_eq!(
        (row.kind, row.source),
        (Kind::Sealed, SessionSource::Antigravity)
    );
    let files = sandbox.journals("77777777");
    assert_eq!(files[0].1, "sealed-bytes");
}

#[test]
fn a_database_that_is_none_is_kept_as_it_is() {
    let sandbox = Sandbox::new();
    put(&sandbox, DATABASE, b"no database at all");
    sandbox.sync();
    assert!(of(&sandbox.library(), SessionSource::Antigravity).is_empty());
    put(&sandbox, DATABASE, &made::database(&[typed("good again")]));
    sandbox.sync();
    put(&sandbox, DATABASE, b"");
    sandbox.sync();
    let library = sandbox.library();
    let [row] = of(&library, SessionSource::Antigravity)
        .try_into()
        .expect("one");
    assert_eq!(row.first_prompt.as_deref(), Some("good again"));
    sandbox.verify();
}
