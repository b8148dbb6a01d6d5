//! Secrets kept in, by the built binary: no byte of them in what it writes or says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gemtrail_testkit::secrets::{Home, Planted, planted};

const SESSION: &str = "2f1e0a52";

fn home() -> (Vec<Planted>, Home) {
    let planted = planted();
    let home = Home::write(&planted).expect("a temporary directory");
    (planted, home)
}

fn gemtrail(home: &Home, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
    command.arg("--home").arg(&home.path).args(arguments);
    for variable in ["GEMINI_CLI_HOME", "GEMINI_SESSIONS_DIR", "GEMTRAIL_ARCHIVE"] {
        command.env_remove(variable);
    }
    command.output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The names of planted secrets of which something is in these bytes.
fn left<'a>(planted: &'a [Planted], bytes: &str) -> Vec<&'a str> {
    let has_some = |one: &&Planted| one.left_in(bytes).next().is_some();
    planted
        .iter()
        .filter(has_some)
        .map(|one| one.name)
        .collect()
}

fn export(home: &Home, name: &str, options: &[&str]) -> (PathBuf, Output) {
    let path = home.directory.path().join(name);
    let target = path.to_string_lossy().into_owned();
    let mut arguments = vec!["export", SESSION, "-o", &target];
    arguments.extend_from_slice(options);
    let output = gemtrail(home, &arguments);
    (path, output)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the export is there")
}

#[test]
fn files_for_people_hold_no_secret_by_default() {
    let (planted, home) = home();
    let everything = &["--tools", "full", "--thoughts"][..];
    for (format, view) in [
        ("md", everything),
        ("html", everything),
        ("txt", everything),
        ("transcript", &[]),
        ("transcript-json", &[]),
    ] {
        let options = [&["--format", format, "--redact-report"], view].concat();
        let (path, output) = export(&home, format, &options);
        assert!(output.status.success(), "{format}: {}", said(&output));
        let text = read(&path);
        assert!(text.contains("[redacted:"), "{format}");
        assert_eq!(left(&planted, &text), [""; 0], "{format}");
        assert_eq!(left(&planted, &said(&output)), [""; 0], "{format}");
        assert!(said(&output).contains("github-token"), "{}", said(&output));
        // Nor is one there that only the marks of a page or a document keep apart.
        assert_eq!(left(&planted, &without_marks(&text)), [""; 0], "{format}");
    }
}

/// The text of a page or a document: no tags, no escapes, no line ends.
fn without_marks(text: &str) -> String {
    let mut words = String::new();
    for piece in text.split('<') {
        words.push_str(piece.split_once('>').map_or(piece, |(_, words)| words));
    }
    let escapes = [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    let plain = escapes
        .iter()
        .fold(words, |text, (from, to)| text.replace(from, to));
    plain.replace("&amp;", "&").replace(['\\', '\n'], "")
}

#[test]
fn a_directory_of_pages_or_documents_holds_no_secret_either() {
    let (planted, home) = home();
    let all = home.directory.path().join("all");
    let target = all.to_string_lossy().into_owned();
    for options in [&["--format", "html"][..], &["--format", "md"]] {
        let arguments = [&["export", "--all", "-o", &target], options].concat();
        let output = gemtrail(&home, &arguments);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(left(&planted, &said(&output)), [""; 0]);
    }
    let files: Vec<PathBuf> = fs::read_dir(&all)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert!(
        files.len() > 2,
        "a page, an index and a document: {files:?}"
    );
    for file in files {
        let text = read(&file);
        assert_eq!(left(&planted, &text), [""; 0], "{}", file.display());
        assert_eq!(
            left(&planted, &without_marks(&text)),
            [""; 0],
            "{}",
            file.display()
        );
    }
}

#[test]
fn exact_formats_are_exact_with_a_warning_and_clean_when_asked() {
    let (planted, home) = home();
    for format in ["json", "jsonl", "chat", "events", "share-json", "native"] {
        let (path, output) = export(&home, format, &["--format", format]);
        assert!(output.status.success(), "{format}: {}", said(&output));
        assert!(left(&planted, &read(&path)).len() > 10, "{format}");
        assert!(
            said(&output).contains("warning: "),
            "{format}: {}",
            said(&output)
        );
        assert_eq!(left(&planted, &said(&output)), [""; 0], "{format}");

        let report = home.directory.path().join(format!("{format}.report"));
        let report_option = format!("--redact-report={}", report.display());
        let options = ["--format", format, "--redact", "--force", &report_option];
        let (path, output) = export(&home, format, &options);
        assert!(output.status.success(), "{format}: {}", said(&output));
        assert_eq!(left(&planted, &read(&path)), [""; 0], "{format}");
        assert_eq!(left(&planted, &read(&report)), [""; 0], "{format}");
        assert!(!said(&output).contains("warning"), "{format}");
    }
}

#[test]
fn a_terminal_and_a_pipe_get_everything_and_a_count() {
    let (planted, home) = home();
    let file = home.journal.to_string_lossy().into_owned();
    let output = gemtrail(&home, &["convert", &file, "--to", "md", "--tools", "full"]);
    assert!(!left(&planted, &String::from_utf8_lossy(&output.stdout)).is_empty());
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        warning.contains("secrets (") && warning.contains("--redact"),
        "{warning}"
    );
    assert_eq!(left(&planted, &warning), [""; 0]);

    let output = gemtrail(&home, &["convert", &file, "--to", "json", "--redact"]);
    assert_eq!(left(&planted, &said(&output)), [""; 0]);
    let output = gemtrail(&home, &["convert", &file, "--to", "json", "--no-redact"]);
    assert!(output.stderr.is_empty(), "{}", said(&output));
}

#[test]
fn files_are_written_as_they_are_when_asked() {
    let (planted, home) = home();
    let (path, output) = export(
        &home,
        "all.md",
        &["--format", "md", "--tools", "full", "--no-redact"],
    );
    assert!(!said(&output).contains("warning"), "{}", said(&output));
    assert!(left(&planted, &read(&path)).len() > 10);
}

#[test]
fn an_outline_has_structure_and_no_words() {
    let (planted, home) = home();
    let (path, output) = export(
        &home,
        "outline.json",
        &["--format", "json", "--content", "none"],
    );
    assert!(output.status.success(), "{}", said(&output));
    let text = read(&path);
    assert_eq!(left(&planted, &text), [""; 0]);
    assert!(text.contains("run_shell_command") && text.contains(" characters]"));
    assert!(!text.contains("acme-shop") && !text.contains("Explain @a.txt"));
    assert!(!said(&output).contains("secret"), "{}", said(&output));
}

/// Input that is broken in the midst of a secret, or has one where something else should be.
fn broken(one: &Planted) -> Vec<(&'static str, String)> {
    let text = one.text.as_str();
    let quoted = serde_json::to_string(text).expect("text has a JSON form");
    let cut = |line: String| {
        let end = line.len() - 3;
        let end = (0..=end).rev().find(|at| line.is_char_boundary(*at));
        line[..end.unwrap_or(0)].to_owned()
    };
    let header = r#"{"sessionId":"2f1e0a52-0000-4000-8000-000000000081","projectHash":"00"}"#;
    let line = format!(r#"{{"id":"1","type":"user","content":[{{"text":{quoted}}}]}}"#);
    vec![
        ("notes.txt", text.to_owned()),
        ("value.json", quoted.clone()),
        (
            "cut.jsonl",
            format!("{header}\n{}\n{line}\n", cut(line.clone())),
        ),
        (
            "cut.json",
            cut(format!(r#"{{"sessionId":"x","messages":[{line}]}}"#)),
        ),
        (
            "types.json",
            format!(
                r#"{{"sessionId":"x","projectHash":{quoted},"startTime":{quoted},"messages":{quoted}}}"#
            ),
        ),
        (
            "types.jsonl",
            format!(
                "{header}\n{{\"id\":{quoted},\"type\":{quoted},\"timestamp\":{quoted},\"tokens\":{quoted},\"toolCalls\":[{quoted},{{\"status\":{quoted},\"name\":5}}],\"thoughts\":{quoted}}}\n{{\"$set\":{quoted}}}\n{{\"$rewindTo\":{quoted}}}\n{quoted}\n{text}\n"
            ),
        ),
        (
            "own.jsonl",
            format!(
                "{{\"schema\":\"gemtrail.session-header/1\",\"id\":\"x\",\"kind\":{quoted}}}\n{{\"schema\":{quoted}}}\n"
            ),
        ),
        (
            "own.json",
            format!(
                r#"{{"schema":"gemtrail.session/1","id":"x","kind":{quoted},"counts":{quoted},"messages":[{{"id":"1","role":{quoted},"state":{quoted},"tokens":{quoted}}}]}}"#
            ),
        ),
        (
            "record.json",
            format!(
                r#"{{"version":{quoted},"id":{quoted},"created":{quoted},"session":{{"format":{quoted},"entries":[{{"type":{quoted}}},{quoted}]}}}}"#
            ),
        ),
        (
            "key.pem",
            format!("-----BEGIN {text}-----\n{text}\n-----END {text}-----\n"),
        ),
    ]
}

/// Some of them: those that are short enough to be quoted as a whole, and two long ones.
fn quotable() -> Vec<Planted> {
    let mut some = planted();
    some.sort_by_key(|one| one.text.len());
    let longest = some.split_off(some.len() - 2);
    some.truncate(8);
    some.extend(longest);
    some
}

#[test]
fn no_error_quotes_a_secret() {
    let (_, home) = home();
    let dir = home.directory.path();
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (out, sig) = (path("out.html"), path("sig"));
    let mut leaks: Vec<String> = Vec::new();
    for one in &quotable() {
        for (name, content) in broken(one) {
            let file = path(name);
            fs::write(&file, &content).expect("it can be written");
            let runs: [&[&str]; 7] = [
                &[
                    "convert", &file, "--to", "html", "-v", "-v", "-o", &out, "--force",
                ],
                &[
                    "convert", &file, "--to", "md", "--json", "-v", "-o", &out, "--force",
                ],
                &[
                    "convert",
                    &file,
                    "--to",
                    "vac",
                    "--project-root",
                    "/x",
                    "-o",
                    &out,
                    "--force",
                ],
                &["verify", "--schema-only", "--record", &file],
                &["verify", "--schema-only", "--record", &file, "--json"],
                &["verify", "--key", &file, "--sig", &file, "--record", &file],
                &["sign", "--key", &file, "--record", &file, "--out", &sig],
            ];
            for arguments in runs {
                let output = gemtrail(&home, arguments);
                if !left(std::slice::from_ref(one), &said(&output)).is_empty() {
                    leaks.push(format!("{name} {arguments:?}: {}", said(&output)));
                }
            }
        }
    }
    let some = leaks[..leaks.len().min(9)].join("\n");
    assert!(leaks.is_empty(), "{} leaks, such as\n{some}", leaks.len());
}

#[test]
fn the_doctor_and_the_list_of_candidates_quote_no_secret() {
    let (planted, home) = home();
    let chats = home.journal.parent().expect("a directory").to_owned();
    for (index, one) in quotable().iter().enumerate() {
        for (name, content) in broken(one) {
            let name = format!("session-2026-06-02T10-{index:02}-2f1e0a52-{name}");
            fs::write(chats.join(name), content).expect("it can be written");
        }
    }
    // Sessions that only the prompt log knows: their prompts are all that is left of them.
    let lost = planted.iter().enumerate().map(|(index, one)| {
        let session = format!("{index:08x}-0000-4000-8000-000000000082");
        serde_json::json!({"sessionId": session, "messageId": 0, "type": "user",
            "message": one.text, "timestamp": "2026-06-03T10:00:00.000Z"})
    });
    let lost: serde_json::Value = lost.collect();
    fs::write(chats.with_file_name("logs.json"), lost.to_string()).expect("it can be written");
    for arguments in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["doctor", "--lost"],
        &["doctor", "--lost", "--json"],
        &["doctor", "--strict", "-v"],
        &["show", "2f1e"],
        &["export", "0000", "-o", "x.md"],
        &["show", "no-such-session", "--json"],
    ] {
        let output = gemtrail(&home, arguments);
        let said = said(&output);
        assert_eq!(left(&planted, &said), [""; 0], "{arguments:?}: {said}");
        assert!(!said.is_empty(), "{arguments:?}");
    }
    let output = gemtrail(&home, &["doctor", "--lost"]);
    assert!(said(&output).contains("[redacted:"), "{}", said(&output));
}
