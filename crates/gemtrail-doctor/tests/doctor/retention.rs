//! Which settings apply, and what they will delete.

use std::fs;

use gemtrail_core::model::Code;
use gemtrail_doctor::{Layer, Report, Risk, SystemSettings};

use crate::home::{CONTEXT, NOW, TURN, TestHome, examine, journal};

const OFF: &str = r#"{"general": {"sessionRetention": {"enabled": false}}}"#;

fn risks(report: &Report) -> Vec<(&str, Risk, Option<&str>)> {
    report
        .retention
        .at_risk
        .iter()
        .map(|risk| {
            (
                risk.session.as_str(),
                risk.risk,
                risk.deleted_after.as_deref(),
            )
        })
        .collect()
}

#[test]
fn sessions_go_thirty_days_after_their_last_update() {
    let home = TestHome::new();
    for (id, updated) in [
        ("aaaaaaaa-1", "2026-10-10T00:00:00.000Z"),
        ("bbbbbbbb-1", "2026-10-20T00:00:00.000Z"),
        ("cccccccc-1", "2026-11-10T00:00:00.000Z"),
    ] {
        let name = format!("session-2026-10-01T00-00-{}.jsonl", &id[..8]);
        home.chat(&name, journal(id, updated, &TURN));
    }
    let report = home.report();
    assert_eq!(
        risks(&report),
        [
            ("aaaaaaaa-1", Risk::Age, None),
            ("bbbbbbbb-1", Risk::Age, Some("2026-11-19T00:00:00.000Z")),
        ]
    );
    assert!(report.ok, "what was asked for is no fault");
    assert_eq!(report.retention.at_risk[0].title.as_deref(), Some("hello"));
    assert_eq!(report.retention.policy.source, Layer::Default);
}

#[test]
fn nothing_goes_where_retention_is_off() {
    let home = TestHome::new();
    home.put("settings.json", OFF);
    let name = "session-2026-10-01T00-00-aaaaaaaa.jsonl";
    home.chat(
        name,
        journal("aaaaaaaa-1", "2026-01-01T00:00:00.000Z", &TURN),
    );
    let stray = "session-2026-11-15T00-00-aaaaaaaa.jsonl";
    home.chat(stray, journal("aaaaaaaa-1", NOW, &[CONTEXT]));
    let report = home.report();
    assert!(report.ok, "{report:#?}");
    assert!(report.retention.at_risk.is_empty());
    assert_eq!(report.retention.policy.source, Layer::User);
}

#[test]
fn a_name_that_ends_otherwise_is_out_of_danger() {
    let home = TestHome::new();
    let name = "session-2026-11-15T10-00-aaaaaaaa.jsonl";
    home.chat(name, journal("aaaaaaaa-1", NOW, &TURN));
    let stray = "session-2026-11-15T11-00-aaaaaaaa.jsonl";
    home.chat(stray, journal("aaaaaaaa-1", NOW, &[CONTEXT]));
    let report = home.report();
    assert_eq!(risks(&report), [("aaaaaaaa-1", Risk::Stray, None)]);
    let risk = &report.retention.at_risk[0];
    assert!(
        risk.because_of
            .as_deref()
            .is_some_and(|path| path.ends_with(stray))
    );
    let safe = risk.journals[0].safe_name.clone().expect("a safe name");
    assert_eq!(safe, "session-2026-11-15T10-00-raaaaaaa.jsonl");
    let chats = home.path("tmp/my-app/chats");
    fs::rename(chats.join(name), chats.join(safe)).expect("renamed");
    let report = home.report();
    assert!(report.ok, "{report:#?}");
}

#[test]
fn settings_come_in_layers() {
    let home = TestHome::new();
    let project = tempfile::tempdir().expect("a project");
    let root = project.path().to_string_lossy().into_owned();
    home.put("tmp/my-app/.project_root", &root);
    let name = "session-2026-10-01T00-00-aaaaaaaa.jsonl";
    home.chat(
        name,
        journal("aaaaaaaa-1", "2026-11-01T00:00:00.000Z", &TURN),
    );
    home.put(
        "settings.json",
        r#"{"general": {"sessionRetention": {"maxAge": "7d" /* soon */}}}"#,
    );
    let report = home.report();
    assert_eq!(report.retention.policy.max_age.as_deref(), Some("7d"));
    assert_eq!(risks(&report), [("aaaaaaaa-1", Risk::Age, None)]);

    fs::create_dir(project.path().join(".gemini")).expect("a directory");
    fs::write(project.path().join(".gemini/settings.json"), OFF).expect("settings");
    let report = home.report();
    assert_eq!(report.retention.policy.source, Layer::User);
    let exception = &report.retention.exceptions[0];
    assert!(!exception.policy.enabled);
    assert_eq!(exception.policy.source, Layer::Project);
    assert!(risks(&report).is_empty());

    let distrusted = format!(r#"{{"{root}": "DO_NOT_TRUST"}}"#);
    home.put("trustedFolders.json", distrusted);
    assert_eq!(risks(&home.report()).len(), 1, "its settings do not count");
    fs::remove_file(home.path("trustedFolders.json")).expect("removed");

    let overrides = project.path().join("system.json");
    fs::write(
        &overrides,
        r#"{"general":{"sessionRetention":{"enabled":true}}}"#,
    )
    .expect("written");
    let system = SystemSettings {
        defaults: None,
        overrides: Some(overrides),
    };
    let report = examine(&[&home.root()], NOW, system);
    assert_eq!(report.retention.policy.source, Layer::System);
    assert_eq!(risks(&report).len(), 1, "the system has the last word");
}

#[test]
fn hash_directories_are_left_alone_unless_settings_of_old_asked() {
    let home = TestHome::new();
    let hash = "1".repeat(64);
    let old =
        journal("aaaaaaaa-1", "2026-01-01T00:00:00.000Z", &TURN).replace(crate::home::HASH, &hash);
    home.put(
        &format!("tmp/{hash}/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl"),
        old,
    );
    assert!(risks(&home.report()).is_empty());
    home.put(
        "settings.json",
        r#"{"general": {"sessionRetention": {"enabled": true, "maxCount": 50}}}"#,
    );
    assert_eq!(risks(&home.report()), [("aaaaaaaa-1", Risk::Age, None)]);
}

#[test]
fn a_wrong_setting_is_reported_once() {
    let home = TestHome::new();
    home.put(
        "settings.json",
        r#"{"general": {"sessionRetention": {"maxCount": 0}}}"#,
    );
    let report = home.report();
    let codes: Vec<Code> = report.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::BadSettings]);
    assert!(report.retention.policy.invalid.is_some());
}
