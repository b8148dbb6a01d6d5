//! One id in two projects, on two machines, in a main session and in subagents: each session is
//! named by its reference, its number, its path and its hits, by every command, from the disk and
//! from an archive.

mod support;

use gemtrail_testkit::made::lines;
use gemtrail_testkit::truth::hash_of;
use serde_json::{Value, json};
use support::{Person, Ran};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const FILE: &str = "session-2026-06-01T10-00-2f1e0a52.jsonl";

/// A project directory was copied: the same id and file name in two projects, with other words since.
fn copied() -> Person {
    let person = Person::new();
    for project in ["alpha", "beta"] {
        let dir = format!(".gemini/tmp/{}", hash_of(&format!("/srv/{project}")));
        let words = [("u1", "hello"), ("g1", "hi"), ("u2", project)];
        person.write(&format!("{dir}/chats/{FILE}"), &lines(ID, &words));
        person.write(&format!("{dir}/.project_root"), &format!("/srv/{project}"));
    }
    person
}

fn json_lines(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = ran.out.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON Lines")
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("no {field} in {value}"))
}

/// Arguments that read the disk, and those that read an archive of it.
fn sources(person: &Person) -> [Vec<&'static str>; 2] {
    let synced = person.run(&["sync"]);
    assert_eq!(synced.code, Some(0), "{synced:?}");
    [vec!["--no-archive"], vec![]]
}

fn run(person: &Person, source: &[&str], arguments: &[&str]) -> Ran {
    person.run(&[arguments, source].concat())
}

#[test]
fn disk_and_archive_give_one_reference_to_each_session() {
    let person = copied();
    let refs = sources(&person).map(|source| {
        let rows = json_lines(&run(&person, &source, &["list", "--json"]));
        let refs: Vec<String> = rows.iter().map(|row| text(row, "ref").to_owned()).collect();
        refs
    });
    assert_eq!(refs[0], refs[1]);
    assert_eq!(refs[0].len(), 2);
    assert_ne!(refs[0][0], refs[0][1]);
    for reference in &refs[0] {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(
            reference.chars().all(is_plain) && reference.len() <= 24,
            "{reference}"
        );
    }
}

#[test]
fn what_a_row_names_is_what_every_command_uses() {
    let person = copied();
    for source in sources(&person) {
        let rows = json_lines(&run(&person, &source, &["list", "--json"]));
        for (at, row) in rows.iter().enumerate() {
            let reference = text(row, "ref");
            let project = text(&row["project"], "path");
            let number = format!("@{}", at + 1);
            let path = text(&row["journals"][0], "path");
            for name in [reference, &number, path, &reference.to_uppercase()] {
                let shown = json_lines(&run(&person, &source, &["show", name, "--json"]));
                assert_eq!(text(&shown[0], "ref"), reference, "{name}");
                assert_eq!(text(&shown[0]["project"], "path"), project, "{name}");
                let query = format!("session:{name}");
                let hits = json_lines(&run(
                    &person,
                    &source,
                    &["search", "--json", &query, "hello"],
                ));
                assert_eq!(hits.len(), 1, "{query}");
                assert_eq!(text(&hits[0], "ref"), reference, "{query}");
                let signals = run(&person, &source, &["signals", "--json", name]);
                assert_eq!(signals.code, Some(0), "{signals:?}");
                let out = format!("out-{}-{name}.json", source.len()).replace(['/', '@'], "_");
                let exported = run(
                    &person,
                    &source,
                    &["export", name, "--format", "json", "-o", &out],
                );
                assert_eq!(exported.code, Some(0), "{exported:?}");
                let document = std::fs::read_to_string(person.home().join(&out)).unwrap();
                let document: Value = serde_json::from_str(&document).unwrap();
                assert_eq!(text(&document, "ref"), reference, "{name}");
            }
        }
        let ambiguous = run(&person, &source, &["show", ID]);
        assert_eq!(ambiguous.code, Some(2));
        for row in &rows {
            assert!(
                ambiguous.err.contains(text(row, "ref")),
                "{}",
                ambiguous.err
            );
        }
    }
}

#[test]
fn many_sessions_at_once_are_each_themselves() {
    let person = copied();
    for (at, source) in sources(&person).iter().enumerate() {
        let rows = json_lines(&run(&person, source, &["list", "--json"]));
        let signals = json_lines(&run(&person, source, &["signals", "--json"]));
        assert_eq!(
            signals[0]["sessions"].as_array().map(Vec::len),
            Some(2),
            "{signals:?}"
        );
        let dir = format!("all-{at}/");
        let all = run(
            &person,
            source,
            &["export", "--all", "--format", "json", "-o", &dir],
        );
        assert_eq!(all.code, Some(0), "{all:?}");
        let mut exported: Vec<String> = std::fs::read_dir(person.home().join(&dir))
            .unwrap()
            .map(|entry| {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                let document: Value = serde_json::from_str(&text).unwrap();
                document["ref"].as_str().unwrap().to_owned()
            })
            .collect();
        let mut listed: Vec<String> = rows.iter().map(|row| text(row, "ref").to_owned()).collect();
        exported.sort();
        listed.sort();
        assert_eq!(exported, listed);
    }
}

#[test]
fn forgetting_and_restoring_mean_the_session_that_was_named() {
    let person = copied();
    sources(&person);
    let rows = json_lines(&person.run(&["list", "--json"]));
    let second = text(&rows[1], "ref");
    let path = text(&rows[1]["journals"][0], "path");
    let planned = json_lines(&person.run(&["archive", "forget", "@2", "--dry-run", "--json"]));
    let files = planned[0]["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{planned:?}");
    assert!(
        path.ends_with(files[0].as_str().unwrap()),
        "{path} {planned:?}"
    );
    let restored = json_lines(&person.run(&["restore", "@2", "-o", "back", "--json"]));
    assert_eq!(text(&restored[0], "ref"), second);
    std::fs::remove_dir_all(person.home().join(".gemini/tmp")).unwrap();
    let forgotten = person.run(&["archive", "forget", "@2", "--yes"]);
    assert_eq!(forgotten.code, Some(0), "{forgotten:?}");
    let left = json_lines(&person.run(&["list", "--json"]));
    assert_eq!(left.len(), 1);
    assert_eq!(text(&left[0], "ref"), text(&rows[0], "ref"));
}

#[test]
fn a_link_to_a_session_file_names_its_session_everywhere() {
    let person = copied();
    sources(&person);
    let rows = json_lines(&person.run(&["list", "--json"]));
    let path = text(&rows[1]["journals"][0], "path");
    std::os::unix::fs::symlink(path, person.home().join("link.jsonl")).unwrap();
    let shown = json_lines(&person.run(&["show", "./link.jsonl", "--json"]));
    assert_eq!(shown[0]["ref"], rows[1]["ref"]);
    let restored = json_lines(&person.run(&["restore", "./link.jsonl", "-o", "back", "--json"]));
    assert_eq!(restored[0]["ref"], rows[1]["ref"]);
}

#[test]
fn a_subagent_with_its_parents_id_is_itself() {
    let person = Person::new();
    let dir = ".gemini/tmp/shop/chats";
    person.write(
        &format!("{dir}/{FILE}"),
        &lines(ID, &[("u1", "main words"), ("g1", "yes")]),
    );
    let agent = lines(ID, &[("u2", "agent words"), ("g2", "done")]).replacen(
        "\"projectHash\"",
        "\"kind\":\"subagent\",\"projectHash\"",
        1,
    );
    person.write(
        &format!("{dir}/session-2026-06-01T10-05-2f1e0a52.jsonl"),
        &agent,
    );
    for source in sources(&person) {
        let rows = json_lines(&run(&person, &source, &["list", "--json", "--kind", "all"]));
        assert_eq!(rows.len(), 2, "{rows:?}");
        for row in &rows {
            let stem = text(row, "ref");
            let shown = json_lines(&run(&person, &source, &["show", stem, "--json"]));
            assert_eq!(shown[0]["stems"], row["stems"]);
            assert_eq!(shown[0]["kind"], row["kind"]);
        }
        let agent = rows.iter().find(|row| row["kind"] == "subagent").unwrap();
        let main = rows.iter().find(|row| row["kind"] == "main").unwrap();
        assert_eq!(agent["parent_ref"], main["ref"]);
        let hit = &json_lines(&run(&person, &source, &["search", "--json", "agent"]))[0];
        assert_eq!(hit["ref"], agent["ref"]);
        let stem = agent["stems"][0].as_str().unwrap();
        let shown = json_lines(&run(&person, &source, &["show", stem, "--json"]));
        assert_eq!(shown[0]["ref"], agent["ref"]);
    }
}

#[test]
fn an_archive_from_another_machine_tells_its_sessions_from_ours() {
    let person = copied();
    sources(&person);
    let ours = json_lines(&person.run(&["list", "--json"]));
    let origin = ["sync", "--origin", "host=desk,user=al"];
    assert_eq!(person.run(&origin).code, Some(0));
    let rows = json_lines(&person.run(&["list", "--json"]));
    assert_eq!(rows.len(), 4);
    let mut refs: Vec<&str> = rows.iter().map(|row| text(row, "ref")).collect();
    refs.sort_unstable();
    refs.dedup();
    assert_eq!(refs.len(), 4);
    for row in &ours {
        assert!(
            refs.contains(&text(row, "ref")),
            "adding a machine renames nothing"
        );
    }
    for row in &rows {
        let shown = json_lines(&person.run(&["show", text(row, "ref"), "--json"]));
        assert_eq!(shown[0]["origin"]["host"], row["origin"]["host"]);
        assert_eq!(shown[0]["project"], row["project"]);
    }
    let desk = rows
        .iter()
        .find(|row| row["origin"]["host"] == "desk")
        .unwrap();
    let forgotten = person.run(&["archive", "forget", text(desk, "ref"), "--yes"]);
    assert_eq!(forgotten.code, Some(0), "{forgotten:?}");
    let left = json_lines(&person.run(&["list", "--json", "--no-sync"]));
    assert_eq!(left.len(), 3);
    assert!(left.iter().all(|row| row["ref"] != desk["ref"]));
}

#[test]
fn models_are_named_in_any_case() {
    let person = Person::new();
    let file = lines(ID, &[("u1", "one"), ("g1", "two")]).replace("gemini-3-pro", "Gemini-3-Pro");
    person.write(&format!(".gemini/tmp/shop/chats/{FILE}"), &file);
    for name in ["gemini-3", "GEMINI-3", "Gemini-3-Pro"] {
        for command in [&["list", "--json"][..], &["search", "--json", "two"]] {
            let found = json_lines(&person.run(&[command, &["--model", name]].concat()));
            assert_eq!(found.len(), 1, "{command:?} {name}");
        }
    }
}

#[test]
fn injected_context_is_found_only_when_it_is_asked_for() {
    let person = Person::new();
    let context = "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Monday, June 1, 2026.\nzebra crossing\n</session_context>";
    let file = lines(
        ID,
        &[
            ("u0", &context.replace('\n', "\\n")),
            ("u1", "one"),
            ("g1", "two"),
        ],
    );
    let file = file.replace("\\\\n", "\\n");
    person.write(&format!(".gemini/tmp/shop/chats/{FILE}"), &file);
    for source in sources(&person) {
        let shown = json_lines(&run(&person, &source, &["show", "latest", "--json"]));
        assert_eq!(
            shown[0]["messages"][0]["role"], "context",
            "{}",
            shown[0]["messages"][0]
        );
        let plain = run(&person, &source, &["search", "zebra"]);
        assert_eq!(plain.code, Some(1));
        assert!(
            plain
                .err
                .contains("1 session has it only in injected context"),
            "{}",
            plain.err
        );
        for asked in [
            &["--context"][..],
            &["role:context"],
            &["--role", "context"],
        ] {
            let arguments = [&["search", "--json", "zebra"], asked].concat();
            assert_eq!(
                json_lines(&run(&person, &source, &arguments)).len(),
                1,
                "{asked:?}"
            );
        }
    }
}

/// Before 0.37 an agent's file was beside its parent's, and 0.29 copied the whole directory.
#[test]
fn an_agent_beside_its_parent_is_one_agent_in_both_copies_of_a_directory() {
    let person = Person::new();
    let hash = hash_of("/srv/shop");
    let record = |start: &str, messages: Value| {
        json!({"sessionId": ID, "projectHash": hash, "startTime": start, "lastUpdated": start,
            "messages": messages})
        .to_string()
    };
    let tokens =
        json!({"input": 7, "output": 3, "cached": 0, "thoughts": 0, "tool": 0, "total": 10});
    let main = record(
        "2026-06-01T10:00:00.000Z",
        json!([
            {"id": "u1", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": "help"},
            {"id": "g1", "timestamp": "2026-06-01T10:00:02.000Z", "type": "gemini", "content": "",
             "tokens": tokens, "toolCalls": [{"id": "c", "name": "codebase_investigator",
                "args": {"objective": "look into it"}, "status": "success",
                "timestamp": "2026-06-01T10:02:00.000Z"}]},
        ]),
    );
    let agent = record(
        "2026-06-01T10:01:00.000Z",
        json!([
            {"id": "a1", "timestamp": "2026-06-01T10:01:01.000Z", "type": "user",
             "content": "Your task: look into it"},
            {"id": "a2", "timestamp": "2026-06-01T10:01:02.000Z", "type": "gemini",
             "content": "seen", "tokens": tokens},
        ]),
    );
    for dir in [hash.as_str(), "shop"] {
        let chats = format!(".gemini/tmp/{dir}/chats/session-2026-06-01T10");
        person.write(&format!("{chats}-00-2f1e0a52.json"), &main);
        person.write(&format!("{chats}-01-2f1e0a52.json"), &agent);
    }
    person.write(".gemini/tmp/shop/.project_root", "/srv/shop");
    for source in sources(&person) {
        let rows = json_lines(&run(&person, &source, &["list", "--json"]));
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["tokens_with_subagents"]["total"], 20);
        let shown = run(&person, &source, &["show", "latest", "--json"]);
        let shown: Value = serde_json::from_str(&shown.out).expect("JSON");
        assert_eq!(shown["subagents"].as_array().map(Vec::len), Some(1));
    }
}

/// What a program that picks lines returns is a name.
#[test]
fn a_line_of_a_list_names_its_session() {
    let person = copied();
    for source in sources(&person) {
        for line in run(&person, &source, &["list"]).out.lines() {
            let reference = line.split('\t').nth(1).expect("a reference");
            let shown = run(&person, &source, &["show", "--json", line]);
            let shown = json_lines(&shown);
            assert_eq!(text(&shown[0], "ref"), reference, "{line}");
        }
        for line in run(&person, &source, &["search", "hello"]).out.lines() {
            let address = line.split('\t').next().expect("an address");
            let (by_line, by_address) = (
                run(&person, &source, &["show", line]),
                run(&person, &source, &["show", address]),
            );
            assert_eq!(by_line.code, Some(0), "{by_line:?}");
            assert_eq!(by_line.out, by_address.out);
        }
    }
    let other = person.run(&["show", "@x\tnothing"]);
    assert_eq!(other.code, Some(2), "{other:?}");
}
