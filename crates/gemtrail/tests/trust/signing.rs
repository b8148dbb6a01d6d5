//! `sign` and `verify`, where all is well or a file is missing.

use std::fs;

use gemtrail_attest::{Algorithm, SigningKey};
use tempfile::TempDir;

use crate::common::{JOURNAL, VERIFY, gemtrail, repository, run_in, signed, worked};

#[test]
fn the_signing_vector_comes_out_byte_for_byte() {
    let dir = TempDir::new().unwrap();
    let seed = std::array::from_fn(|index| u8::try_from(index).unwrap());
    let key = SigningKey::from_seed(Algorithm::Ed25519, &seed).unwrap();
    fs::write(dir.path().join("key.pem"), key.to_pem().unwrap().as_bytes()).unwrap();
    fs::copy(worked("record-v3.json"), dir.path().join("r.json")).unwrap();
    run_in(
        &dir,
        "sign --key {}/key.pem --record {}/r.json --out {}/r.sig",
    )
    .done();
    assert_eq!(
        fs::read(dir.path().join("r.sig")).unwrap(),
        fs::read(worked("record-v3.sig.cbor")).unwrap()
    );
}

#[test]
fn a_good_signature_is_valid_in_words_and_as_json() {
    let dir = signed();
    let ran = run_in(&dir, VERIFY).done();
    assert!(ran.text().starts_with("valid\n"), "{}", ran.text());
    assert!(ran.text().contains("does not show"), "its limits are told");
    let verdict = run_in(&dir, &format!("{VERIFY} --json")).done().json();
    assert_eq!(verdict["schema"], "gemtrail.verdict/1");
    assert_eq!(verdict["verdict"], "valid");
    assert_eq!(verdict["issuer"], "google");
    assert_eq!(verdict["subject"], "5b1e0a52-3c44-4f0e-9a55-2f7d1c9e8b10");
}

#[test]
fn issuer_and_subject_can_be_chosen() {
    let dir = signed();
    run_in(
        &dir,
        "sign --key {}/signing-key.pem --record {}/record.json --out {}/record.sig --force --issuer me --subject it",
    )
    .done();
    let verdict = run_in(&dir, &format!("{VERIFY} --json")).done().json();
    assert_eq!(
        (&verdict["issuer"], &verdict["subject"]),
        (&"me".into(), &"it".into())
    );
}

#[test]
fn an_attached_payload_needs_no_record() {
    let dir = signed();
    run_in(
        &dir,
        "sign --key {}/signing-key.pem --record {}/record.json --out {}/whole.sig --attached",
    )
    .done();
    let alone = "verify --key {}/signing-key.pub.pem --sig {}/whole.sig";
    run_in(&dir, alone).done();
    run_in(&dir, &format!("{alone} --record {{}}/record.json")).done();
    fs::copy(worked("record-dual.json"), dir.path().join("record.json")).unwrap();
    let ran = run_in(&dir, &format!("{alone} --record {{}}/record.json"));
    assert_eq!(ran.code, 1, "another record than the attached one");
}

#[test]
fn a_detached_signature_without_record_is_undecided() {
    let dir = signed();
    let ran = run_in(
        &dir,
        "verify --key {}/signing-key.pub.pem --sig {}/record.sig",
    );
    assert_eq!(ran.code, 1);
    assert!(ran.text().starts_with("undecided: "), "{}", ran.text());
    assert!(!ran.text().contains("A valid signature"), "{}", ran.text());
}

#[test]
fn a_session_file_can_be_signed_as_it_is() {
    let dir = signed();
    let log = repository().join("examples/home/.gemini/tmp/sea-glass/chats");
    let log = fs::read_dir(log).unwrap().next().unwrap().unwrap().path();
    for journal in [worked(JOURNAL), log] {
        fs::copy(&journal, dir.path().join("journal")).unwrap();
        run_in(
            &dir,
            "sign --key {}/signing-key.pem --record {}/journal --out {}/journal.sig --force",
        )
        .done();
        let verify = "verify --key {}/signing-key.pub.pem --sig {}/journal.sig --record {}/journal";
        run_in(&dir, verify).done();
        let mut bytes = fs::read(dir.path().join("journal")).unwrap();
        bytes.push(b'\n');
        fs::write(dir.path().join("journal"), bytes).unwrap();
        assert_eq!(run_in(&dir, verify).code, 1, "its bytes count");
    }
}

#[test]
fn a_record_in_cbor_has_the_signature_of_the_same_record_in_json() {
    let dir = signed();
    let journal = worked(JOURNAL);
    let journal = journal.to_str().unwrap();
    for (encoding, name) in [("json", "record.json"), ("cbor", "record.cbor")] {
        let ran = gemtrail(["convert", journal, "--to", "vac", "--encoding", encoding]).done();
        fs::write(dir.path().join(name), ran.stdout).unwrap();
    }
    run_in(
        &dir,
        "sign --key {}/signing-key.pem --record {}/record.cbor --out {}/record.sig --force",
    )
    .done();
    run_in(&dir, VERIFY).done();
}

#[test]
fn an_existing_signature_is_kept() {
    let dir = signed();
    let before = fs::read(dir.path().join("record.sig")).unwrap();
    let sign =
        "sign --key {}/signing-key.pem --record {}/record.json --out {}/record.sig --attached";
    assert_eq!(run_in(&dir, sign).code, 2);
    assert_eq!(fs::read(dir.path().join("record.sig")).unwrap(), before);
}

#[test]
fn files_that_cannot_be_read_are_no_verdict() {
    for missing in ["signing-key.pub.pem", "record.sig", "record.json"] {
        let dir = signed();
        fs::remove_file(dir.path().join(missing)).unwrap();
        let ran = run_in(&dir, VERIFY);
        assert_eq!((ran.code, ran.text()), (2, ""), "{missing}");
        assert!(ran.stderr.contains(missing), "{}", ran.stderr);
    }
}

#[test]
fn what_is_no_record_is_not_signed() {
    let dir = signed();
    for bytes in [
        &b""[..],
        b"{}",
        b"[1",
        b"hello",
        b"\xa1",
        b"{\"session\":{}}",
    ] {
        fs::write(dir.path().join("odd"), bytes).unwrap();
        let ran = run_in(
            &dir,
            "sign --key {}/signing-key.pem --record {}/odd --out {}/odd.sig",
        );
        assert_eq!(ran.code, 2, "{bytes:?}");
        assert!(!dir.path().join("odd.sig").exists());
    }
}

#[test]
fn an_invalid_record_is_signed_with_a_warning() {
    let dir = signed();
    let record = fs::read_to_string(dir.path().join("record.json")).unwrap();
    let broken = record.replacen(r#""type": "user""#, r#""type": "human""#, 1);
    assert_ne!(broken, record);
    fs::write(dir.path().join("record.json"), broken).unwrap();
    let sign = "sign --key {}/signing-key.pem --record {}/record.json --out {}/record.sig --force";
    let ran = run_in(&dir, sign).done();
    assert!(ran.stderr.contains("--schema-only"), "{}", ran.stderr);
    run_in(&dir, VERIFY).done();
}
