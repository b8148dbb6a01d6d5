//! `verify --schema-only`.

use std::fs;

use tempfile::TempDir;

use crate::common::{Ran, gemtrail, run_in, worked};

fn check(record: &str) -> Ran {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("r.json"), record).unwrap();
    run_in(&dir, "verify --schema-only --record {}/r.json --json")
}

#[test]
fn the_records_of_the_worked_example_are_valid() {
    for (name, against) in [
        ("record-v3.json", "v3"),
        ("record-v2-seed.json", "v2"),
        ("record-dual.json", "v3"),
    ] {
        let path = worked(name);
        let arguments = [
            "verify",
            "--schema-only",
            "--record",
            path.to_str().unwrap(),
        ];
        let ran = gemtrail(arguments).done();
        assert!(ran.text().starts_with("valid: "), "{}", ran.text());
        let validation = gemtrail(arguments.iter().chain(&["--json"])).done().json();
        assert_eq!(validation["schema"], "gemtrail.validation/1");
        assert_eq!(validation["against"], against);
        assert_eq!(validation["violations"], serde_json::json!([]));
    }
}

#[test]
fn each_violation_is_told_with_its_path() {
    let good = fs::read_to_string(worked("record-v3.json")).unwrap();
    for (from, to, path) in [
        (
            r#""type": "user""#,
            r#""type": "human""#,
            "$.session.entries[0]",
        ),
        (
            r#""total": 8274"#,
            r#""total": -8274"#,
            "$.session.entries[1].token-usage.total",
        ),
        (
            r#""timestamp": "2026-03-04T09:15:21.000Z""#,
            r#""timestamp": null"#,
            "$.session.entries[2].timestamp",
        ),
        (
            r#""timestamp": "2026-03-04T09:15:06.012Z""#,
            r#""timestamp": "noon""#,
            "$.session.entries[1].children[0].timestamp",
        ),
        (r#""model-provider": "google","#, "", "$.session.agent-meta"),
    ] {
        let broken = good.replacen(from, to, 1);
        assert_ne!(broken, good, "{from}");
        let ran = check(&broken);
        assert_eq!(ran.code, 1);
        let validation = ran.json();
        assert_eq!(validation["verdict"], "invalid");
        let found = validation["violations"][0]["path"].as_str().unwrap();
        assert!(found.starts_with(path), "{found}");
    }
}

#[test]
fn what_is_no_json_is_malformed() {
    for text in ["", "{", "hello", r#"{"a":1,"a":2}"#] {
        let ran = check(text);
        assert_eq!(ran.code, 1);
        assert_eq!(ran.json()["verdict"], "malformed", "{text:?}");
    }
    assert_eq!(check("{}").json()["verdict"], "invalid");
}

#[test]
fn wrong_use_is_told_apart() {
    assert_eq!(gemtrail(["verify", "--schema-only"]).code, 2);
    assert_eq!(gemtrail(["verify"]).code, 2);
    let missing = ["verify", "--schema-only", "--record", "/no/such/file"];
    assert_eq!(gemtrail(missing).code, 2);
}

#[test]
fn a_record_for_both_versions_is_held_against_both() {
    let dual = fs::read_to_string(worked("record-dual.json")).unwrap();
    let good = check(&dual);
    assert_eq!((good.code, good.json()["also"].as_str()), (0, Some("v2")));
    // The newest version has open maps, the first one has not.
    let broken = dual.replacen(r#""session-id""#, r#""mood": "fine", "session-id""#, 1);
    let ran = check(&broken);
    assert_eq!(ran.code, 1);
    let validation = ran.json();
    assert_eq!(validation["verdict"], "invalid");
    let message = validation["violations"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("under version 2: "), "{message}");

    let newest = check(&fs::read_to_string(worked("record-v3.json")).unwrap());
    assert_eq!((newest.code, newest.json()["also"].as_str()), (0, None));
}
