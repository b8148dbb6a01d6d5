//! `doctor` as a person and a script call it.

use std::path::Path;
use std::process::{Command, Output};

use gemtrail_testkit::{fixtures, made};
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
    assert!(text.contains("No problems found."), "{text}");
}

#[cfg(unix)]
#[test]
fn a_home_that_does_not_exist_is_not_well() {
    let nobody = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gemtrail"));
    command.arg("doctor").env_clear().env("HOME", nobody.path());
    let text = told(&command.output().expect("the binary runs"));
    assert!(text.contains("does not exist"), "{text}");
    assert!(text.contains("Nothing to check: "), "{text}");
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
        "gemtrail restore aa8009be",
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
    assert_eq!(told(&sound), "No lost sessions found.\n");
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

/// A copy of a recorded home, with an archive of it.
fn archived(name: &str) -> (tempfile::TempDir, std::path::PathBuf, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let home = dir.path().join(".gemini");
    gemtrail_testkit::made::copy(&tree(name), &home).expect("it can be copied");
    let archive = dir.path().join("archive.db").to_string_lossy().into_owned();
    let output = gemtrail(&home, &["--archive", &archive, "sync"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    (dir, home, archive)
}

#[test]
fn what_the_archive_has_would_not_be_lost() {
    let (_dir, home, archive) = archived("0.61.0/multi_gap");
    let doctor = |more: &[&str]| {
        let arguments = [&["--archive", &archive, "doctor"], more].concat();
        told(&gemtrail(&home, &arguments))
    };
    let text = doctor(&[]);
    for expected in [
        "last sync just now; not updated automatically (gemtrail setup)",
        "everything on disk is archived",
        "so nothing is lost",
        "gemtrail restore aa8009be",
    ] {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains("gemtrail sync"), "{text}");
    let report: Value = serde_json::from_str(&doctor(&["--json"])).expect("a document");
    assert_eq!(report["archive"]["files_behind"], 0);
    assert_eq!(report["archive"]["watched"], false);
    assert_eq!(report["retention"]["at_risk"][0]["archived"], true);
    // Something new that it does not have yet.
    let journal = report["retention"]["at_risk"][0]["journals"][0]["path"].clone();
    let journal = journal.as_str().expect("a path");
    let mut bytes = std::fs::read(journal).expect("it can be read");
    bytes.extend_from_slice(b"\n");
    std::fs::write(journal, bytes).expect("it can be written");
    let text = doctor(&[]);
    assert!(text.contains("not archived yet"), "{text}");
    assert!(text.contains("gemtrail sync"), "{text}");
    let report: Value = serde_json::from_str(&doctor(&["--json"])).expect("a document");
    assert_eq!(report["retention"]["at_risk"][0]["archived"], false);
}

#[test]
fn what_was_put_back_is_out_of_danger() {
    let (_dir, home, archive) = archived("0.61.0/multi_gap");
    let at_risk = || {
        let output = gemtrail(&home, &["--archive", &archive, "doctor", "--json"]);
        let report: Value = serde_json::from_str(&told(&output)).expect("a document");
        report["retention"]["at_risk"].as_array().map(Vec::len)
    };
    assert_eq!(at_risk(), Some(1));
    let output = gemtrail(&home, &["--archive", &archive, "restore", "aa8009be"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(at_risk(), Some(0));
}

/// A version that nobody has seen yet writes a record, a field, a status, a tool and a part of its own.
#[test]
fn what_a_newer_gemini_cli_writes_is_named() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join(made::chat("aaaaaaaa.jsonl"));
    std::fs::create_dir_all(file.parent().expect("it has one")).expect("it can be made");
    let write = |text: &str| std::fs::write(&file, text).expect("it can be written");
    let unknown = || -> Value {
        let output = gemtrail(dir.path(), &["doctor", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
        report["unknown"].clone()
    };
    let known = made::lines("aaaaaaaa-1", &[("u1", "hello"), ("g1", "well")]);
    write(&known);
    assert_eq!(unknown(), serde_json::json!([]));
    let call = serde_json::json!({"id": "c1", "name": "paint_picture", "args": {}, "status": "dreaming",
        "timestamp": "2026-06-01T10:30:00.000Z", "hue": "blue",
        "result": [{"functionResponse": {"id": "c1", "name": "paint_picture", "response": {"output": "x"}}}]});
    let answer = serde_json::json!({"id": "g2", "timestamp": "2026-06-01T10:30:00.000Z", "type": "gemini", "mood": "good",
        "model": "m", "content": [{"text": "see"}, {"hologram": {"data": "x"}}], "toolCalls": [call]});
    let record = serde_json::json!({"$dream": {"deep": true}});
    write(&format!("{known}{answer}\n{record}\n"));
    let after = unknown();
    let found: Vec<String> = after
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| {
            format!(
                "{} {}",
                it["kind"].as_str().expect("as arranged"),
                it["name"].as_str().expect("as arranged")
            )
        })
        .collect();
    let wanted = [
        "record $dream",
        "field hue",
        "field mood",
        "status dreaming",
        "tool paint_picture",
        "part hologram",
    ];
    assert_eq!(found, wanted);
    let page = told(&gemtrail(dir.path(), &["doctor"]));
    for name in [
        "record $dream",
        "field mood",
        "status dreaming",
        "tool paint_picture",
        "part hologram",
    ] {
        assert!(page.contains(name), "{name}: {page}");
    }
}
