//! `vac` as a format of `convert` and `export`.

use gemtrail_attest::cbor;
use gemtrail_attest::value::{Layout, Value as Tree};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{JOURNAL, Ran, gemtrail, piped, repository, worked};

const ROOT: &str = "/home/dana/widget";

fn convert(options: &[&str]) -> Ran {
    let journal = worked(JOURNAL);
    let start = ["convert", journal.to_str().unwrap(), "--to", "vac"];
    gemtrail(start.iter().chain(options))
}

fn expected(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(worked(name)).unwrap()).unwrap()
}

/// The program that made it aside.
fn without_recorder(mut record: Value) -> Value {
    record.as_object_mut().unwrap().remove("recording-agent");
    record
}

#[test]
fn c_6_the_worked_example_comes_out_exactly_in_each_profile() {
    for (profile, name) in [
        ("v3", "record-v3.json"),
        ("v2", "record-v2-seed.json"),
        ("dual", "record-dual.json"),
    ] {
        let ran = convert(&["--profile", profile, "--project-root", ROOT]).done();
        let record = without_recorder(ran.json());
        assert_eq!(record, without_recorder(expected(name)), "{profile}");
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn the_binary_names_itself_as_the_recorder() {
    let record = convert(&[]).done().json();
    assert_eq!(record["recording-agent"]["name"], "gemtrail");
    assert_eq!(
        record["recording-agent"]["version"],
        env!("CARGO_PKG_VERSION")
    );
}

#[test]
fn cbor_holds_the_same_tree() {
    for profile in ["v3", "v2", "dual"] {
        let json = convert(&["--profile", profile]).done();
        let binary = convert(&["--profile", profile, "--encoding", "cbor"]).done();
        let tree = cbor::decode(&binary.stdout).unwrap();
        assert_eq!(tree, Tree::parse_bytes(&json.stdout).unwrap());
        assert_eq!(
            tree.to_json(Layout::Canonical),
            Tree::parse_bytes(&json.stdout)
                .unwrap()
                .to_json(Layout::Canonical)
        );
    }
}

#[test]
fn c_22_created_and_c_23_format_can_be_chosen() {
    let record = convert(&["--created", "2027-01-02T03:04:05Z"])
        .done()
        .json();
    assert_eq!(record["created"], "2027-01-02T03:04:05Z");
    let record = convert(&["--created", "now", "--session-format", "autonomous"])
        .done()
        .json();
    assert_ne!(record["created"], record["session"]["session-start"]);
    assert!(record["created"].as_str().unwrap().ends_with('Z'));
    assert_eq!(record["session"]["format"], "autonomous");
    assert_eq!(convert(&["--created", "tomorrow"]).code, 2);
}

#[test]
fn a_root_is_taken_only_if_its_hash_fits() {
    let ran = convert(&["--project-root", "/home/dana/other"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.is_empty());
    let record = convert(&[]).done().json();
    assert_eq!(record["session"].get("environment"), None);
}

#[test]
fn a_session_of_several_journals_is_one_record() {
    let home = repository().join("examples/home");
    let home = home.to_str().unwrap();
    let list = gemtrail(["--home", home, "list", "--json"]).done();
    let journals = |row: &Value| row["journals"].as_array().map_or(0, Vec::len);
    let split = list
        .text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|row| journals(row) > 1)
        .expect("the sample home has a session of several files");
    let id = split["id"].as_str().unwrap();
    let record = gemtrail(["--home", home, "export", id, "--format", "vac"])
        .done()
        .json();
    let entries = record["session"]["entries"].as_array().unwrap();
    let continued: Vec<_> = entries
        .iter()
        .filter(|entry| entry["event-type"] == "session-continued")
        .collect();
    assert!(!continued.is_empty());
    for event in continued {
        let file = event["data"]["file"].as_str().unwrap();
        assert!(
            file.starts_with("session-") && !file.contains('/'),
            "{file}"
        );
    }
}

#[test]
fn files_in_a_directory_have_their_own_endings() {
    let home = repository().join("examples/home");
    let home = home.to_str().unwrap();
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("records/");
    for (encoding, ending) in [("json", ".vac.json"), ("cbor", ".vac.cbor")] {
        let arguments = ["--home", home, "export", "latest", "--format", "vac", "-o"];
        let options = [out.to_str().unwrap(), "--encoding", encoding];
        gemtrail(arguments.iter().chain(&options)).done();
        let names = std::fs::read_dir(&out).unwrap();
        let count = names
            .filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_str().unwrap().ends_with(ending)
            })
            .count();
        assert_eq!(count, 1, "{ending}");
    }
}

#[test]
fn what_has_no_id_gets_one_from_its_content() {
    let nameless =
        |words: &str| format!(r#"{{"messages":[{{"id":"m","type":"user","content":"{words}"}}]}}"#);
    let id = |words: &str| {
        let ran = piped(&nameless(words), ["convert", "-", "--to", "vac"]).done();
        let record = ran.json();
        assert_eq!(record["id"], record["session"]["session-id"]);
        let document = piped(&nameless(words), ["convert", "-", "--to", "json"]).done();
        assert_eq!(document.json()["id"], record["id"]);
        assert_eq!(document.json()["stems"], serde_json::json!([]));
        record["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(id("one").len(), 36);
    assert_eq!(id("one"), id("one"));
    assert_ne!(id("one"), id("two"));

    let dir = TempDir::new().unwrap();
    let file = dir.path().join("notes.json");
    std::fs::write(&file, nameless("one")).unwrap();
    for format in ["vac", "json"] {
        let ran = gemtrail(["convert", file.to_str().unwrap(), "--to", format]).done();
        assert_eq!(ran.json()["id"], "notes");
    }
}
