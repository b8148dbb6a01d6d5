//! `doctor` as a person and a script call it.

use std::path::Path;
use std::process::{Command, Output};

use gemtrail_testkit::fixtures;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// Runs the binary on a home, on a terminal of 80 columns and without settings of the machine.
fn gemtrail(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
    command.arg("--home").arg(home).arg("--utc").args(arguments);
    command.env("COLUMNS", "80");
    let nowhere = home.join("no-such-settings.json");
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", nowhere);
    command.env_remove("GEMINI_CLI_SYSTEM_DEFAULTS_PATH");
    command.output().expect("the binary runs")
}

fn told(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn tree(name: &str) -> std::path::PathBuf {
    let fixture = fixtures().find(|fixture| fixture.name() == name);
    fixture.expect("the fixture exists").home
}

#[test]
fn a_sound_home_is_well() {
    let output = gemtrail(&tree("0.61.0/simple"), &["doctor", "--strict"]);
    assert_eq!(output.status.code(), Some(0));
    let text = told(&output);
    assert!(text.contains("1 session in 1 project"), "{text}");
    assert!(text.contains("0.44+: 1"), "{text}");
    assert!(text.contains("30 days after their last update"), "{text}");
    assert!(text.contains("All is well"), "{text}");
}

#[test]
fn a_session_in_danger_is_named_with_the_remedy() {
    let home = tree("0.61.0/multi_gap");
    let output = gemtrail(&home, &["doctor"]);
    assert_eq!(output.status.code(), Some(0), "no fault of the command");
    let text = told(&output);
    for expected in [
        "endangered-session",
        "resume-stray ×2",
        "! aa8009be  acme-shop  Remember the word albatross.",
        r#"{"general": {"sessionRetention": {"enabled": false}}}"#,
        "to  session-2026-11-15T20-44-ra8009be.jsonl",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let output = gemtrail(&home, &["doctor", "--strict"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("3 findings"));
}

#[test]
fn lost_sessions_are_told_with_their_prompts() {
    let output = gemtrail(&tree("0.3.4/tui_compress"), &["doctor", "--lost"]);
    let text = told(&output);
    for expected in [
        "15 Nov 2026, 19:01  f7b35def  0add58f2-d642-4bbe-a813-ad9b85bd0d26",
        "before 0.4",
        "› Tell me about the cart.",
        "› One more question after the break.",
        "prompt log",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let sound = gemtrail(&tree("0.61.0/simple"), &["doctor", "--lost"]);
    assert_eq!(told(&sound), "No session left a trace without a journal.\n");
}

#[test]
fn scripts_get_one_document() {
    let output = gemtrail(&tree("0.56.0/multi_gap"), &["doctor", "--json", "--strict"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["schema"], "gemtrail.doctor/1");
    assert_eq!(report["ok"], false);
    assert_eq!(report["lost"][0]["cause"], "clean-up-bug");
    assert_eq!(report["homes"][0]["journals"]["jsonl"], 2);
    let retention = &report["retention"];
    assert_eq!(retention["enabled"], true);
    assert_eq!(retention["max_age"], "30d");
    assert_eq!(retention["max_count"], Value::Null);
    assert_eq!(retention["source"], "default");
    let error: Value = serde_json::from_slice(&output.stderr).expect("an error line");
    assert_eq!(error["code"], "not-ok");
}

#[test]
fn the_document_has_a_schema() {
    let output = gemtrail(&tree("0.61.0/simple"), &["schema", "doctor"]);
    let schema: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for field in ["schema", "ok", "homes", "diagnostics", "retention", "lost"] {
        assert!(schema["properties"][field].is_object(), "{field}");
    }
    let retention = &schema["$defs"]["Retention"]["properties"];
    for field in ["enabled", "max_age", "max_count", "source", "at_risk"] {
        assert!(retention[field].is_object(), "{field}");
    }
}

#[test]
fn every_report_fits_in_80_columns() {
    for fixture in fixtures() {
        for arguments in [&["doctor"][..], &["doctor", "--lost"]] {
            let output = gemtrail(&fixture.home, arguments);
            assert_eq!(output.status.code(), Some(0), "{}", fixture.name());
            let text = told(&output);
            let wide = text.lines().find(|line| line.width() > 80);
            assert_eq!(wide, None, "{}", fixture.name());
        }
    }
}

#[test]
fn nothing_in_a_log_reaches_the_terminal_unseen() {
    let home = tempfile::tempdir().expect("a directory");
    let project = home.path().join(".gemini/tmp/evil");
    std::fs::create_dir_all(&project).expect("a directory");
    let entry = r#"[{"sessionId":"\u001b]0;x\u0007","messageId":0,"type":"user","message":"a\u001b[2Jb\nc","timestamp":"\u001b[31m"}]"#;
    std::fs::write(project.join("logs.json"), entry).expect("a log");
    let text = told(&gemtrail(home.path(), &["doctor", "--lost"]));
    assert!(text.contains("› ab c"), "{text}");
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{7}'),
        "{text:?}"
    );
}
