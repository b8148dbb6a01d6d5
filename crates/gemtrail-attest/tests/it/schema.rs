//! Records against our CDDL, with the `cddl` crate as a second opinion beside our own validator.

use gemtrail_attest::cbor;
use gemtrail_attest::vac::Profile;
use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::value::{Layout, Value};

use crate::common::{record_as, rich_session, worked};

/// The schema with the strict rule for times, which is a comment because not every tool knows
/// `.regexp`.
fn cddl(schema: Schema) -> String {
    let lax = "date-time = tstr .size (20..64)\n; date-time";
    let strict = schema.cddl().replace(lax, "date-time");
    assert_ne!(strict, schema.cddl());
    strict
}

/// The names that RFC 8610 defines in every schema.
const PRELUDE: &str = "any bigfloat bigint bignint biguint bool bstr bytes cbor-any decfrac eb16 \
    eb64legacy eb64url encoded-cbor false float float16 float16-32 float32 float32-64 float64 int \
    integer mime-message nil nint null number regexp tdate text time true tstr uint undefined \
    unsigned uri b64legacy b64url";

#[test]
fn no_rule_has_a_name_of_the_prelude() {
    for schema in [Schema::V3, Schema::V2] {
        let rules = schema
            .cddl()
            .lines()
            .filter_map(|line| line.split_once(" = "));
        let rules = rules.filter(|(name, _)| !name.starts_with([' ', ';']));
        let names: Vec<&str> = rules.map(|(name, _)| name).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(!PRELUDE.split(' ').any(|known| known == name), "{name}");
        }
    }
}

/// What the `cddl` crate says about a record under our CDDL.
pub(crate) fn is_valid_cddl(record: &Value, schema: Schema) -> bool {
    let json = record.to_json(Layout::Compact);
    cddl::validate_json_from_str(&cddl(schema), &json, None).is_ok()
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
        cddl::validate_cbor_from_slice(&cddl(Schema::V3), &bytes, None).unwrap();
    }
}

#[test]
fn the_signed_record_is_valid() {
    cddl::validate_cbor_from_slice(&cddl(Schema::V3), worked::SIGNATURE, None).unwrap();
    cddl::validate_cbor_from_slice(Schema::V3.cddl(), worked::SIGNATURE, None).unwrap();
}
