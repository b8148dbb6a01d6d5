//! The worked example: one session, its records in three profiles, its signature.

use gemtrail_attest::vac::{Profile, RecordOptions, record};
use gemtrail_attest::value::Value;
use gemtrail_attest::{Algorithm, SigningKey};
use gemtrail_core::model::Session;

use super::{example_recorder, tree};

/// The journal.
pub(crate) const JOURNAL: &str =
    include_str!("../data/worked/session-2026-03-04T09-15-5b1e0a52.json");
/// Its record in the newest schema.
pub(crate) const RECORD_V3: &str = include_str!("../data/worked/record-v3.json");
/// Its record as the first translator would have made it.
pub(crate) const RECORD_V2: &str = include_str!("../data/worked/record-v2-seed.json");
/// Its record for both schemas.
pub(crate) const RECORD_DUAL: &str = include_str!("../data/worked/record-dual.json");
/// What is signed.
pub(crate) const CANONICAL: &[u8] = include_bytes!("../data/worked/record-v3.canonical.json");
/// The signature that the reference signer made.
pub(crate) const SIGNATURE: &[u8] = include_bytes!("../data/worked/record-v3.sig.cbor");

/// The key that made it: the bytes 0 to 31, for tests only.
pub(crate) fn test_key() -> SigningKey {
    let seed = std::array::from_fn(|index| u8::try_from(index).expect("below 32"));
    SigningKey::from_seed(Algorithm::Ed25519, &seed).expect("every seed gives an Ed25519 key")
}

/// The session.
pub(crate) fn session() -> Session {
    super::session(JOURNAL)
}

/// The record that this crate makes of it.
pub(crate) fn record_as(profile: Profile) -> Value {
    let options = RecordOptions {
        profile,
        project_root: Some("/home/dana/widget".to_owned()),
        recorder: example_recorder(),
        ..RecordOptions::default()
    };
    record(&session(), &options).value
}

/// The expected record.
pub(crate) fn expected(profile: Profile) -> Value {
    tree(match profile {
        Profile::V3 => RECORD_V3,
        Profile::V2 => RECORD_V2,
        Profile::Dual => RECORD_DUAL,
    })
}
