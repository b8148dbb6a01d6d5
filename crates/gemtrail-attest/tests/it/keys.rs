//! Keys in PEM files.

use gemtrail_attest::{Algorithm, KeyError, SigningKey, VerifyingKey};

use crate::common::worked::test_key;

/// As other programs write it: made with OpenSSL from the key of the test vector.
const ED25519_PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END PRIVATE KEY-----
";
const ED25519_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=
-----END PUBLIC KEY-----
";

#[test]
fn an_ed25519_key_is_written_as_the_reference_signer_writes_it() {
    let key = test_key();
    assert_eq!(key.to_pem().unwrap().as_str(), ED25519_PRIVATE);
    assert_eq!(key.verifying_key().to_pem().unwrap(), ED25519_PUBLIC);
}

#[test]
fn keys_survive_their_files() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Es256] {
        let key = SigningKey::from_seed(algorithm, &[7; 32]).unwrap();
        let pem = key.to_pem().unwrap();
        let again = SigningKey::from_pem(&pem).unwrap();
        assert_eq!(again.algorithm(), algorithm);
        assert_eq!(again.verifying_key(), key.verifying_key());

        let public = key.verifying_key();
        let pem = public.to_pem().unwrap();
        assert_eq!(VerifyingKey::from_pem(&pem).unwrap(), public);
        let windows = format!("\n{}\n", pem.replace('\n', "\r\n"));
        assert_eq!(VerifyingKey::from_pem(&windows).unwrap(), public);
        assert_eq!(public.fingerprint().unwrap().len(), 64);
    }
}

#[test]
fn a_seed_that_is_no_p256_key_is_an_error() {
    for seed in [[0; 32], [0xff; 32]] {
        let key = SigningKey::from_seed(Algorithm::Es256, &seed);
        assert_eq!(key.err(), Some(KeyError::UnusableSeed));
    }
}

#[test]
fn what_is_no_key_is_told_apart() {
    assert_eq!(SigningKey::from_pem("").err(), Some(KeyError::NotPem));
    assert_eq!(
        SigningKey::from_pem(ED25519_PUBLIC).err(),
        Some(KeyError::WrongBlock {
            wanted: "PRIVATE KEY",
            found: "PUBLIC KEY".to_owned()
        })
    );
    let encrypted = ED25519_PRIVATE.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    assert!(matches!(
        SigningKey::from_pem(&encrypted),
        Err(KeyError::WrongBlock { .. })
    ));
    let cut = ED25519_PRIVATE.replace("HR4f", "");
    assert_eq!(
        SigningKey::from_pem(&cut).err(),
        Some(KeyError::Unsupported)
    );
    let other_curve = ED25519_PUBLIC.replace("K2VwAyEA", "K2VuAyEA");
    assert_eq!(
        VerifyingKey::from_pem(&other_curve).err(),
        Some(KeyError::Unsupported)
    );
}

#[test]
fn a_key_does_not_show_its_secret() {
    let shown = format!("{:?}", test_key());
    assert_eq!(shown, "SigningKey(Ed25519)");
}
