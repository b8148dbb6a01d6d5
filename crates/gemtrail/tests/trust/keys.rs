//! `keygen`.

use tempfile::TempDir;

use crate::common::{VERIFY, run_in, signed, worked};

#[test]
fn both_halves_are_written_and_fit_together() {
    for algorithm in ["ed25519", "es256"] {
        let dir = TempDir::new().unwrap();
        let line = format!("keygen --out {{}}/keys --alg {algorithm} --json");
        let keys = run_in(&dir, &line).done().json();
        assert_eq!(keys["schema"], "gemtrail.keygen/1");
        std::fs::copy(worked("record-v3.json"), dir.path().join("r.json")).unwrap();
        let sign = "sign --key {}/keys/signing-key.pem --record {}/r.json --out {}/r.sig --json";
        let signature = run_in(&dir, sign).done().json();
        assert_eq!(signature["key"], keys["fingerprint"]);
        let verify =
            "verify --key {}/keys/signing-key.pub.pem --sig {}/r.sig --record {}/r.json --json";
        let verdict = run_in(&dir, verify).done().json();
        assert_eq!(verdict["verdict"], "valid");
        assert_eq!(verdict["key"], keys["fingerprint"]);
        assert_eq!(verdict["content_hash"], signature["content_hash"]);
    }
}

#[test]
fn every_key_is_another_one() {
    let dir = TempDir::new().unwrap();
    run_in(&dir, "keygen --out {}/a").done();
    run_in(&dir, "keygen --out {}/b").done();
    let pem = |name: &str| std::fs::read(dir.path().join(name).join("signing-key.pem")).unwrap();
    assert_ne!(pem("a"), pem("b"));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_private_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = TempDir::new().unwrap();
    run_in(&dir, "keygen --out {}").done();
    let mode = |dir: &TempDir| {
        let file = dir.path().join("signing-key.pem");
        file.metadata().unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode(&dir), 0o600);
    let path = dir.path().join("signing-key.pem");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    run_in(&dir, "keygen --out {} --force").done();
    assert_eq!(mode(&dir), 0o600, "also where it replaces another one");
}

#[test]
fn existing_keys_are_safe() {
    let dir = TempDir::new().unwrap();
    run_in(&dir, "keygen --out {}").done();
    let private = dir.path().join("signing-key.pem");
    let before = std::fs::read(&private).unwrap();
    let ran = run_in(&dir, "keygen --out {}");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&private).unwrap(), before);
    std::fs::remove_file(&private).unwrap();
    assert_eq!(run_in(&dir, "keygen --out {}").code, 2);
    assert!(
        !private.exists(),
        "no half of a pair beside half of another"
    );
    run_in(&dir, "keygen --out {} --force").done();
}

#[test]
fn the_secret_is_never_printed() {
    let dir = TempDir::new().unwrap();
    let ran = run_in(&dir, "keygen --out {} -v").done();
    let pem = std::fs::read_to_string(dir.path().join("signing-key.pem")).unwrap();
    let secret = pem.lines().nth(1).unwrap();
    assert!(!ran.text().contains(secret) && !ran.stderr.contains(secret));
}

#[test]
fn files_that_are_no_keys_are_wrong_use() {
    let dir = signed();
    let path = |name: &str| dir.path().join(name);
    for bytes in [
        &b""[..],
        b"hello",
        b"\xff\xfe",
        b"-----BEGIN PUBLIC KEY-----\n",
    ] {
        std::fs::write(path("signing-key.pub.pem"), bytes).unwrap();
        let ran = run_in(&dir, VERIFY);
        assert_eq!((ran.code, ran.text()), (2, ""), "{bytes:?}");
    }
    std::fs::copy(path("signing-key.pem"), path("signing-key.pub.pem")).unwrap();
    let ran = run_in(&dir, VERIFY);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("signing-key.pub.pem"), "{}", ran.stderr);
}
