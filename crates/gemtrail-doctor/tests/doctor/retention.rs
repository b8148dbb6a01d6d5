//! Which settings apply, and what they will delete.

use std::fs;
use std::path::PathBuf;

use gemtrail_core::model::Code;
use gemtrail_doctor::{Layer, Report, Risk, RiskCount, RiskOptions, SystemSettings, risk_count};
use gemtrail_store::{Library, Machine, Places};
use gemtrail_testkit::fixtures;

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
    assert!(!report.ok, "no archive has them");
    assert_eq!(report.retention.at_risk[0].title.as_deref(), Some("hello"));
    assert_eq!(report.retention.policy.source, Layer::Default);
}

/// The number of sessions, and the numbers of those at risk; it must be those of the report.
fn counted(home: &TestHome, archive: Option<(PathBuf, Machine)>) -> RiskCount {
    let places = Places {
        homes: vec![home.root()],
        ..Places::default()
    };
    let library = Library::open(&places).expect("the home exists");
    let options = RiskOptions {
        now: NOW.parse().expect("a time"),
        archive,
        ..RiskOptions::default()
    };
    risk_count(&library, &options)
}

#[test]
fn sessions_at_risk_are_counted_as_the_report_has_them() {
    let home = TestHome::new();
    assert_eq!(counted(&home, None), RiskCount::default());
    for (id, updated) in [
        ("aaaaaaaa-1", "2026-10-10T00:00:00.000Z"),
        ("bbbbbbbb-1", "2026-10-20T00:00:00.000Z"),
        ("cccccccc-1", NOW),
        ("dddddddd-1", NOW),
    ] {
        let name = format!("session-2026-10-01T00-00-{}.jsonl", &id[..8]);
        home.chat(&name, journal(id, updated, &TURN));
    }
    // A stray takes the session beside it along.
    let stray = "session-2026-11-15T11-00-dddddddd.jsonl";
    home.chat(stray, journal("dddddddd-1", NOW, &[CONTEXT]));
    let risk = counted(&home, None);
    let expected = RiskCount {
        sessions: 4,
        next_start: 2,
        within_week: 1,
    };
    assert_eq!(risk, expected);
    assert_eq!(home.report().retention.at_risk.len(), 3);
    let sentence = "2 of your 4 sessions will be deleted the next time gemini starts.";
    assert_eq!(risk.sentence().as_deref(), Some(sentence));
}

#[test]
fn the_count_in_a_sentence() {
    let sentence = |sessions, next_start, within_week| {
        RiskCount {
            sessions,
            next_start,
            within_week,
        }
        .sentence()
        .unwrap_or_default()
    };
    assert_eq!(sentence(3, 0, 0), "");
    assert_eq!(
        sentence(3, 0, 1),
        "1 of your 3 sessions will be deleted within 7 days."
    );
    assert_eq!(
        sentence(3, 3, 0),
        "All 3 of your sessions will be deleted the next time gemini starts."
    );
    assert_eq!(
        sentence(1, 1, 0),
        "Your only session will be deleted the next time gemini starts."
    );
}

#[test]
fn the_count_is_that_of_the_report_in_every_recorded_home() {
    for fixture in fixtures() {
        let report = examine(&[&fixture.home], NOW, SystemSettings::default());
        let places = Places {
            homes: vec![fixture.home.clone()],
            ..Places::default()
        };
        let library = Library::open(&places).expect("the home exists");
        let risk = gemtrail_doctor::risk_count(
            &library,
            &RiskOptions {
                now: NOW.parse().expect("a time"),
                ..RiskOptions::default()
            },
        );
        let counted = risk.next_start + risk.within_week;
        assert_eq!(
            counted,
            report.retention.at_risk.len(),
            "{}",
            fixture.name()
        );
    }
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
