//! Homes that real clients left.

use gemtrail_doctor::{Cause, Report, SystemSettings};
use gemtrail_testkit::{Fixture, fixtures};

use crate::home::{NOW, examine};

fn report(fixture: &Fixture) -> Report {
    examine(&[&fixture.home], NOW, SystemSettings::default())
}

fn named(name: &str) -> Report {
    let fixture = fixtures().find(|fixture| fixture.name() == name);
    report(&fixture.expect("the fixture exists"))
}

/// Trees in which a resume left a stray, by the first eight characters of the session.
const STRAYS: [(&str, &str); 17] = [
    ("0.26.0/multi_gap_then_0.61.0", "d961e651"),
    ("0.26.0/multi_gap_then_0.61.0 after 1", "d961e651"),
    ("0.26.0/multi_gap_then_0.61.0 after 2", "d961e651"),
    ("0.26.0/multi_then_0.61.0", "ce431ef8"),
    ("0.41.2/multi_gap after 1", "a8d292ae"),
    ("0.41.2/multi_gap after 2", "a8d292ae"),
    ("0.51.0/multi_gap", "a462a440"),
    ("0.51.0/multi_gap after 1", "a462a440"),
    ("0.51.0/multi_gap after 2", "a462a440"),
    ("0.51.0/tui_resume", "130dab1d"),
    ("0.56.0/multi_gap after 1", "a5369dcd"),
    ("0.56.0/multi_gap after 2", "a5369dcd"),
    ("0.61.0/multi_gap", "aa8009be"),
    ("0.61.0/multi_gap after 1", "aa8009be"),
    ("0.61.0/multi_gap after 2", "aa8009be"),
    ("0.61.0/tui_compress_resume", "b1860ae2"),
    ("0.61.0/tui_resume", "6f3a9a71"),
];

/// Trees in which a subagent's file is next to its parent's, which releases since 0.36 treat as
/// damage.
const FLAT_SUBAGENTS: [(&str, &str); 2] = [
    ("0.33.2/subagent_gap", "799f0ac5"),
    ("0.36.0/subagent_gap", "bd0e2bc8"),
];

/// Trees whose conversation the clean-up deleted while they were recorded.
const DELETED: [&str; 2] = ["0.41.2/multi_then_0.61.0", "0.56.0/multi_gap"];

#[test]
fn sessions_in_danger_are_named_and_all_else_is_ok() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let (name, report) = (fixture.name(), report(&fixture));
        let in_danger: Vec<&str> = report
            .retention
            .at_risk
            .iter()
            .map(|risk| risk.session.short())
            .collect();
        let expected: Vec<&str> = STRAYS
            .iter()
            .chain(&FLAT_SUBAGENTS)
            .filter(|(tree, _)| *tree == name)
            .map(|(_, session)| *session)
            .collect();
        let is_lost = DELETED.contains(&name.as_str()) || name.starts_with("0.3.4/");
        let should_be_ok = expected.is_empty() && !is_lost;
        if in_danger != expected || report.ok != should_be_ok || report.lost.is_empty() == is_lost {
            wrong.push(format!("{name}: {:#?}", report.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn before_0_4_the_prompts_are_all_that_is_left() {
    for scenario in ["tui_chat", "tui_clear", "tui_compress"] {
        let report = named(&format!("0.3.4/{scenario}"));
        let lost = &report.lost[0];
        assert_eq!(lost.cause, Cause::NoRecorder, "{scenario}");
        assert_eq!(
            lost.prompts[0].text, "Tell me about the cart.",
            "{scenario}"
        );
        assert!(lost.survives[0].path.ends_with("logs.json"));
    }
}

#[test]
fn what_the_clean_up_deleted_is_lost_by_its_fault() {
    for tree in DELETED {
        let report = named(tree);
        assert_eq!(report.lost.len(), 1, "{tree}");
        assert_eq!(report.lost[0].cause, Cause::CleanUpBug, "{tree}");
    }
}

#[test]
fn files_are_counted_by_format_and_era() {
    let report = named("0.26.0/multi_gap_then_0.61.0");
    let home = &report.homes[0];
    let count = |counts: &std::collections::BTreeMap<String, u64>| -> Vec<(String, u64)> {
        counts
            .iter()
            .map(|(key, count)| (key.clone(), *count))
            .collect()
    };
    assert_eq!(
        count(&home.journals),
        [("json".into(), 1), ("jsonl".into(), 3)]
    );
    assert_eq!(
        count(&home.eras),
        [("0.4-0.38".into(), 1), ("0.44+".into(), 3)]
    );
    assert_eq!((home.projects, home.sessions, home.stubs), (1, 1, 0));
    let agents = &named("0.61.0/subagent").homes[0];
    assert_eq!((agents.sessions, agents.subagents), (1, 1));
    let masked = &named("0.61.0/tui_mask").homes[0];
    assert!(masked.tool_outputs > 0 && masked.bytes.tool_outputs > 0);
    let restored = &named("0.61.0/tui_restore").homes[0];
    assert_eq!(restored.restore_points, 1);
    let old = &named("0.3.4/tui_chat").homes[0];
    assert_eq!(
        (old.checkpoints, old.logs, old.prompts, old.logged_only),
        (1, 1, 9, 1)
    );
}
