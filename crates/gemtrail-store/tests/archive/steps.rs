//! While someone works, only what changed is examined. The result must be the same as after
//! examining everything.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use gemtrail_store::archive::SyncOptions;
use gemtrail_store::{Hints, Library};
use gemtrail_testkit::fixtures;
use serde_json::Value;

use crate::common::{Sandbox, chat, lines, log, message, rows, taught};

/// Everything in the index, without row ids.
const TABLES: [&str; 8] = [
    "SELECT host, dir, hash, path, path_source, dirs FROM project",
    "SELECT dir, session.*, prompts, hex(prompted.logged), hex(said), line.json, facts.json
     FROM session JOIN project ON project.id = session.project
     JOIN prompted ON prompted.session = session.id JOIN line ON line.session = session.id
     JOIN facts ON facts.session = session.id",
    "SELECT session.session, parent, first, file, version FROM journal JOIN session ON session.id = journal.session",
    "SELECT session.session, parent, first, name, version FROM output JOIN session ON session.id = output.session",
    "SELECT session.session, parent, first, message.* FROM message JOIN session ON session.id = message.session",
    "SELECT session.session, parent, first, tool_call.* FROM tool_call JOIN session ON session.id = tool_call.session",
    "SELECT session.session, parent, first, code, journal, line, message FROM diagnostic
     JOIN session ON session.id = diagnostic.session",
    "SELECT session.session, parent, first, number, message, call, field, role, state, time, length, text
     FROM unit JOIN session ON session.id = unit.session",
];

/// From how many bytes on a session is long.
const NONE_IS_LONG: u64 = u64::MAX;
const ALL_ARE_LONG: u64 = 0;

fn tables(sandbox: &Sandbox) -> Vec<Vec<String>> {
    let database = sandbox.database();
    let rows_of = |sql: &&str| {
        let mut statement = database.prepare(sql).expect("the table is there");
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).expect("it can be read");
        let mut all = Vec::new();
        while let Some(row) = rows.next().expect("a row") {
            let mut text = String::new();
            for (at, name) in names.iter().enumerate() {
                let value = row.get_ref(at).expect("a value");
                // Row ids and numbers of changes may differ.
                let is_number = matches!(value, rusqlite::types::ValueRef::Integer(_));
                let is_aside = ["session", "id", "added", "change"].contains(&name.as_str());
                if !is_aside || !is_number {
                    write!(text, "{name}={value:?} ").expect("text takes it");
                }
            }
            all.push(text);
        }
        all.sort_unstable();
        all
    };
    TABLES.iter().map(rows_of).collect()
}

/// What was taken in step by step equals what is rebuilt from all of it.
#[track_caller]
fn assert_as_rebuilt(sandbox: &Sandbox, homes: &[&str]) {
    let (then, words) = (tables(sandbox), sandbox.words());
    // Long sessions are taken in message by message, others as a whole.
    for long_from in [NONE_IS_LONG, ALL_ARE_LONG] {
        let options = SyncOptions {
            rebuild: true,
            long_from,
            ..sandbox.options()
        };
        sandbox.sync_found(&sandbox.homes(homes), &options);
        for (sql, (then, now)) in TABLES.iter().zip(then.iter().zip(&tables(sandbox))) {
            for (then, now) in then.iter().zip(now) {
                assert_eq!(then, now, "{sql}");
            }
            assert_eq!(then.len(), now.len(), "{sql}");
        }
        sandbox.verify();
    }
    assert_eq!(words, sandbox.words());
}

/// The first parts of a file, as it was while being written.
fn part(path: &Path, bytes: &[u8], step: usize, steps: usize) -> Vec<u8> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let share = |count: usize| count * step / steps;
    if name.ends_with(".jsonl") {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        return lines[..share(lines.len()).max(1).min(lines.len())].concat();
    }
    if name == "logs.json"
        && let Ok(Value::Array(entries)) = serde_json::from_slice(bytes)
    {
        let first = &entries[..share(entries.len())];
        return serde_json::to_vec_pretty(first).expect("it is JSON");
    }
    bytes.to_owned()
}

fn copy_part(from: &Path, to: &Path, step: usize, steps: usize) {
    for entry in fs::read_dir(from).expect("it can be read").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_part(&path, &to, step, steps);
            continue;
        }
        let bytes = part(
            &path,
            &fs::read(&path).expect("it can be read"),
            step,
            steps,
        );
        if fs::read(&to).ok().as_ref() != Some(&bytes) {
            fs::create_dir_all(to.parent().expect("it is in one")).expect("it can be made");
            fs::write(to, bytes).expect("it can be written");
        }
    }
}

#[test]
fn growing_homes_are_taken_in_as_if_at_once() {
    growing_homes_are_taken_in(NONE_IS_LONG);
}

#[test]
fn so_are_growing_homes_of_long_sessions() {
    growing_homes_are_taken_in(ALL_ARE_LONG);
}

fn growing_homes_are_taken_in(long_from: u64) {
    const STEPS: usize = 4;
    let mut sandbox = Sandbox::new();
    sandbox.options.long_from = long_from;
    let mut homes = Vec::new();
    for (number, fixture) in fixtures().enumerate() {
        homes.push((fixture.home.clone(), format!("homes/{number}")));
    }
    let dirs: Vec<&str> = homes.iter().map(|(_, dir)| dir.as_str()).collect();
    let mut changed = 0;
    for step in 1..=STEPS {
        for (from, dir) in &homes {
            copy_part(from, &sandbox.path(dir).join(".gemini"), step, STEPS);
        }
        let report = sandbox.sync_found(&sandbox.homes(&dirs), &sandbox.options());
        changed += report.sessions_changed;
    }
    assert!(changed > 100, "{changed}");
    assert_as_rebuilt(&sandbox, &dirs);
}

const FIRST: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const SECOND: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const THIRD: &str = "4b1e0a52-aaaa-4bbb-8ccc-0123456789ab";

#[test]
fn what_is_said_in_one_session_settles_what_is_logged_of_others() {
    let sandbox = Sandbox::new();
    let logs = ".gemini/tmp/shop/logs.json";
    let number = |id: &str, field: &str| {
        let rows = sandbox.rows();
        let row = rows.iter().find(|row| row["id"] == id);
        row.map(|row| row[field].as_u64().expect("a number"))
    };
    sandbox.write(".gemini/tmp/shop/.project_root", "/srv/demo/shop");
    sandbox.write(
        &chat("2f1e0a52.jsonl"),
        &lines(FIRST, &[("u1", "hello"), ("g1", "yes")]),
    );
    sandbox.write(
        &chat("3a1e0a52.jsonl"),
        &lines(SECOND, &[("u1", "again"), ("g1", "yes")]),
    );
    // All of it was typed at the time of `u2`.
    let said = message("u2", "")["timestamp"].clone();
    let said = said.as_str().expect("a time");
    let mut typed = vec![
        (FIRST, "hello"),
        (FIRST, "lost words"),
        (THIRD, "never seen"),
    ];
    sandbox.write(logs, &log(said, &typed));
    sandbox.sync();
    assert_eq!(number(FIRST, "logged_count"), Some(1));
    assert_eq!(number(THIRD, "logged_count"), Some(1));

    // The second session turns out to have said what was logged under the id of the first.
    let more = [("u1", "again"), ("g1", "yes"), ("u2", "lost words")];
    sandbox.write(&chat("3a1e0a52.jsonl"), &lines(SECOND, &more));
    let report = sandbox.sync();
    assert_eq!(report.sessions_changed, 2);
    assert_eq!(number(FIRST, "logged_count"), Some(0));
    assert_as_rebuilt(&sandbox, &[""]);

    // What only the log had gets a journal; the log goes on; a subagent works for the first
    // session.
    sandbox.write(
        &chat("4b1e0a52.jsonl"),
        &lines(THIRD, &[("u1", "never seen")]),
    );
    let agent = format!(".gemini/tmp/shop/chats/{FIRST}/agent-1.jsonl");
    sandbox.write(
        &agent,
        &lines("agent-1", &[("u1", "look it up"), ("g1", "done")]),
    );
    typed.push((SECOND, "/quit"));
    sandbox.write(logs, &log(said, &typed));
    let report = sandbox.sync();
    // The third was known from the log.
    assert_eq!((report.sessions_added, report.sessions_changed), (1, 3));
    assert_eq!(number(THIRD, "logged_count"), Some(0));
    assert_eq!(number(SECOND, "logged_count"), Some(1));
    assert_eq!(number(FIRST, "subagent_count"), Some(1));
    assert_as_rebuilt(&sandbox, &[""]);

    // A journal that becomes another session.
    sandbox.write(
        &chat("2f1e0a52.jsonl"),
        &lines(SECOND, &[("u9", "moved"), ("g9", "yes")]),
    );
    sandbox.sync();
    assert_as_rebuilt(&sandbox, &[""]);
}

#[test]
fn a_path_that_is_taught_later_is_known_at_once() {
    let mut sandbox = Sandbox::new();
    // The digest of a path that is not in any file.
    let hash = gemtrail_core::project_hash("/srv/demo/hidden");
    let file = format!(".gemini/tmp/{hash}/chats/session-2026-06-01T10-00-2f1e0a52.jsonl");
    sandbox.write(&file, &lines(FIRST, &[("u1", "hello"), ("g1", "yes")]));
    sandbox.sync();
    let path = |library: Library| rows(&library)[0]["project"]["path"].clone();
    assert_eq!(path(sandbox.library()), Value::Null);
    sandbox.options.hints = taught(&["/srv/demo/hidden"]);
    assert_eq!(path(sandbox.library()), "/srv/demo/hidden", "before a sync");
    assert_eq!(path(sandbox.disk_library()), "/srv/demo/hidden");
    sandbox.sync();
    // The archive knows it even where nothing else does.
    sandbox.options.hints = Hints::default();
    sandbox.rebuild();
    assert_eq!(path(sandbox.disk_library()), Value::Null);
    assert_eq!(path(sandbox.library()), "/srv/demo/hidden");
}
