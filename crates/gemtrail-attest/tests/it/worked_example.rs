//! The worked example of the record format, member by member in the order of the example.

use crate::common::worked;
use gemtrail_attest::cbor;
use gemtrail_attest::vac::Profile;
use gemtrail_attest::value::Layout;

#[test]
fn c_6_each_profile_gives_its_record_exactly() {
    for profile in [Profile::V3, Profile::V2, Profile::Dual] {
        assert_eq!(
            worked::record_as(profile).to_json(Layout::Pretty),
            worked::expected(profile).to_json(Layout::Pretty),
            "{profile:?}"
        );
    }
}

#[test]
fn the_canonical_form_is_that_of_the_reference_signer() {
    let canonical = worked::record_as(Profile::V3).to_json(Layout::Canonical);
    assert_eq!(canonical.as_bytes(), worked::CANONICAL);
}

#[test]
fn cbor_decodes_to_the_same_tree() {
    for profile in [Profile::V3, Profile::V2, Profile::Dual] {
        let record = worked::record_as(profile);
        let bytes = cbor::encode(&record).unwrap();
        assert_eq!(cbor::decode(&bytes).unwrap(), record);
        assert_eq!(
            cbor::encode(&cbor::decode(&bytes).unwrap()).unwrap(),
            bytes,
            "deterministic"
        );
    }
}
