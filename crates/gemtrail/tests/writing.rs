//! Where documents go, by the built binary: files, directories, parts, standard output.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Person, Ran};

const NAME: &str = "session-2026-11-15T20-45-9dd87fa3";

/// A recorded session with some forty blocks.
fn recorded() -> PathBuf {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/0.61.0/tui_chat");
    root.canonicalize().expect("the recording is there")
}

fn journal() -> String {
    let chats = recorded().join(".gemini/tmp/acme-shop/chats");
    text(&chats.join(format!("{NAME}.jsonl")))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn export(person: &Person, arguments: &[&str]) -> Ran {
    let home = text(&recorded());
    person.run(&[&["--home", &home, "export", "9dd87fa3"], arguments].concat())
}

/// The files of a directory, by name.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the directory is there");
    let names = entries.map(|entry| text(Path::new(&entry.expect("an entry").file_name())));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}

/// What is left of a document without its title.
fn body(document: &str) -> &str {
    document.split_once("\n\n").expect("a title").1
}

#[test]
fn a_split_document_has_all_of_the_whole_one() {
    let person = Person::new();
    let (whole, dir) = (person.home().join("whole.md"), person.home().join("parts"));
    assert_eq!(export(&person, &["-o", &text(&whole)]).code, Some(0));
    let ran = export(
        &person,
        &["--split", "40", "-o", &format!("{}/", text(&dir))],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let names = files(&dir);
    assert!(names.len() > 2, "{names:?}");
    assert!(
        ran.err.contains(&format!("wrote {} files to", names.len())),
        "{}",
        ran.err
    );
    let mut joined = String::new();
    for number in 1..=names.len() {
        let part = read(&dir.join(format!("{NAME}.part-{number}.md")));
        assert!(
            part.lines()
                .next()
                .unwrap()
                .ends_with(&format!("(part {number})"))
        );
        joined.push_str(body(&part));
    }
    assert_eq!(joined, body(&read(&whole)));
}

#[test]
fn a_single_file_is_split_beside_its_name_by_export_and_convert_alike() {
    let person = Person::new();
    let target = text(&person.home().join("e/notes.md"));
    fs::create_dir_all(person.home().join("e")).unwrap();
    fs::create_dir_all(person.home().join("c")).unwrap();
    assert_eq!(
        export(&person, &["--split", "40", "-o", &target]).code,
        Some(0)
    );
    let exported = files(&person.home().join("e"));
    assert_eq!(exported[..2], ["notes.part-1.md", "notes.part-2.md"]);

    let target = text(&person.home().join("c/notes.md"));
    let ran = person.run(&[
        "convert",
        &journal(),
        "--to",
        "md",
        "--split",
        "40",
        "-o",
        &target,
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(files(&person.home().join("c")), exported);
}

#[test]
fn no_part_replaces_a_file_unless_told_to() {
    let person = Person::new();
    let existing = person.write("notes.part-2.md", "mine");
    let target = text(&person.home().join("notes.md"));
    let ran = export(&person, &["--split", "40", "-o", &target]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.err.contains("notes.part-2.md exists already"),
        "{}",
        ran.err
    );
    assert_eq!(read(&existing), "mine");
    assert!(!person.home().join("notes.part-1.md").exists());

    let ran = export(&person, &["--split", "40", "--force", "-o", &target]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(read(&existing).contains("(part 2)"));

    // Fewer parts than before: those that are left over are not silently part of the new document.
    let ran = export(&person, &["--split", "100000", "--force", "-o", &target]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.err.contains("notes.part-2.md does not belong"),
        "{}",
        ran.err
    );
}

#[test]
fn parts_need_files_and_markdown() {
    let person = Person::new();
    let ran = export(&person, &["--split", "40"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.is_empty() && ran.err.contains("-o FILE"), "{ran:?}");
    let ran = person.run(&[
        "convert",
        &journal(),
        "--to",
        "md",
        "--split",
        "40",
        "-o",
        "-",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.is_empty() && ran.err.contains("-o FILE"), "{ran:?}");
    let ran = export(
        &person,
        &["--format", "html", "--split", "40", "-o", "x.html"],
    );
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("--split has no effect on html"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("it goes with md"), "{}", ran.err);
    assert_eq!(
        export(&person, &["--split", "0", "-o", "x.md"]).code,
        Some(2)
    );
}

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
            assert!(ran.err.contains("but sessions are named"), "{}", ran.err);
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
    const OPTIONS: [&str; 17] = [
        "--no-thoughts",
        "--references",
        "--keys",
        "--keys=url",
        "--thoughts",
        "--tools=brief",
        "--subagents",
        "--minimal",
        "--split=40",
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
        (
            "md",
            "--thoughts --no-thoughts --tools=brief --subagents --minimal --split=40",
        ),
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
        ("md", ["--style", "pi"]),
        ("sts", ["--arguments", "object"]),
        ("atif", ["--tools", "none"]),
    ] {
        let ran = export(&person, &[&["--format", format], &option[..]].concat());
        assert_eq!(ran.code, Some(2), "{format} {option:?}: {ran:?}");
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
    // Whoever names a format gets it.
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
        told.contains("no secrets found; read it before you publish it"),
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

#[cfg(unix)]
#[test]
fn a_page_is_opened_in_a_private_place() {
    use std::os::unix::fs::PermissionsExt as _;
    let person = Person::new();
    let home = text(&recorded());
    let open = |more: &[&str], browser: &str| {
        let arguments = [&["--home", &home, "open", "9dd87fa3"], more].concat();
        person.run_in(&person.home(), &arguments, &[("BROWSER", browser)])
    };
    let printed = open(&["--print"], "/none");
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let page = PathBuf::from(printed.out.trim_end());
    assert!(page.starts_with(person.home()), "{}", page.display());
    assert!(read(&page).starts_with("<!"));
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&page), 0o600);
    assert_eq!(mode(page.parent().expect("a directory")), 0o700);
    let script = person.write("browser", "#!/bin/sh\necho \"$1\" > \"$HOME/opened\"\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let opened = open(&[], &text(&script));
    assert_eq!(
        (opened.code, opened.out.as_str()),
        (Some(0), ""),
        "{}",
        opened.err
    );
    assert_eq!(read(&person.home().join("opened")).trim_end(), text(&page));
    let failed = open(&[], "/none");
    assert_eq!(failed.code, Some(2));
    assert!(failed.err.contains(&text(&page)), "{}", failed.err);
}

/// One answer or one call, to hand over.
#[test]
fn a_place_is_exported_alone() {
    let person = Person::new();
    let home = text(&recorded());
    let run = |arguments: &[&str]| person.run(&[&["--home", &home][..], arguments].concat());
    let shown = run(&["show", "9dd87fa3", "--json"]);
    let whole: serde_json::Value = serde_json::from_str(&shown.out).expect("a document");
    let messages = whole["messages"].as_array().expect("messages");
    let has_call = |it: &&serde_json::Value| !it["tool_calls"][0].is_null();
    let calling = messages.iter().find(has_call).expect("a call");
    let place = calling["place"].as_str().expect("a place");
    let (turn, item) = place.split_once('.').expect("not a prompt");
    let call = format!(
        "9dd87fa3:{turn}.{}",
        item.parse::<u32>().expect("a number") + 1
    );
    let name = calling["tool_calls"][0]["name"].as_str().expect("a name");
    for format in ["md", "txt", "html"] {
        let ran = run(&["export", &call, "--format", format]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.out.contains(name) || format == "txt",
            "{name}: {}",
            ran.out
        );
        let all = run(&["export", "9dd87fa3", "--format", format]);
        assert!(ran.out.len() < all.out.len(), "{format}");
    }
    let ran = run(&["export", &format!("9dd87fa3:{place}"), "--format", "json"]);
    let part: serde_json::Value = serde_json::from_str(&ran.out).expect("a document");
    assert_eq!(part["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(part["messages"][0], *calling);
    let refused = run(&["export", &call, "--format", "events"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("md, txt, html, json"), "{refused:?}");
    let several = run(&["export", &call, "latest"]);
    assert_eq!(several.code, Some(2), "{several:?}");
    let nowhere = run(&["export", "9dd87fa3:999"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
}

#[test]
fn a_page_is_opened_at_a_place() {
    let person = Person::new();
    let home = text(&recorded());
    let ran = person.run(&["--home", &home, "open", "9dd87fa3:1", "--print"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let address = ran.out.trim().strip_prefix("file://").expect("an address");
    let (path, anchor) = address.split_once('#').expect("a place");
    let page = read(Path::new(path));
    assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
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
