//! What single formats have, and which options they take.

use std::path::Path;

use crate::support::Person;
use crate::{NAME, export, files, journal, read, recorded, text};

#[test]
fn filters_beside_named_sessions_are_refused() {
    let person = Person::new();
    let home = text(&recorded());
    for command in ["export", "signals"] {
        for filter in [
            ["--project", "x"],
            ["--since", "7d"],
            ["--until", "7d"],
            ["--model", "x"],
            ["--host", "x"],
            ["--user", "x"],
            ["--kind", "all"],
        ] {
            let arguments = [&["--home", &home, command, "latest"][..], &filter].concat();
            let ran = person.run(&arguments);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
            assert!(ran.err.contains(filter[0]), "{}", ran.err);
            assert!(
                ran.err.contains("with the names of sessions"),
                "{}",
                ran.err
            );
        }
        assert_eq!(
            person.run(&["--home", &home, command, "latest"]).code,
            Some(0)
        );
    }
    let named = person.run(&["--home", &home, "signals", "--project", "acme", "--json"]);
    assert!(
        named.out.contains("9dd87fa3"),
        "filters without names still choose: {named:?}"
    );
}

#[test]
fn comma_separated_values_of_several_sessions_have_one_header() {
    let person = Person::new();
    let usage = |arguments: &[&str]| {
        let home = recorded().with_file_name("two_projects");
        let home = text(&home);
        let export = ["--home", &home, "export", "--format", "usage", "--csv"];
        person.run(&[&export, arguments].concat())
    };
    let header = "session,message,parent,project,";
    for arguments in [&["@1", "@2", "@3"][..], &["--all"]] {
        let ran = usage(arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.out.starts_with(header), "{}", ran.out);
        assert_eq!(ran.out.matches(header).count(), 1, "{}", ran.out);
        assert!(ran.out.lines().count() > 3, "{}", ran.out);
    }
    let dir = person.home().join("usage");
    let ran = usage(&["--all", "-o", &format!("{}/", text(&dir))]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for name in files(&dir) {
        assert!(name.ends_with(".csv"), "{name}");
        assert!(read(&dir.join(&name)).starts_with(header), "{name}");
    }
}

#[test]
fn an_option_without_effect_on_the_format_is_wrong_use() {
    const VIEW: &str = "--thoughts --no-thoughts --tools=brief --subagents --minimal";
    const OPTIONS: [&str; 16] = [
        "--no-thoughts",
        "--references",
        "--keys",
        "--keys=url",
        "--thoughts",
        "--tools=brief",
        "--subagents",
        "--minimal",
        "--only=human",
        "--timestamps=real",
        "--assistant-text",
        "--csv",
        "--profile=v3",
        "--encoding=json",
        "--created=2026-01-01T00:00:00Z",
        "--session-format=interactive",
    ];
    let formats = [
        ("json", ""),
        ("jsonl", ""),
        ("md", VIEW),
        ("html", VIEW),
        ("txt", VIEW),
        ("transcript", "--keys --keys=url"),
        ("transcript-json", "--keys --keys=url"),
        ("chat", "--only=human --references"),
        ("events", "--timestamps=real --assistant-text"),
        ("usage", "--csv"),
        ("share-md", ""),
        ("share-json", ""),
        ("native", ""),
        (
            "vac",
            "--profile=v3 --encoding=json --created=2026-01-01T00:00:00Z --session-format=interactive",
        ),
    ];
    let person = Person::new();
    let target = text(&person.home().join("target"));
    for (format, with_effect) in formats {
        for option in OPTIONS {
            let ran = export(
                &person,
                &["--format", format, option, "--force", "-o", &target],
            );
            if with_effect.split(' ').any(|it| it == option) {
                assert_eq!(ran.code, Some(0), "{format} {option}: {ran:?}");
                continue;
            }
            assert_eq!(ran.code, Some(2), "{format} {option}: {ran:?}");
            let name = option.split('=').next().unwrap();
            let said = format!("{name} has no effect on {format}");
            assert!(ran.err.contains(&said), "{}", ran.err);
        }
        for option in ["--superseded", "--live", "--redact", "--redact-paths"] {
            let ran = export(&person, &["--format", format, option]);
            assert_eq!(ran.code, Some(0), "{format} {option}: {ran:?}");
        }
    }
    let ran = person.run(&["convert", &journal(), "--to", "chat", "--csv"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
}

#[test]
fn usage_has_each_request_once() {
    let person = Person::new();
    gemtrail_testkit::made::needles(|path, content| {
        person.write(path, content);
    });
    let (id, agent) = (
        gemtrail_testkit::made::NEEDLE_ID,
        gemtrail_testkit::made::NEEDLE_AGENT,
    );
    let requests = |arguments: &[&str]| -> Vec<String> {
        let arguments = [&["export", "--format", "usage"], arguments].concat();
        let ran = person.run(&arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        let rows = ran.out.lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            format!("{} {}", row["session"], row["message"])
        });
        let mut rows: Vec<String> = rows.collect();
        rows.sort();
        rows
    };
    let all = requests(&["--all"]);
    assert!(all.len() > 3, "{all:?}");
    assert_eq!(requests(&["--all", "--kind", "all"]), all);
    assert_eq!(requests(&[id, agent]), requests(&[id]));
    assert_eq!(requests(&[agent, id]), requests(&[id]));
    assert_eq!(
        requests(&["--all", "--kind", "subagent"]),
        requests(&[agent])
    );
    let dir = format!("{}/", text(&person.home().join("usage")));
    let export = [
        "export", "--format", "usage", "--all", "--kind", "all", "-o",
    ];
    let ran = person.run(&[&export[..], &[&dir]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = |name: &String| read(&Path::new(&dir).join(name)).lines().count();
    let written: usize = files(Path::new(&dir)).iter().map(lines).sum();
    assert_eq!(written, all.len());
}

#[test]
fn the_formats_of_other_tools_have_their_endings() {
    let person = Person::new();
    for (format, ending) in [
        ("atif", "atif.json"),
        ("otel", "otlp.jsonl"),
        ("messages", "messages.jsonl"),
        ("sts", "jsonl"),
    ] {
        let dir = person.home().join(format);
        let ran = export(
            &person,
            &["--format", format, "-o", &format!("{}/", text(&dir))],
        );
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(files(&dir), [format!("{NAME}.{ending}")]);
    }
}

#[test]
fn traces_have_words_only_on_request() {
    let person = Person::new();
    let home = text(&recorded());
    let plain = export(&person, &["--format", "otel"]);
    assert!(!plain.out.contains("gen_ai.input.messages"), "{plain:?}");
    // The option does not swallow the session.
    let arguments = [
        "--home",
        &home,
        "export",
        "--format",
        "otel",
        "--content",
        "9dd87fa3",
    ];
    let ran = person.run(&arguments);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("gen_ai.input.messages"), "{ran:?}");
}

#[test]
fn options_of_other_formats_are_wrong_use() {
    let person = Person::new();
    for (format, option) in [
        ("md", ["--arguments", "object"]),
        ("sts", ["--arguments", "object"]),
        ("atif", ["--tools", "none"]),
    ] {
        let ran = export(&person, &[&["--format", format], &option[..]].concat());
        assert_eq!(ran.code, Some(2), "{format} {option:?}: {ran:?}");
    }
}
