//! `vcon` as a format of `convert` and `export`, and in `sign` and `verify`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{gemtrail, piped, repository, run_in};

const STEM: &str = "session-2026-10-05T14-02-c0ffee12";

/// A directory with keys, the journal of the example, its vCon, and a signature of its record.
fn example() -> TempDir {
    let dir = TempDir::new().unwrap();
    let data = repository().join("crates/gemtrail-attest/tests/it/data/vcon");
    let journal = format!("{STEM}.jsonl");
    fs::copy(data.join(&journal), dir.path().join(&journal)).unwrap();
    let root = "--project-root /home/dana/widget";
    for format in ["vcon", "vac"] {
        let line = format!("convert {{}}/{journal} {root} -o {{}}/it.{format}.json");
        run_in(&dir, &line).done();
    }
    run_in(&dir, "keygen --out {}").done();
    let line = "sign --key {}/signing-key.pem --record {}/it.vac.json --out {}/it.sig";
    run_in(&dir, line).done();
    dir
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_example_comes_out_with_the_record_of_vac_in_it() {
    let dir = example();
    let vcon = read(&dir.path().join("it.vcon.json"));
    let record = read(&dir.path().join("it.vac.json"));
    assert_eq!(vcon["analysis"][0]["body"], record);
    let data = repository().join("crates/gemtrail-attest/tests/it/data/vcon");
    let mut expected = read(&data.join(format!("{STEM}.vcon.json")));
    expected["analysis"][0]["body"] = record;
    assert_eq!(vcon, expected);
}

#[test]
fn a_vcon_is_verified_by_its_record_and_not_signed() {
    let dir = example();
    let verify = "verify --key {}/signing-key.pub.pem --sig {}/it.sig --record {}/it.vcon.json";
    run_in(&dir, verify).done();
    let checked = run_in(&dir, "verify --schema-only --record {}/it.vcon.json --json").done();
    assert_eq!(checked.json()["vcon"], true);

    let sign = "sign --key {}/signing-key.pem --record {}/it.vcon.json --out {}/new.sig";
    let refused = run_in(&dir, sign);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("certificate"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: "), "{}", refused.stderr);
    assert!(!dir.path().join("new.sig").exists());
}

#[test]
fn a_vcon_that_is_wrong_is_invalid() {
    let dir = example();
    let file = dir.path().join("it.vcon.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replacen("\"text/plain\"", "\"text/markdown\"", 1),
    )
    .unwrap();
    let checked = run_in(&dir, "verify --schema-only --record {}/it.vcon.json");
    assert_eq!(checked.code, 1);
    assert!(checked.text().contains("$.dialog[0].mediatype"));
}

#[test]
fn disk_and_archive_give_the_same_bytes() {
    let dir = TempDir::new().unwrap();
    let home = repository().join("examples/home/.gemini");
    let home = home.to_str().unwrap();
    let line = |more: &str| format!("--home {home} {more}");
    run_in(&dir, &line("--archive {}/a.db sync --quiet")).done();
    run_in(
        &dir,
        &line("--no-archive export --all --format vcon -o {}/disk/"),
    )
    .done();
    run_in(
        &dir,
        "--archive {}/a.db --no-sync export --all --format vcon -o {}/archive/",
    )
    .done();
    let files: Vec<_> = fs::read_dir(dir.path().join("disk")).unwrap().collect();
    assert!(files.len() > 5);
    for file in files {
        let file = file.unwrap();
        let other = dir.path().join("archive").join(file.file_name());
        assert_eq!(
            fs::read(file.path()).unwrap(),
            fs::read(&other).unwrap(),
            "{other:?}"
        );
        let record = other.to_str().unwrap();
        gemtrail(["verify", "--schema-only", "--record", record]).done();
    }
}

#[test]
fn the_profiles_of_records_are_not_those_of_vcons() {
    for (format, profile, hint) in [
        ("vcon", "v3", "agent-session"),
        ("vcon", "dual", "agent-session"),
        ("vcon", "ai-agent", "agent-session"),
        ("vac", "agent-session", "v3, v2 and dual"),
    ] {
        let ran = piped("", ["convert", "-", "--to", format, "--profile", profile]);
        assert_eq!(ran.code, 2, "{format} {profile}");
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    }
    let ran = piped("", ["convert", "-", "--to", "vcon", "--encoding", "cbor"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_redacted_vcon_has_no_secret_and_no_digest_of_one() {
    let dir = TempDir::new().unwrap();
    let token = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let call = |id: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","name":"write_file","status":"success","args":{{"file_path":"{id}.txt","content":"{text}"}}}}"#
        )
    };
    let journal = format!(
        r#"{{"sessionId":"c0ffee12-7a1b","startTime":"2026-10-05T14:02:10.000Z","messages":[
        {{"id":"m1","type":"user","content":"Use {token}"}},
        {{"id":"m2","type":"gemini","content":"I use {token}","toolCalls":[{},{}]}}]}}"#,
        call("a", &token),
        call("b", "harmless")
    );
    fs::write(dir.path().join("s.json"), journal).unwrap();
    let plain = run_in(&dir, "convert {}/s.json --to vcon").done();
    assert!(plain.stderr.contains("1 secret"), "{}", plain.stderr);
    let redacted = run_in(&dir, "convert {}/s.json --to vcon --redact").done();
    let record = run_in(&dir, "convert {}/s.json --to vac --redact").done();
    assert!(!redacted.text().contains("A1b2C3"));
    let (plain, redacted) = (plain.json(), redacted.json());
    assert_eq!(redacted["analysis"][0]["body"], record.json());
    assert_eq!(redacted["redacted"]["uuid"], plain["uuid"]);
    assert_eq!(redacted["redacted"]["type"], "secrets");
    assert_eq!(
        redacted["dialog"][0]["body"],
        "Use [redacted:github-token:1]"
    );
    let digests = |vcon: &Value| {
        let attachments = vcon["attachments"].as_array().unwrap().iter();
        let digests = attachments.map(|it| it["body"].get("content_hash").is_some());
        digests.collect::<Vec<_>>()
    };
    assert_eq!(digests(&plain), [true, true]);
    assert_eq!(digests(&redacted), [false, true]);
}
