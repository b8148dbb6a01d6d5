//! Which lines the conversation wrote, from the diffs that edit tools stored.

use gemtrail_attest::vac::{Profile, RecordOptions, record};
use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::value::Value;
use gemtrail_core::model::{Session, State, SupersededBy};
use sha2::{Digest, Sha256};

use crate::common::{session_of, tree};

/// A message with one edit. The model is the message's id.
fn edit(model: &str, path: &str, before: &str, after: &str, hunks: &str) -> String {
    format!(
        r#"{{"type":"gemini","model":"{model}","toolCalls":[{{"name":"replace","args":{{"file_path":{path:?}}},
        "status":"success","result":[],"resultDisplay":{{"fileDiff":{hunks:?},"fileName":"f","filePath":{path:?},
        "originalContent":{before:?},"newContent":{after:?}}}}}]}}"#
    )
}

fn attribution(session: &Session) -> Option<Value> {
    let options = RecordOptions {
        project_root: Some("/w".to_owned()),
        ..RecordOptions::default()
    };
    let record = record(session, &options).value;
    assert_eq!(validate(&record, Schema::V3), []);
    record.get("file-attribution").cloned()
}

fn of(messages: &[String]) -> Option<Value> {
    attribution(&session_of(&messages.join(",")))
}

fn hash(lines: &str) -> String {
    let bytes = Sha256::digest(lines);
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves
        .filter_map(|half| char::from_digit(half.into(), 16))
        .collect()
}

const CREATE: (&str, &str, &str) = ("", "a\nb\nc\n", "@@ -0,0 +1,3 @@\n+a\n+b\n+c\n");
const INSERT: (&str, &str, &str) = (
    "a\nb\nc\n",
    "x\na\nB\nc\n",
    "@@ -1,3 +1,4 @@\n+x\n a\n-b\n+B\n c\n",
);

fn created(model: &str) -> String {
    edit(model, "/w/f", CREATE.0, CREATE.1, CREATE.2)
}

fn inserted(model: &str) -> String {
    edit(model, "/w/f", INSERT.0, INSERT.1, INSERT.2)
}

#[test]
fn a_written_file_is_attributed_to_the_model() {
    let expected = format!(
        r#"{{"files":[{{"path":"f","conversations":[{{"contributor":{{"type":"ai","model-id":"gemini-a"}},
        "ranges":[{{"start-line":1,"end-line":3,"content-hash":"{}","content-hash-alg":"sha-256"}}]}}]}}]}}"#,
        hash("a\nb\nc\n")
    );
    assert_eq!(of(&[created("gemini-a")]), Some(tree(&expected)));
}

#[test]
fn earlier_lines_are_followed_through_later_edits() {
    let range = |from: u64, to: u64, lines: &str, more: &str| {
        format!(
            r#"{{"start-line":{from},"end-line":{to},"content-hash":"{}","content-hash-alg":"sha-256"{more}}}"#,
            hash(lines)
        )
    };
    let first = r#","contributor":{"type":"ai","model-id":"gemini-a"}"#;
    let expected = format!(
        r#"{{"files":[{{"path":"f","conversations":[{{"contributor":{{"type":"ai","model-id":"gemini-b"}},
        "ranges":[{},{},{},{}]}}]}}]}}"#,
        range(1, 1, "x\n", ""),
        range(2, 2, "a\n", first),
        range(3, 3, "B\n", ""),
        range(4, 4, "c\n", first),
    );
    assert_eq!(
        of(&[created("gemini-a"), inserted("gemini-b")]),
        Some(tree(&expected))
    );
}

/// The ranges of the only file, without hashes.
fn ranges(attribution: &Value) -> Vec<(String, String)> {
    let file = &attribution.get("files").unwrap().as_array().unwrap()[0];
    let conversation = &file.get("conversations").unwrap().as_array().unwrap()[0];
    let number = |range: &Value, name: &str| {
        range
            .get(name)
            .unwrap()
            .to_json(gemtrail_attest::value::Layout::Compact)
    };
    let ranges = conversation.get("ranges").unwrap().as_array().unwrap();
    ranges
        .iter()
        .map(|range| (number(range, "start-line"), number(range, "end-line")))
        .collect()
}

fn lines(pairs: &[(u8, u8)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .collect()
}

#[test]
fn neighbouring_lines_of_one_model_are_one_range() {
    let both = of(&[created("gemini-a"), inserted("gemini-a")]).unwrap();
    assert_eq!(ranges(&both), lines(&[(1, 4)]));
}

#[test]
fn a_change_from_outside_ends_what_is_known_about_earlier_lines() {
    let between = edit("m", "/w/f", "z\n", "z\ny\n", "@@ -1,1 +1,2 @@\n z\n+y\n");
    assert_eq!(
        ranges(&of(&[created("m"), between]).unwrap()),
        lines(&[(2, 2)])
    );
}

#[test]
fn edits_that_did_not_happen_are_not_attributed() {
    for (what, message) in [
        ("failed", created("m").replace("success", "error")),
        ("cancelled", created("m").replace("success", "cancelled")),
        (
            "outside of the project",
            created("m").replace("/w/f", "/etc/f"),
        ),
        (
            "overwritten, and nobody knows what was there",
            created("m").replace("originalContent", "other"),
        ),
        (
            "nothing but removals",
            edit("m", "/w/f", "a\nb\n", "a\n", "@@ -1,2 +1,1 @@\n a\n-b\n"),
        ),
    ] {
        assert_eq!(of(&[message]), None, "{what}");
    }
}

#[test]
fn edits_that_were_taken_back_are_not_attributed() {
    for (cause, stays) in [
        (SupersededBy::Compress, true),
        (SupersededBy::Resume, true),
        (SupersededBy::Restore, false),
        (SupersededBy::Rewind, false),
        (SupersededBy::Rollback, false),
        (SupersededBy::Unknown, false),
    ] {
        let mut session = session_of(&created("m"));
        session.messages[0].state = State::Superseded;
        session.messages[0].superseded_by = Some(cause);
        assert_eq!(attribution(&session).is_some(), stays, "{cause:?}");
    }
}

/// `diffStat` counts lines of the person in edits that nobody touched.
#[test]
fn lines_that_the_person_changed_are_the_persons() {
    let file = r#""file_path":"/w/f""#;
    let untouched = created("m").replace(
        r#""fileName":"f""#,
        r#""fileName":"f","diffStat":{"user_added_lines":1,"user_removed_lines":0}"#,
    );
    let changed = untouched.replacen(
        file,
        &format!(r#"{file},"modified_by_user":true,"ai_proposed_content":"a\nB\nc\n""#),
        1,
    );
    let authors = |message: &str| {
        let attribution = of(&[message.to_owned()]).unwrap();
        let json = attribution.to_json(gemtrail_attest::value::Layout::Compact);
        (
            json.contains(r#""type":"ai""#),
            json.contains(r#""type":"human""#),
        )
    };
    assert_eq!(authors(&untouched), (true, false));
    assert_eq!(authors(&changed), (true, true));
    assert_eq!(
        ranges(&of(&[changed]).unwrap()),
        lines(&[(1, 1), (2, 2), (3, 3)])
    );
}

#[test]
fn only_the_newest_schema_has_attribution() {
    let session = session_of(&created("m").replace("/w/f", "f"));
    for (profile, has_it) in [
        (Profile::V3, true),
        (Profile::V2, false),
        (Profile::Dual, false),
    ] {
        let options = RecordOptions {
            profile,
            ..RecordOptions::default()
        };
        let record = record(&session, &options).value;
        assert_eq!(
            record.get("file-attribution").is_some(),
            has_it,
            "{profile:?}"
        );
    }
}
