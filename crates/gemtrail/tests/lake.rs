//! `lake`, by the built binary. What engines make of the files is checked in `tests/lake`.
#![cfg(feature = "lake")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;
use support::{Person, Ran};

const JUNE: &str = "2f1e0a52-0000-4000-8000-000000000001";
const JULY: &str = "3dbd4d2a-0000-4000-8000-000000000002";

fn chat(id: &str, month: &str, project: &str) -> String {
    format!(
        ".gemini/tmp/{project}/chats/session-2026-{month}-01T10-00-{}.jsonl",
        &id[..8]
    )
}

fn journal(id: &str, month: &str, words: &str) -> String {
    let time = |minute: u8| format!("2026-{month}-01T10:{minute:02}:00.000Z");
    let answer = serde_json::json!({"id": "aaaa", "timestamp": time(2), "type": "gemini",
        "model": "gemini-3-pro-preview", "content": format!("answer {words}"),
        "thoughts": [{"subject": words, "description": words, "timestamp": time(2)}],
        "tokens": {"input": 7, "output": 3, "cached": 1, "thoughts": 2, "tool": 0, "total": 12},
        "toolCalls": [
            {"id": format!("mcp_{words}_echo-1"), "name": format!("mcp_{words}_echo"),
             "args": {"text": words}, "status": "success", "timestamp": time(3),
             "result": [{"functionResponse": {"id": "x", "name": "x", "response": {"output": words}}}]},
            {"id": "read_file-2", "name": "read_file", "args": {"file_path": words},
             "status": "error", "timestamp": time(3),
             "result": [{"functionResponse": {"id": "x", "name": "x", "response": {"error": words}}}]}]});
    let header = serde_json::json!({"sessionId": id, "projectHash": words, "summary": words,
        "startTime": time(0), "lastUpdated": time(5)});
    let prompt = serde_json::json!({"id": "bbbb", "timestamp": time(1), "type": "user",
        "content": [{"text": format!("prompt {words}")}]});
    format!("{header}\n{prompt}\n{answer}\n")
}

/// Two sessions, in June and in July, in two projects.
fn person() -> Person {
    let person = Person::new();
    for (id, month, project) in [(JUNE, "06", "planted-one"), (JULY, "07", "planted-two")] {
        person.write(&chat(id, month, project), &journal(id, month, "planted"));
        let root = person.home().join("src").join(project);
        let marker = format!(".gemini/tmp/{project}/.project_root");
        person.write(&marker, &root.to_string_lossy());
    }
    person
}

fn lake(person: &Person, more: &[&str]) -> Value {
    let ran = run(person, more, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.out).expect("a document")
}

fn run(person: &Person, more: &[&str], system: &str) -> Ran {
    let system = person.write("bounds.toml", system);
    let system = system.to_string_lossy();
    let arguments = [&["lake", "lake", "--json"][..], more].concat();
    person.run_in(
        &person.home(),
        &arguments,
        &[("GEMTRAIL_SYSTEM_CONFIG", &system)],
    )
}

/// Every file of the lake: its bytes and when it was written.
fn files(person: &Person) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let lake = person.home().join("lake");
    let mut files = BTreeMap::new();
    collect(&lake, &lake, &mut files);
    files
}

fn collect(lake: &Path, dir: &Path, files: &mut BTreeMap<String, (Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(lake, &path, files);
            continue;
        }
        let name = path
            .strip_prefix(lake)
            .expect("it is below")
            .to_string_lossy();
        let time = fs::metadata(&path)
            .and_then(|it| it.modified())
            .expect("a time");
        files.insert(
            name.replace('\\', "/"),
            (fs::read(&path).expect("bytes"), time),
        );
    }
}

/// The data files, without the name of the origin.
fn tables(person: &Person) -> Vec<String> {
    let names = files(person).into_keys();
    let names = names.filter_map(|name| {
        Some(
            name.strip_suffix(".parquet")?
                .rsplit_once('/')?
                .0
                .to_owned(),
        )
    });
    names.collect()
}

fn changed(
    before: &BTreeMap<String, (Vec<u8>, SystemTime)>,
    after: &BTreeMap<String, (Vec<u8>, SystemTime)>,
) -> Vec<String> {
    let names = after
        .iter()
        .filter(|(name, file)| before.get(*name) != Some(file));
    let tables = names.filter(|(name, _)| name.ends_with(".parquet"));
    tables
        .map(|(name, _)| name.rsplit_once('/').expect("a directory").0.to_owned())
        .collect()
}

#[test]
fn a_second_run_writes_nothing() {
    let person = person();
    let first = lake(&person, &[]);
    assert_eq!(first["written"], 7, "{first}");
    assert_eq!(
        tables(&person),
        [
            "v1/projects",
            "v1/requests/month=2026-06",
            "v1/requests/month=2026-07",
            "v1/sessions/month=2026-06",
            "v1/sessions/month=2026-07",
            "v1/tool_calls/month=2026-06",
            "v1/tool_calls/month=2026-07",
        ]
    );
    let before = files(&person);
    let second = lake(&person, &[]);
    assert_eq!(
        (&second["written"], &second["removed"]),
        (&0.into(), &0.into())
    );
    assert_eq!(files(&person), before);
    let check = run(&person, &["--check"], "");
    assert_eq!(check.code, Some(0), "{check:?}");
}

#[test]
fn one_message_changes_one_month() {
    let person = person();
    lake(&person, &[]);
    let before = files(&person);
    let path = chat(JUNE, "06", "planted-one");
    let mut text = journal(JUNE, "06", "planted");
    text.push_str(r#"{"id":"cccc","timestamp":"2026-06-01T10:06:00.000Z","type":"gemini","content":"x","model":"gemini-3-pro-preview","tokens":{"input":1,"output":1,"cached":0,"thoughts":0,"tool":0,"total":2}}"#);
    text.push('\n');
    person.write(&path, &text);
    lake(&person, &[]);
    let changed = changed(&before, &files(&person));
    // The last time of the project is in `projects`.
    let expected = [
        "v1/projects",
        "v1/requests/month=2026-06",
        "v1/sessions/month=2026-06",
    ];
    assert_eq!(changed, expected);
}

/// Counts, times and sizes are all the same.
#[test]
fn an_edit_of_the_same_length_is_noticed() {
    for is_archived in [true, false] {
        let person = person();
        let sync = || {
            if is_archived {
                assert_eq!(person.run(&["sync"]).code, Some(0));
            }
        };
        sync();
        lake(&person, &["--level", "full"]);
        let before = files(&person);
        let text = journal(JUNE, "06", "planted");
        let edited = text.replace("answer planted", "answer changed");
        assert_eq!(text.len(), edited.len());
        person.write(&chat(JUNE, "06", "planted-one"), &edited);
        sync();
        lake(&person, &["--level", "full"]);
        let changed = changed(&before, &files(&person));
        assert!(
            changed.contains(&"v1/messages/month=2026-06".to_owned()),
            "{changed:?}"
        );
        assert!(!changed.iter().any(|it| it.contains("2026-07")));
    }
}

#[test]
fn the_archive_and_the_disk_make_the_same_bytes() {
    let tables = |person: &Person| {
        let mut files = files(person);
        files.retain(|name, _| name.ends_with(".parquet"));
        let bytes = files.into_iter().map(|(name, (bytes, _))| (name, bytes));
        bytes.collect::<BTreeMap<_, _>>()
    };
    for level in ["metrics", "redacted", "full"] {
        let person = person();
        lake(&person, &["--level", level]);
        let from_disk = tables(&person);
        fs::remove_dir_all(person.home().join("lake")).expect("removed");
        assert_eq!(person.run(&["sync"]).code, Some(0));
        lake(&person, &["--level", level]);
        assert_eq!(tables(&person), from_disk, "{level}");
    }
}

#[test]
fn a_secret_in_a_path_is_not_in_a_redacted_lake() {
    let person = person();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let marker = ".gemini/tmp/planted-one/.project_root";
    person.write(marker, &format!("/srv/{secret}/app-{secret}"));
    lake(&person, &["--level", "redacted"]);
    let ran = run(&person, &["--explain", "--level", "redacted"], "");
    assert!(!ran.out.contains(secret), "{}", ran.out);
    for (name, (bytes, _)) in files(&person) {
        let has = bytes
            .windows(secret.len())
            .any(|it| it == secret.as_bytes());
        assert!(!has, "{name}");
    }
}

#[test]
fn not_a_word_is_in_metrics() {
    let person = person();
    lake(&person, &[]);
    let host = gethost();
    for (name, (bytes, _)) in files(&person) {
        for word in ["planted", "echo", "src", host.as_str()] {
            let has = bytes.windows(word.len()).any(|it| it == word.as_bytes());
            assert!(!has, "{word} is in {name}");
        }
    }
    let ran = run(&person, &["--explain"], "");
    assert!(!ran.out.contains("planted"), "{}", ran.out);
    let ran = run(&person, &["--explain", "--level", "full"], "");
    assert!(ran.out.contains("prompt planted"), "{}", ran.out);
}

fn gethost() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match host.trim() {
        host if host.len() > 3 => host.to_owned(),
        _ => "no machine is called this".to_owned(),
    }
}

#[test]
fn a_lower_level_takes_words_back() {
    let person = person();
    let full = lake(&person, &["--level", "full"]);
    assert_eq!(full["level"], "full");
    assert!(tables(&person).contains(&"v1/messages/month=2026-06".to_owned()));
    let unlike = files(&person);
    let metrics = lake(&person, &["--since", "2026-07-01"]);
    assert_eq!(metrics["level"], "metrics");
    // Also where nothing was asked for: words must not stay behind.
    assert!(!tables(&person).iter().any(|it| it.contains("messages")));
    let whole = lake(&person, &[]);
    assert_eq!(
        (&whole["written"], &whole["removed"]),
        (&0.into(), &0.into())
    );
    let fresh = files(&person);
    fs::remove_dir_all(person.home().join("lake")).expect("removed");
    lake(&person, &[]);
    let bytes = |files: &BTreeMap<String, (Vec<u8>, SystemTime)>| -> Vec<Vec<u8>> {
        files.values().map(|(bytes, _)| bytes.clone()).collect()
    };
    assert_eq!(
        bytes(&files(&person)),
        bytes(&fresh),
        "as if it had never been"
    );
    assert_ne!(bytes(&fresh), bytes(&unlike));
}

#[test]
fn the_system_caps_the_level() {
    let person = person();
    let ran = run(
        &person,
        &["--level", "full"],
        "[lake]\nlevel_max = \"redacted\"",
    );
    assert!(ran.out.contains(r#""level":"redacted""#), "{ran:?}");
    assert!(
        ran.err.contains("no more than the level redacted"),
        "{ran:?}"
    );
    person.write(
        ".config/gemtrail/config.toml",
        "[lake]\nlevel_max = \"full\"\nlevel = \"full\"",
    );
    let ran = run(&person, &[], "[lake]\nlevel_max = \"metrics\"");
    assert!(ran.out.contains(r#""level":"metrics""#), "{ran:?}");
    let ran = run(
        &person,
        &["--level", "metrics"],
        "[lake]\nlevel_max = \"full\"",
    );
    assert!(ran.out.contains(r#""level":"metrics""#), "{ran:?}");
}

#[test]
fn what_is_excluded_is_gone_after_the_next_run() {
    let person = person();
    lake(&person, &[]);
    let before = files(&person);
    let root = person.home().join("src/planted-one");
    let bounds = format!("[lake]\nexclude = [{:?}]", root.to_string_lossy());
    let ran = run(&person, &[], &bounds);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let after = files(&person);
    assert!(!tables(&person).iter().any(|it| it.contains("2026-06")));
    assert_eq!(
        changed(&before, &after),
        ["v1/projects"],
        "the others are untouched"
    );
}

#[test]
fn what_is_forgotten_is_gone_after_the_next_run() {
    let person = person();
    assert_eq!(person.run(&["sync"]).code, Some(0));
    lake(&person, &[]);
    let before = files(&person);
    fs::remove_file(person.home().join(chat(JUNE, "06", "planted-one"))).expect("removed");
    let ran = person.run(&["archive", "forget", JUNE, "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    lake(&person, &[]);
    assert!(!tables(&person).iter().any(|it| it.contains("2026-06")));
    assert_eq!(changed(&before, &files(&person)), ["v1/projects"]);
}

#[test]
fn a_key_makes_machines_match() {
    let key = "[lake]\nkey = \"of the company\"";
    let host = |person: &Person, system: &str| {
        let ran = run(person, &["--explain"], system);
        let line = ran.out.lines().next().expect("a line");
        let row: Value = serde_json::from_str(line).expect("a row");
        row["columns"][1]["value"].as_str().map(str::to_owned)
    };
    let (one, two) = (person(), person());
    assert_eq!(host(&one, key), host(&two, key));
    assert_ne!(host(&one, ""), host(&two, ""));
    assert_ne!(host(&one, ""), host(&one, key));
    let shown = one.run_in(&one.home(), &["config", "show"], &[]);
    assert!(!shown.out.contains("of the company"));
}

#[test]
fn damage_is_found_and_mended() {
    let person = person();
    lake(&person, &[]);
    let good = files(&person);
    let victim = good
        .keys()
        .find(|name| name.contains("sessions"))
        .expect("one");
    fs::write(person.home().join("lake").join(victim), "PAR1").expect("written");
    let ran = run(&person, &["--check"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains(victim), "{ran:?}");
    lake(&person, &[]);
    assert_eq!(files(&person)[victim].0, good[victim].0);
}

#[test]
fn months_that_are_over_can_be_folded() {
    let person = person();
    lake(&person, &["--level", "full"]);
    let merge = || person.run(&["lake", "--merge", "lake", "folded", "--json"]);
    let ran = merge();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let document: Value = serde_json::from_str(&ran.out).expect("a document");
    assert_eq!(document["files"], 9, "{document}");
    assert_eq!(document["written"], 9);
    let folded = person
        .home()
        .join("folded/v1/requests/month=2026-06/merged.parquet");
    assert!(folded.is_file());
    let again: Value = serde_json::from_str(&merge().out).expect("a document");
    assert_eq!(
        (&again["written"], &again["unchanged"]),
        (&0.into(), &9.into())
    );
}
