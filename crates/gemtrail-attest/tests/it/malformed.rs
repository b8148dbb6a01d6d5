//! Envelopes assembled wrongly, byte by byte.

use gemtrail_attest::{Outcome, Verdict, verify};

use crate::common::worked::{self, test_key};

const NULL: &[u8] = &[0xf6];
const NO_LABELS: &[u8] = &[0xa0];
const TEXT: &[u8] = &[0x61, b'x'];
const SIGN1: u8 = 0xd2;

/// Protected headers: algorithm, a critical label, claims of issuer and subject.
const ALGORITHM: &[u8] = &[0x01, 0x27];
const CRITICAL: &[u8] = &[0x02, 0x81, 0x18, 0x63];
const CLAIMS: &[u8] = &[0x0f, 0xa2, 0x01, 0x61, b'i', 0x02, 0x61, b's'];

/// A byte string of fewer than 256 bytes.
fn bytes(content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    [&[0x58, length], content].concat()
}

/// A map of these members, each a label and a value.
fn map(members: &[&[u8]]) -> Vec<u8> {
    let head = [0xa0 | u8::try_from(members.len()).unwrap()];
    [&head, &*members.concat()].concat()
}

/// A tagged array of these parts.
fn envelope(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let head = [tag, 0x80 | u8::try_from(parts.len()).unwrap()];
    [&head, &*parts.concat()].concat()
}

fn verdict(envelope: &[u8]) -> Verdict {
    let key = test_key().verifying_key();
    verify(&key, envelope, Some(worked::CANONICAL))
}

#[test]
fn wrong_parts_are_malformed_and_say_why() {
    let good = bytes(&map(&[ALGORITHM, CLAIMS]));
    let signature = bytes(&[0; 64]);
    let protected = |header: &[u8]| envelope(SIGN1, &[&bytes(header), NO_LABELS, NULL, &signature]);
    let unprotected = |header: &[u8]| envelope(SIGN1, &[&good, header, NULL, &signature]);
    for (bytes, reason) in [
        (Vec::new(), "empty"),
        (b"{}".to_vec(), "tagged"),
        (vec![0x84], "tagged"),
        (vec![SIGN1], "end of input"),
        (
            envelope(0xd1, &[&good, NO_LABELS, NULL, &signature]),
            "tag 17",
        ),
        (envelope(SIGN1, &[&good, NO_LABELS, NULL]), "not 3"),
        (
            envelope(SIGN1, &[TEXT, NO_LABELS, NULL, &signature]),
            "malformed CBOR",
        ),
        (
            envelope(SIGN1, &[&good, NO_LABELS, TEXT, &signature]),
            "malformed CBOR",
        ),
        (
            envelope(SIGN1, &[&good, NO_LABELS, NULL, NULL]),
            "malformed CBOR",
        ),
        (unprotected(NULL), "malformed CBOR"),
        (unprotected(&[0xbf, 0xff]), "indefinite"),
        (
            unprotected(&map(&[&[0x18, 100, 0xa0], &[0x18, 100, 0xa0]])),
            "twice",
        ),
        (unprotected(&map(&[&[0x18, 100, 0x61, b'x']])), "metadata"),
        (
            unprotected(&map(&[&[0x18, 100, 0xa1, 0x61, b'a', 0x41, 0]])),
            "no JSON form",
        ),
        (protected(&[]), "malformed CBOR"),
        (protected(&map(&[CLAIMS])), "no algorithm"),
        (protected(&map(&[ALGORITHM])), "no claims"),
        (protected(&map(&[ALGORITHM, &[0x0f, 0xa0]])), "no issuer"),
        (protected(&map(&[ALGORITHM, CRITICAL, CLAIMS])), "critical"),
        (protected(&map(&[ALGORITHM, ALGORITHM, CLAIMS])), "twice"),
        (
            protected(&[&*map(&[ALGORITHM, CLAIMS]), NULL].concat()),
            "more bytes",
        ),
    ] {
        let verdict = verdict(&bytes);
        assert_eq!(verdict.verdict, Outcome::Malformed, "{reason}: {verdict}");
        let said = verdict.reason.unwrap_or_default();
        assert!(said.contains(reason), "{said:?} does not say {reason:?}");
    }
}

#[test]
fn wrong_algorithms_and_empty_signatures_are_invalid() {
    for (algorithm, signature, check) in [
        (
            &[0x01, 0x26][..],
            &[0; 64][..],
            "algorithm: signed with ES256",
        ),
        (
            &[0x01, 0x38, 36],
            &[0; 64],
            "algorithm: algorithm -37 is not known",
        ),
        (
            &[0x01, 0x05],
            &[0; 64],
            "algorithm: algorithm 5 is not known",
        ),
        (ALGORITHM, &[0; 64], "signature"),
        (ALGORITHM, &[0; 63], "signature"),
        (ALGORITHM, &[], "signature"),
    ] {
        let header = bytes(&map(&[algorithm, CLAIMS]));
        let verdict = verdict(&envelope(
            SIGN1,
            &[&header, NO_LABELS, NULL, &bytes(signature)],
        ));
        assert_eq!(verdict.verdict, Outcome::Invalid, "{verdict}");
        let said = verdict.reason.unwrap_or_default();
        assert!(said.starts_with(check), "{said:?} does not say {check:?}");
    }
}

#[test]
fn a_file_that_claims_to_be_endless_is_only_as_long_as_it_is() {
    // An array, a map, a text and a byte string of 2^63 and more items each.
    for head in [0x9b, 0xbb, 0x7b, 0x5b] {
        let huge = [&[head][..], &[0xff; 8]].concat();
        for file in [huge.clone(), [&[SIGN1, 0x84], &*huge].concat()] {
            assert_eq!(verdict(&file).verdict, Outcome::Malformed);
        }
    }
    let nested = [
        &[SIGN1, 0x84, 0x40, 0xa1, 0x18, 100][..],
        &vec![0x81; 100_000],
    ]
    .concat();
    assert_eq!(verdict(&nested).verdict, Outcome::Malformed);
    let tags = [&[SIGN1, 0x84, 0x40, 0xa1, 0x01][..], &vec![0xc1; 100_000]].concat();
    assert_eq!(verdict(&tags).verdict, Outcome::Malformed);
}
