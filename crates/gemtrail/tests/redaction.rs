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
    for format in ["md", "txt", "transcript", "transcript-json"] {
        let options = [
            "--format",
            format,
            "--tools",
            "full",
            "--thoughts",
            "--redact-report",
        ];
        // Not every format has these views; all of them take the options.
        let (path, output) = export(&home, format, &options);
        assert!(output.status.success(), "{format}: {}", said(&output));
        let text = read(&path);
        assert!(text.contains("[redacted:"), "{format}");
        assert_eq!(left(&planted, &text), [""; 0], "{format}");
        assert_eq!(left(&planted, &said(&output)), [""; 0], "{format}");
        assert!(said(&output).contains("github-token"), "{}", said(&output));
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
    assert!(output.stderr.is_empty(), "{}", said(&output));
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
    assert!(output.stderr.is_empty(), "{}", said(&output));
}

#[test]
fn the_index_of_pages_holds_no_secret_either() {
    let (planted, home) = home();
    let chats = home.path.join("tmp/titles/chats");
    fs::create_dir_all(&chats).expect("a temporary directory");
    let token = planted.iter().find(|one| one.text.contains("ghp_"));
    let prompt = serde_json::to_string(&token.expect("there is one").text).expect("a text");
    let journal = format!(
        "{{\"sessionId\":\"title\",\"projectHash\":\"h\",\"startTime\":\"2026-06-01T10:00:00.000Z\"}}\n\
         {{\"id\":\"m\",\"type\":\"user\",\"content\":{prompt}}}\n"
    );
    fs::write(chats.join("session-title.jsonl"), journal).expect("a temporary file");
    let pages = home.directory.path().join("pages");
    let target = pages.to_string_lossy().into_owned();
    let output = gemtrail(
        &home,
        &["export", "--all", "--format", "html", "-o", &target],
    );
    assert!(output.status.success(), "{}", said(&output));
    let index = read(&pages.join("index.html"));
    assert!(index.contains("[redacted:"), "the title had a secret");
    assert_eq!(left(&planted, &index), [""; 0]);
}
