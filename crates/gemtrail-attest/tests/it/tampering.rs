//! Whatever is done to a signed record, the answer is a verdict, and it is not `valid`.

use gemtrail_attest::value::{Layout, Value};
use gemtrail_attest::{
    Algorithm, Outcome, Payload, SignOptions, SigningKey, VerifyingKey, sign, verify,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::common::worked::{self, test_key};

/// A signed envelope and what it was signed over.
struct Signed {
    key: VerifyingKey,
    envelope: Vec<u8>,
    record: Vec<u8>,
}

fn signed(algorithm: Algorithm, record: &[u8], attached: bool) -> Signed {
    let key = SigningKey::from_seed(algorithm, &[5; 32]).unwrap();
    let options = SignOptions {
        attached,
        ..SignOptions::default()
    };
    Signed {
        envelope: sign(&key, &Payload::read(record).unwrap(), &options).unwrap(),
        key: key.verifying_key(),
        record: record.to_vec(),
    }
}

/// Every envelope that this crate makes: both algorithms, both forms, a record and a journal.
fn all_kinds() -> Vec<Signed> {
    let mut all = Vec::new();
    for algorithm in [Algorithm::Ed25519, Algorithm::Es256] {
        for attached in [false, true] {
            for record in [worked::CANONICAL, worked::JOURNAL.as_bytes()] {
                all.push(signed(algorithm, record, attached));
            }
        }
    }
    all
}

fn flipped(bytes: &[u8], at: usize, mask: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= mask;
    bytes
}

/// Each bit of each byte of the envelope, without sampling.
#[test]
fn every_flipped_bit_of_the_signature_fails() {
    let signed = Signed {
        key: test_key().verifying_key(),
        envelope: worked::SIGNATURE.to_vec(),
        record: worked::CANONICAL.to_vec(),
    };
    for at in 0..signed.envelope.len() {
        for bit in 0..8 {
            let envelope = flipped(&signed.envelope, at, 1 << bit);
            let verdict = verify(&signed.key, &envelope, Some(&signed.record));
            assert!(!verdict.is_valid(), "byte {at}, bit {bit}: {verdict}");
        }
    }
}

/// Each byte of the record, one bit each.
#[test]
fn every_flipped_byte_of_the_record_fails() {
    let key = test_key().verifying_key();
    for at in 0..worked::CANONICAL.len() {
        let record = flipped(worked::CANONICAL, at, 1 << (at % 8));
        let verdict = verify(&key, worked::SIGNATURE, Some(&record));
        assert!(!verdict.is_valid(), "byte {at}: {verdict}");
    }
}

#[test]
fn every_truncation_fails_with_a_verdict() {
    let key = test_key().verifying_key();
    for end in 0..worked::SIGNATURE.len() {
        let verdict = verify(&key, &worked::SIGNATURE[..end], Some(worked::CANONICAL));
        assert_eq!(verdict.verdict, Outcome::Malformed, "{end} bytes");
    }
    for end in (0..worked::CANONICAL.len()).step_by(17) {
        let verdict = verify(&key, worked::SIGNATURE, Some(&worked::CANONICAL[..end]));
        assert!(!verdict.is_valid(), "{end} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_changed_byte_of_any_envelope_fails(at in any::<Index>(), mask in 1..=u8::MAX) {
        for signed in all_kinds() {
            let envelope = flipped(&signed.envelope, at.index(signed.envelope.len()), mask);
            let verdict = verify(&signed.key, &envelope, Some(&signed.record));
            prop_assert!(!verdict.is_valid(), "{verdict}");
        }
    }

    #[test]
    fn any_changed_byte_of_any_payload_fails(at in any::<Index>(), mask in 1..=u8::MAX) {
        for signed in all_kinds() {
            let record = flipped(&signed.record, at.index(signed.record.len()), mask);
            let verdict = verify(&signed.key, &signed.envelope, Some(&record));
            prop_assert!(!verdict.is_valid(), "{verdict}");
        }
    }

    /// A file may be formatted in many ways; changing a byte of it fails verification unless its
    /// meaning stays the same, as with white space between members.
    #[test]
    fn a_changed_byte_of_a_pretty_record_fails_or_changes_nothing(
        at in any::<Index>(),
        mask in 1..=u8::MAX,
    ) {
        let original = worked::RECORD_V3.as_bytes();
        let record = flipped(original, at.index(original.len()), mask);
        let verdict = verify(&test_key().verifying_key(), worked::SIGNATURE, Some(&record));
        let says_the_same = Value::parse_bytes(&record)
            .is_ok_and(|value| value.to_json(Layout::Canonical).as_bytes() == worked::CANONICAL);
        prop_assert_eq!(verdict.is_valid(), says_the_same);
    }

    #[test]
    fn noise_gives_a_verdict(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
        let key = test_key().verifying_key();
        let verdict = verify(&key, &noise, Some(worked::CANONICAL));
        prop_assert!(!verdict.is_valid());
        let verdict = verify(&key, worked::SIGNATURE, Some(&noise));
        prop_assert!(!verdict.is_valid());
    }

    /// Noise that starts like an envelope gets further.
    #[test]
    fn noise_after_a_good_beginning_gives_a_verdict(
        cut in any::<Index>(),
        noise in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut envelope = worked::SIGNATURE[..cut.index(worked::SIGNATURE.len())].to_vec();
        envelope.extend(noise);
        let verdict = verify(&test_key().verifying_key(), &envelope, Some(worked::CANONICAL));
        prop_assert!(!verdict.is_valid() || envelope == worked::SIGNATURE);
    }
}
