//! Files, directories and standard output.

use std::fs;
use std::path::Path;

use crate::support::Person;
use crate::{NAME, export, files, journal, read, text};

#[test]
fn convert_writes_files_under_the_rules_of_export() {
    let person = Person::new();
    let target = person.home().join("session.txt");
    let convert = |more: &[&str]| {
        let target = text(&target);
        let arguments = ["convert", &journal(), "--to", "txt", "-o", &target];
        person.run(&[&arguments, more].concat())
    };
    let ran = convert(&[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
    let first = read(&target);
    assert!(first.contains("Tell me about the cart."));
    assert_eq!(convert(&[]).code, Some(2));
    assert_eq!(convert(&["--force"]).code, Some(0));
    assert_eq!(read(&target), first);

    let dir = format!("{}/", text(&person.home().join("out")));
    let ran = person.run(&["convert", &journal(), "--to", "vac", "-o", &dir]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        files(&person.home().join("out")),
        [format!("{NAME}.vac.json")]
    );
}

#[test]
fn a_dash_is_standard_output_and_markdown_is_the_usual_format() {
    let person = Person::new();
    let dash = export(&person, &["-o", "-"]);
    assert_eq!(dash.out, export(&person, &["--format", "md"]).out);
    assert!(dash.out.starts_with("# "));
}

#[test]
fn sessions_with_one_file_name_get_files_of_their_own() {
    let person = Person::new();
    for (project, id) in [("alpha", "aaaa0001"), ("beta", "bbbb0002")] {
        person.write(
            &format!(".gemini/tmp/{project}/chats/session-2026-06-01T10-00-copy.jsonl"),
            &format!(
                r#"{{"sessionId":"{id}","projectHash":"{project}","startTime":"2026-06-01T10:00:00.000Z","lastUpdated":"2026-06-01T10:00:00.000Z","kind":"main"}}
{{"id":"m","timestamp":"2026-06-01T10:00:01.000Z","type":"user","content":[{{"text":"about {project}"}}]}}
"#
            ),
        );
    }
    let dir = person.home().join("out");
    for names in [
        &["aaaa0001", "bbbb0002"][..],
        &["bbbb0002", "aaaa0001", "bbbb0002"],
        &["--all"],
        &["--all", "--project", "beta"],
    ] {
        let to = format!("{}/", text(&dir));
        let ran = person.run(&[&["export", "--force", "-o", &to], names].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let written = files(&dir);
        assert_eq!(
            written,
            [
                "session-2026-06-01T10-00-copy.alpha.md",
                "session-2026-06-01T10-00-copy.beta.md"
            ]
        );
        for (name, project) in written.iter().zip(["alpha", "beta"]) {
            assert!(read(&dir.join(name)).contains(&format!("about {project}")));
        }
    }
}

#[test]
fn the_ending_of_the_file_is_the_format() {
    let person = Person::new();
    let start = |name: &str| {
        let ran = export(&person, &["-o", name]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
        let document = read(&person.home().join(name));
        document.chars().take(30).collect::<String>()
    };
    assert!(start("a.html").starts_with("<!"));
    assert!(start("a.json").starts_with("{\"schema\":\"gemtrail.session/1\""));
    assert!(start("a.md").starts_with("# "));
    assert!(start("a.csv").starts_with("session,message,"));
    assert!(start("plain").starts_with("# "), "no ending says nothing");
    let refused = export(&person, &["-o", "a.docx"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains(".docx") && refused.err.contains(".html"),
        "{}",
        refused.err
    );
    assert!(!person.home().join("a.docx").exists());
    // A format that is named wins over the ending.
    let named = export(&person, &["-f", "txt", "-o", "b.docx"]);
    assert_eq!(named.code, Some(0), "{}", named.err);
    let json = export(&person, &["--json"]);
    assert!(
        json.out.starts_with("{\"schema\":\"gemtrail.session/1\""),
        "{}",
        json.out
    );
    let converted = person.run(&["convert", &journal(), "-o", "c.html"]);
    assert_eq!(converted.code, Some(0), "{}", converted.err);
    assert!(read(&person.home().join("c.html")).starts_with("<!"));
    assert_eq!(person.run(&["convert", &journal()]).code, Some(2));
}

#[test]
fn what_was_written_is_said() {
    let person = Person::new();
    let told = export(&person, &["-o", "a.md"]).err;
    assert!(told.starts_with("wrote a.md ("), "{told}");
    assert!(
        told.contains("no secrets found, but check before you publish it"),
        "{told}"
    );
    assert_eq!(export(&person, &["-o", "b.md", "-q"]).err, "");
    let told = export(&person, &["-o", "c.json"]).err;
    assert!(
        told.starts_with("wrote c.json (") && !told.contains("secret"),
        "{told}"
    );
    let told = export(&person, &["-o", "d.md", "--no-redact"]).err;
    assert!(told.contains("not redacted"), "{told}");
    let secret = journal();
    let secret = read(Path::new(&secret)).replacen(
        "\"text\":\"",
        "\"text\":\"token ghp_0123456789abcdefghijABCDEFGHIJ012345 ",
        40,
    );
    person.write("leaky.jsonl", &secret);
    let told = person.run(&["convert", "leaky.jsonl", "-o", "e.md"]).err;
    assert!(told.contains("1 secret redacted: github-"), "{told}");
}

#[test]
fn several_sessions_do_not_go_into_a_file() {
    let person = Person::new();
    person.project("shop");
    person.project("api");
    let all = |to: &str| person.run(&["export", "--all", "-o", to]);
    for to in ["day.html", "day.json"] {
        let ran = all(to);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains("-o day/"), "{ran:?}");
        assert!(!person.home().join(to).exists());
    }
    fs::create_dir(person.home().join("old.html")).expect("a directory");
    for to in ["old.html", "new.html/", "day"] {
        let ran = all(to);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(files(&person.home().join(to)).len(), 2);
    }
}

/// Two sessions that were worked on at the same time, and what each file of a format says about when.
fn interleaved(person: &Person) -> [String; 2] {
    let write = |id: &str, minutes: [u32; 3]| {
        let [start, asked, answered] = minutes.map(|it| format!("2026-06-01T10:{it:02}:00.000Z"));
        let name = format!(".gemini/tmp/shop/chats/session-2026-06-01T10-00-{id}.jsonl");
        let path = person.write(
            &name,
            &format!(
                r#"{{"sessionId":"{id}","projectHash":"shop","startTime":"{start}","lastUpdated":"{answered}","kind":"main"}}
{{"id":"p","timestamp":"{asked}","type":"user","content":[{{"text":"ask {id}"}}]}}
{{"id":"a","timestamp":"{answered}","type":"gemini","content":"said","model":"gemini-3-pro-preview","tokens":{{"input":1,"output":1,"cached":0,"thoughts":0,"tool":0,"total":2}}}}
"#
            ),
        );
        text(&path)
    };
    [write("aaaa0001", [0, 1, 20]), write("bbbb0002", [2, 3, 10])]
}

#[test]
fn events_of_everything_are_one_file_in_the_order_of_time() {
    let person = Person::new();
    let files = interleaved(&person);
    let ran = person.run(&["export", "--all", "--format", "events", "-o", "all.jsonl"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
    let written = read(&person.home().join("all.jsonl"));
    let events: Vec<serde_json::Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let kinds: Vec<String> = events
        .iter()
        .map(|event| {
            let id = event["session_id"].as_str().expect("an id");
            let kind = event["type"].as_str().expect("a type");
            format!("{} {kind}", &id[id.len() - 8..])
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "aaaa0001 session_start",
            "aaaa0001 user_prompt",
            "bbbb0002 session_start",
            "bbbb0002 user_prompt",
            "bbbb0002 session_end",
            "aaaa0001 session_end",
        ]
    );
    assert!(events.is_sorted_by_key(|event| event["timestamp"].as_str()));
    let out = person.run(&["export", "--all", "--format", "events"]).out;
    assert_eq!(out, written, "standard output has the same");
    let [first, second] = &files;
    let ran = person.run(&["convert", second, first, "--to", "events"]);
    assert_eq!((ran.code, &ran.out), (Some(0), &out), "{ran:?}");

    for target in ["events", "events/"] {
        let arguments = ["export", "--all", "--format", "events", "--force", "-o"];
        let ran = person.run(&[&arguments[..], &[target]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(crate::files(&person.home().join("events")).len(), 2);
    }
}

#[test]
fn usage_of_everything_is_one_table_in_the_order_of_time() {
    let person = Person::new();
    interleaved(&person);
    for arguments in [
        &["--all", "-o", "all.csv"][..],
        &["--all", "--format", "usage", "--csv", "-o", "named.csv"],
        &["aaaa0001", "bbbb0002", "-o", "two.csv"],
    ] {
        let ran = person.run(&[&["export"], arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
        let table = read(&person.home().join(arguments[arguments.len() - 1]));
        let sessions: Vec<&str> = table.lines().map(|row| &row[..8]).collect();
        assert_eq!(sessions, ["session,", "bbbb0002", "aaaa0001"], "{table}");
        let again = person.run(&[&["export"], arguments].concat());
        assert_eq!(again.code, Some(2), "{again:?}");
    }
}

#[test]
fn convert_takes_several_files() {
    let person = Person::new();
    let [first, second] = interleaved(&person);
    let ran = person.run(&["convert", &first, &second, "--to", "md", "-o", "pages/"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let pages = files(&person.home().join("pages"));
    assert_eq!(
        pages,
        [
            "session-2026-06-01T10-00-aaaa0001.md",
            "session-2026-06-01T10-00-bbbb0002.md"
        ]
    );
    for wrong in [
        &[first.as_str(), &second, "-o", "both.html"][..],
        &[&first, "-", "--to", "events"],
    ] {
        let ran = person.run(&[&["convert"], wrong].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    }
    // What is no session does not keep the others from being written.
    person.write("note.txt", "no session");
    let ran = person.run(&["convert", &first, "note.txt", "--to", "events"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.out.lines().count(), 3, "{ran:?}");
    assert!(ran.err.contains("note.txt"), "{ran:?}");
}
