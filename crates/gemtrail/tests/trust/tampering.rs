//! Nothing that was changed, cut or swapped verifies, and nothing makes the program stumble.

use std::fs;

use gemtrail_attest::{VerifyingKey, verify};
use tempfile::TempDir;

use crate::common::{Ran, VERIFY, run_in, signed};

/// Verifies after one file was replaced.
fn verify_with(dir: &TempDir, name: &str, bytes: &[u8]) -> Ran {
    let path = dir.path().join(name);
    let before = fs::read(&path).unwrap();
    fs::write(&path, bytes).unwrap();
    let ran = run_in(dir, &format!("{VERIFY} --json"));
    fs::write(&path, before).unwrap();
    ran
}

fn verdict(ran: &Ran) -> String {
    assert_eq!(ran.stderr, "", "the verdict is the answer");
    ran.json()["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn flipped_bytes_never_verify() {
    let dir = signed();
    for name in ["record.sig", "record.json"] {
        let good = fs::read(dir.path().join(name)).unwrap();
        // The library's own tests flip every byte; here some go all the way through the binary.
        for at in (0..good.len()).step_by(good.len() / 12) {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            if bytes[at].is_ascii_whitespace() || good[at].is_ascii_whitespace() {
                continue;
            }
            let ran = verify_with(&dir, name, &bytes);
            assert_eq!(ran.code, 1, "{name} byte {at}");
            assert_ne!(verdict(&ran), "valid");
        }
    }
    run_in(&dir, VERIFY).done();
}

#[test]
fn empty_truncated_and_foreign_files_are_malformed() {
    let dir = signed();
    for name in ["record.sig", "record.json"] {
        let good = fs::read(dir.path().join(name)).unwrap();
        for bytes in [
            &b""[..],
            &good[..1],
            &good[..good.len() / 2],
            b"hello",
            &[0xff; 64],
        ] {
            let ran = verify_with(&dir, name, bytes);
            assert_eq!(ran.code, 1, "{name}");
            assert_eq!(verdict(&ran), "malformed", "{name} {bytes:?}");
        }
    }
}

#[test]
fn another_key_does_not_verify() {
    let dir = signed();
    for algorithm in ["ed25519", "es256"] {
        run_in(
            &dir,
            &format!("keygen --out {{}}/other --force --alg {algorithm}"),
        )
        .done();
        let ran = run_in(
            &dir,
            "verify --key {}/other/signing-key.pub.pem --sig {}/record.sig --record {}/record.json",
        );
        assert_eq!(ran.code, 1);
        assert!(ran.text().starts_with("invalid: "), "{}", ran.text());
    }
}

#[test]
fn terminal_codes_of_an_envelope_stay_inside() {
    let dir = signed();
    let sign = [
        "sign",
        "--issuer",
        "\u{1b}[2J\u{202e}evil\u{7}",
        "--force",
        "--key",
        "signing-key.pem",
        "--record",
        "record.json",
        "--out",
        "record.sig",
    ];
    let named = |word: &&str| {
        let path = dir.path().join(word);
        let is_file = word.contains('.');
        if is_file {
            path.display().to_string()
        } else {
            (*word).to_owned()
        }
    };
    crate::common::gemtrail(sign.iter().map(named)).done();
    let ran = run_in(&dir, VERIFY).done();
    for hostile in ['\u{1b}', '\u{7}', '\u{202e}'] {
        assert!(!ran.text().contains(hostile), "{hostile:?}");
    }
}

/// What the fuzz target does, over some bytes that begin well.
#[test]
fn no_prefix_of_an_envelope_panics() {
    let dir = signed();
    let pem = fs::read_to_string(dir.path().join("signing-key.pub.pem")).unwrap();
    let key = VerifyingKey::from_pem(&pem).unwrap();
    let envelope = fs::read(dir.path().join("record.sig")).unwrap();
    let record = fs::read(dir.path().join("record.json")).unwrap();
    for end in 0..envelope.len() {
        assert!(!verify(&key, &envelope[..end], Some(&record)).is_valid());
    }
}
