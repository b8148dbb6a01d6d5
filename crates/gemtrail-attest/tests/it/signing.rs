//! Signing and verifying, in the good case and in bad ones.

use gemtrail_attest::value::{Layout, Value};
use gemtrail_attest::{
    Algorithm, CheckResult, Outcome, Payload, PayloadError, SignError, SignOptions, SigningKey,
    Timestamp, Verdict, cbor, sign, verify,
};

use crate::common::tree;
use crate::common::worked::{self, test_key};

fn sign_default(payload: &Payload<'_>) -> Vec<u8> {
    sign(&test_key(), payload, &SignOptions::default()).unwrap()
}

fn verify_default(envelope: &[u8], record: Option<&[u8]>) -> Verdict {
    verify(&test_key().verifying_key(), envelope, record)
}

fn failed(verdict: &Verdict) -> Vec<&str> {
    let checks = verdict.checks.iter();
    checks
        .filter(|check| check.result == CheckResult::Failed)
        .map(|check| check.check.as_str())
        .collect()
}

#[test]
fn the_test_vector_byte_for_byte() {
    let payload = Payload::read(worked::RECORD_V3.as_bytes()).unwrap();
    assert_eq!(payload.bytes(), worked::CANONICAL);
    assert_eq!(
        payload.content_hash(),
        "19181989e7e1fa9d72c4ef4ebfbb16e1ca9e40b827be9175baf99be6b5c539e2"
    );
    assert_eq!(sign_default(&payload), worked::SIGNATURE);
}

#[test]
fn the_signature_of_the_reference_signer_is_valid() {
    let pretty = worked::RECORD_V3.as_bytes();
    let as_cbor = cbor::encode(&tree(worked::RECORD_V3)).unwrap();
    for record in [pretty, worked::CANONICAL, &as_cbor] {
        let verdict = verify_default(worked::SIGNATURE, Some(record));
        assert!(verdict.is_valid(), "{verdict}");
        assert!(
            verdict
                .checks
                .iter()
                .all(|check| check.result == CheckResult::Passed)
        );
        assert_eq!(verdict.issuer.as_deref(), Some("google"));
        assert_eq!(
            verdict.subject.as_deref(),
            Some("5b1e0a52-3c44-4f0e-9a55-2f7d1c9e8b10")
        );
    }
}

#[test]
fn every_record_algorithm_and_form() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Es256] {
        let key = SigningKey::from_seed(algorithm, &[3; 32]).unwrap();
        for record in [worked::RECORD_V3, worked::RECORD_V2, worked::RECORD_DUAL] {
            let payload = Payload::read(record.as_bytes()).unwrap();
            for attached in [false, true] {
                let options = SignOptions {
                    attached,
                    ..SignOptions::default()
                };
                let envelope = sign(&key, &payload, &options).unwrap();
                let verdict = verify(&key.verifying_key(), &envelope, Some(record.as_bytes()));
                assert!(verdict.is_valid(), "{verdict}");
                assert_eq!(verdict.attached, Some(attached));
                let alone = verify(&key.verifying_key(), &envelope, None);
                let expected = if attached {
                    Outcome::Valid
                } else {
                    Outcome::Undecided
                };
                assert_eq!(alone.verdict, expected, "{alone}");
            }
        }
    }
}

#[test]
fn issuer_and_subject_can_be_chosen() {
    let payload = Payload::read(worked::RECORD_V3.as_bytes()).unwrap();
    let options = SignOptions {
        issuer: Some("Dana".to_owned()),
        subject: Some("pager".to_owned()),
        ..SignOptions::default()
    };
    let envelope = sign(&test_key(), &payload, &options).unwrap();
    let verdict = verify_default(&envelope, Some(worked::RECORD_V3.as_bytes()));
    assert!(verdict.is_valid());
    assert_eq!(verdict.issuer.as_deref(), Some("Dana"));
    assert_eq!(verdict.subject.as_deref(), Some("pager"));
}

#[test]
fn a_raw_journal_can_be_signed() {
    let log = "{\"sessionId\":\"s\",\"projectHash\":\"h\",\"startTime\":\"2026-01-01T00:00:00Z\"}\n{\"id\":\"m\",\"model\":\"gemini-a\"}\n{\"id\":\"torn";
    for journal in [worked::JOURNAL, log] {
        let envelope = sign_default(&Payload::read(journal.as_bytes()).unwrap());
        let verdict = verify_default(&envelope, Some(journal.as_bytes()));
        assert!(verdict.is_valid(), "{verdict}");
        assert!(contains(&envelope, "gemini-json"));
        // Every byte counts, even white space.
        let touched = format!("{journal} ");
        assert_eq!(
            verify_default(&envelope, Some(touched.as_bytes())).verdict,
            Outcome::Invalid
        );
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[test]
fn another_key_does_not_verify() {
    let other = SigningKey::from_seed(Algorithm::Ed25519, &[9; 32]).unwrap();
    let record = Some(worked::RECORD_V3.as_bytes());
    let verdict = verify(&other.verifying_key(), worked::SIGNATURE, record);
    assert_eq!(failed(&verdict), ["signature"]);
    let other_kind = SigningKey::from_seed(Algorithm::Es256, &[9; 32]).unwrap();
    let verdict = verify(&other_kind.verifying_key(), worked::SIGNATURE, record);
    assert_eq!(failed(&verdict), ["algorithm"]);
    assert_eq!(
        verdict.reason.as_deref(),
        Some("algorithm: signed with Ed25519, but the key is ES256")
    );
}

#[test]
fn another_record_does_not_verify() {
    let other = worked::RECORD_V3.replace("Round the division up", "Round the division down");
    let verdict = verify_default(worked::SIGNATURE, Some(other.as_bytes()));
    assert_eq!(verdict.verdict, Outcome::Invalid);
    assert_eq!(failed(&verdict), ["signature", "content-hash"]);
    let verdict = verify_default(worked::SIGNATURE, Some(worked::RECORD_DUAL.as_bytes()));
    assert_eq!(verdict.verdict, Outcome::Invalid);
}

#[test]
fn an_attached_payload_has_to_be_the_record() {
    let payload = Payload::read(worked::RECORD_V3.as_bytes()).unwrap();
    let options = SignOptions {
        attached: true,
        ..SignOptions::default()
    };
    let envelope = sign(&test_key(), &payload, &options).unwrap();
    let verdict = verify_default(&envelope, Some(worked::RECORD_DUAL.as_bytes()));
    assert_eq!(failed(&verdict), ["payload"]);
}

/// The reference envelope with some text of its unprotected header replaced.
fn with_metadata(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = worked::SIGNATURE
        .windows(from.len())
        .rposition(|window| window == from.as_bytes())
        .unwrap();
    let mut envelope = worked::SIGNATURE.to_vec();
    envelope[at..at + to.len()].copy_from_slice(to.as_bytes());
    envelope
}

/// The reference envelope with an algorithm in its unprotected header as well.
fn with_claimed_algorithm(value: &[u8]) -> Vec<u8> {
    let metadata = [0xa1, 0x18, 100];
    let at = worked::SIGNATURE
        .windows(metadata.len())
        .position(|window| window == metadata)
        .unwrap();
    let (before, after) = worked::SIGNATURE.split_at(at);
    [before, &[0xa2, 0x01], value, &after[1..]].concat()
}

#[test]
fn an_algorithm_that_contradicts_the_signed_one_fails() {
    let record = Some(worked::RECORD_V3.as_bytes());
    let repeated = verify_default(&with_claimed_algorithm(&[0x27]), record);
    assert_eq!(repeated.verdict, Outcome::Valid, "{repeated}");
    for other in [
        &[0x26][..],
        &[0x05],
        &[0x65, b'E', b'd', b'D', b'S', b'A'],
        &[0xf6],
    ] {
        let verdict = verify_default(&with_claimed_algorithm(other), record);
        assert_eq!(verdict.verdict, Outcome::Invalid, "{verdict}");
        assert_eq!(failed(&verdict), ["algorithm"], "{other:x?}");
    }
}

#[test]
fn metadata_that_disagrees_with_the_record_fails() {
    for (from, to, check) in [
        ("5b1e0a52", "6b1e0a52", "session-id"),
        ("fgoogle", "fgaagle", "agent-vendor"),
        ("ietf-vac-v3.0", "ietf-vac-v2.0", "trace-format"),
        ("ietf-vac-v3.0", "claude-jsonls", "trace-format"),
        ("19181989", "29181989", "content-hash"),
        ("sha-256", "sha-512", "content-hash-alg"),
        (
            "2026-03-04T09:15:02.101Z",
            "2025-03-04T09:15:02.101Z",
            "timestamp-start",
        ),
        (
            "2026-03-04T09:16:40.900Z",
            "2026-03-04T09:16:40.901Z",
            "timestamp-end",
        ),
    ] {
        let record = Some(worked::RECORD_V3.as_bytes());
        let verdict = verify_default(&with_metadata(from, to), record);
        assert_eq!(verdict.verdict, Outcome::Invalid);
        assert_eq!(failed(&verdict), [check], "{from} → {to}");
    }
    let record = Some(worked::RECORD_V3.as_bytes());
    let renamed = verify_default(&with_metadata("agent-vendor", "agent-wendor"), record);
    assert_eq!(failed(&renamed), ["metadata", "metadata", "agent-wendor"]);
}

#[test]
fn metadata_of_a_time_that_the_record_does_not_have() {
    let mut record = tree(worked::RECORD_V3);
    let Value::Object(members) = &mut record else {
        panic!("a record is an object")
    };
    let Some(Value::Object(trace)) = members.get_mut("session") else {
        panic!("a record has a session")
    };
    trace.shift_remove("session-start");
    members.insert("created".to_owned(), "2020-02-02T00:00:00Z".into());
    let created = sign_default(&Payload::of_record(&record).unwrap());
    assert!(contains(&created, "2020-02-02T00:00:00Z"));

    let Value::Object(members) = &mut record else {
        panic!("a record is an object")
    };
    members.shift_remove("created");
    let payload = Payload::of_record(&record).unwrap();
    let timeless = sign(&test_key(), &payload, &SignOptions::default());
    assert_eq!(timeless, Err(SignError::NoStartTime));

    let options = SignOptions {
        fallback_start: Timestamp::parse("2027-01-01T00:00:00Z"),
        ..SignOptions::default()
    };
    let envelope = sign(&test_key(), &payload, &options).unwrap();
    let json = record.to_json(Layout::Compact);
    let verdict = verify_default(&envelope, Some(json.as_bytes()));
    assert!(verdict.is_valid(), "{verdict}");
    let skipped = verdict
        .checks
        .iter()
        .find(|check| check.result == CheckResult::Skipped);
    assert_eq!(
        skipped.map(|check| check.check.as_str()),
        Some("timestamp-start")
    );
}

#[test]
fn what_cannot_be_signed() {
    let error = |bytes: &[u8]| Payload::read(bytes).unwrap_err();
    assert_eq!(error(b""), PayloadError::Empty);
    assert_eq!(error(b"{}"), PayloadError::Unknown);
    assert_eq!(
        error(br#"{"session":{}}"#),
        PayloadError::Missing("$.version")
    );
    assert!(matches!(error(b"{\"a\":"), PayloadError::Json(_)));
    assert!(matches!(error(&[0xa1, 0x01]), PayloadError::Cbor(_)));
    assert!(matches!(
        error(br#"{"version":"3.0.0-draft","version":"2","session":{}}"#),
        PayloadError::Json(_)
    ));
}

#[test]
fn the_verdict_in_words_and_as_json() {
    let verdict = verify_default(worked::SIGNATURE, Some(worked::RECORD_V3.as_bytes()));
    let words = verdict.to_string();
    assert!(words.starts_with("valid\n  issuer   google\n"), "{words}");
    assert!(
        words.contains("does not show that the conversation took place"),
        "{words}"
    );
    let json = serde_json::to_value(&verdict).unwrap();
    assert_eq!(json["schema"], "gemtrail.verdict/1");
    assert_eq!(json["verdict"], "valid");
    assert_eq!(json["checks"][1]["check"], "signature");
    assert_eq!(json["checks"][1]["result"], "passed");

    let hostile = SignOptions {
        issuer: Some("\u{1b}[2Jroot\u{7}".to_owned()),
        ..SignOptions::default()
    };
    let payload = Payload::read(worked::RECORD_V3.as_bytes()).unwrap();
    let envelope = sign(&test_key(), &payload, &hostile).unwrap();
    let words = verify_default(&envelope, Some(worked::RECORD_V3.as_bytes())).to_string();
    assert!(
        !words.contains('\u{1b}') && !words.contains('\u{7}'),
        "{words:?}"
    );
}
