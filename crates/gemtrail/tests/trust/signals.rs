//! `signals`.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Ran, gemtrail, repository};

/// A home with one session: three failures in a row, a long wait, and an end without an answer.
fn noisy_home() -> TempDir {
    let time = |seconds: u32| format!("2026-06-01T10:{:02}:{:02}.000Z", seconds / 60, seconds % 60);
    let failing = |seconds: u32, command: &str| {
        json!({
            "id": format!("g{seconds}"), "timestamp": time(seconds), "type": "gemini", "content": "",
            "toolCalls": [{
                "id": format!("c{seconds}"), "name": "run_shell_command",
                "args": {"command": format!("{command}\u{1b}[2J")}, "status": "error", "timestamp": time(seconds),
            }],
        })
    };
    let journal = json!({
        "sessionId": "01234567-89ab-4def-8000-000000000000", "projectHash": "h",
        "startTime": time(0), "lastUpdated": time(90),
        "messages": [
            {"id": "u0", "timestamp": time(0), "type": "user", "content": "支払いテストを並列化する \u{1b}]0;x\u{7}".repeat(9)},
            failing(80, "make"), failing(81, "python3 -m venv a"), failing(82, "ls"),
        ],
    });
    let dir = TempDir::new().unwrap();
    let chats = dir.path().join(".gemini/tmp/app/chats");
    fs::create_dir_all(&chats).unwrap();
    let name = "session-2026-06-01T10-00-01234567.json";
    fs::write(chats.join(name), journal.to_string()).unwrap();
    dir
}

fn signals(dir: &TempDir, options: &[&str]) -> Ran {
    let home = dir.path().to_str().unwrap();
    gemtrail(["--home", home, "signals"].iter().chain(options))
}

#[test]
fn the_document_points_at_the_messages() {
    let document = signals(&noisy_home(), &["--json"]).done().json();
    assert_eq!(document["schema"], "gemtrail.signals/1");
    let session = &document["sessions"][0];
    let found: Vec<&Value> = session["signals"].as_array().unwrap().iter().collect();
    let names: Vec<_> = found.iter().map(|signal| &signal["signal"]).collect();
    assert_eq!(
        names,
        ["tool_failure_cascade", "abandon_signal", "long_stall"]
    );
    assert_eq!(found[0]["messages"], json!(["g80", "g81", "g82"]));
    assert_eq!(found[2]["seconds"], 80);
    assert_eq!(session["facets"]["outcome"], "errored");
    assert_eq!(
        document["totals"][0],
        json!({"signal": "tool_failure_cascade", "count": 1, "sessions": 1})
    );
}

#[test]
fn the_table_fits_and_is_harmless() {
    let ran = signals(&noisy_home(), &["--utc"]).done();
    let text = ran.text();
    assert!(text.contains("failures: 3 calls in a row failed"), "{text}");
    for line in text.lines() {
        // Wide characters take two columns.
        let wide = line
            .chars()
            .filter(|c| ('\u{3000}'..'\u{a000}').contains(c))
            .count();
        assert!(line.chars().count() + wide <= 80, "{line}");
    }
    assert!(!text.contains(['\u{1b}', '\u{7}']));
}

#[test]
fn nothing_to_report_is_no_failure() {
    let dir = noisy_home();
    assert!(
        signals(&dir, &["--since", "2100-01-01"])
            .done()
            .text()
            .starts_with("There are no sessions")
    );
    let none = signals(&dir, &["--project", "other", "--json"])
        .done()
        .json();
    assert_eq!(
        (&none["totals"], &none["sessions"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(signals(&dir, &["nonesuch"]).code, 1);
}

#[test]
fn sessions_can_be_named() {
    let home = repository().join("examples/home");
    let ran = gemtrail([
        "--home",
        home.to_str().unwrap(),
        "signals",
        "latest",
        "--json",
    ])
    .done();
    assert_eq!(ran.json()["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn the_new_documents_have_schemas() {
    let names = gemtrail(["schema"]).done();
    for name in ["signals", "verdict", "validation", "keygen", "signature"] {
        assert!(names.text().lines().any(|line| line == name), "{name}");
        let schema = gemtrail(["schema", &format!("gemtrail.{name}/1")])
            .done()
            .json();
        assert_eq!(schema["type"], "object", "{name}");
    }
}
