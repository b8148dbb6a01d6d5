//! Records against our CDDL, with the `cddl` crate as a second opinion beside our own validator.

use gemtrail_attest::cbor;
use gemtrail_attest::vac::Profile;
use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::value::{Layout, Value};

use crate::common::{record_as, rich_session, worked};

const V3: &str = include_str!("../../../../docs/schema/agent-record-v3.cddl");
const V2: &str = include_str!("../../../../docs/schema/agent-record-v2.cddl");

fn cddl(schema: Schema) -> &'static str {
    match schema {
        Schema::V3 => V3,
        Schema::V2 => V2,
    }
}

/// What the `cddl` crate says about a record under our CDDL.
pub(crate) fn is_valid_cddl(record: &Value, schema: Schema) -> bool {
    let json = record.to_json(Layout::Compact);
    cddl::validate_json_from_str(cddl(schema), &json, None).is_ok()
}

fn is_valid(record: &Value, schema: Schema) -> bool {
    let by_us = validate(record, schema);
    let by_cddl = is_valid_cddl(record, schema);
    assert_eq!(
        by_us.is_empty(),
        by_cddl,
        "the two validators disagree; ours says {by_us:?}"
    );
    by_cddl
}

#[test]
fn s000_26_every_profile_is_valid_under_the_schemas_it_promises() {
    let rich = rich_session();
    for profile in [Profile::V3, Profile::V2, Profile::Dual] {
        for record in [worked::record_as(profile), record_as(&rich, profile)] {
            assert!(is_valid(&record, Schema::V3), "{profile:?} under v3");
            let keeps_to_v2 = profile != Profile::V3;
            assert_eq!(
                is_valid(&record, Schema::V2),
                keeps_to_v2,
                "{profile:?} under v2"
            );
        }
    }
}

#[test]
fn s000_26_the_record_in_cbor_is_valid_too() {
    for profile in [Profile::V3, Profile::V2, Profile::Dual] {
        let bytes = cbor::encode(&worked::record_as(profile)).unwrap();
        cddl::validate_cbor_from_slice(V3, &bytes, None).unwrap();
    }
}

#[test]
fn the_signed_record_is_valid() {
    cddl::validate_cbor_from_slice(V3, worked::SIGNATURE, None).unwrap();
}
