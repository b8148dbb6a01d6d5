//! Any envelope and record: a verdict, never a panic, and never a valid one by chance.
#![no_main]

use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::{Algorithm, SigningKey, read_record, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], Option<&[u8]>)| {
    let (envelope, record) = input;
    let key = SigningKey::from_seed(Algorithm::Ed25519, &[7; 32]).expect("the seed is a key");
    assert!(!verify(&key.verifying_key(), envelope, record).is_valid());
    if let Some(tree) = record.and_then(|bytes| read_record(bytes).ok()) {
        validate(&tree, Schema::claimed_by(&tree));
    }
});
