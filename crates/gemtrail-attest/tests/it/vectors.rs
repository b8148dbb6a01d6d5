//! The vectors of `tests/vectors`: what has to be accepted, and what has to be refused.

use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_attest::validate::{Schema, is_dual, validate, validate_vcon};
use gemtrail_attest::vcon::is_vcon;
use gemtrail_attest::{Outcome, VerifyingKey, read_record, verify};
use serde_json::Value as Json;

use crate::schema::is_valid_cddl;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn vectors() -> Vec<Json> {
    let list = fs::read(root().join("tests/vectors/vectors.json")).unwrap();
    serde_json::from_slice(&list).unwrap()
}

/// A file that a vector names.
fn file(vector: &Json, member: &str) -> Option<Vec<u8>> {
    let name = vector[member].as_str()?;
    Some(fs::read(root().join("tests/vectors").join(name)).unwrap())
}

/// The verdict on a record or a vCon.
fn schema_verdict(name: &str, bytes: &[u8]) -> Outcome {
    let Ok(tree) = read_record(bytes) else {
        return Outcome::Malformed;
    };
    let mut is_valid = if is_vcon(&tree) {
        validate_vcon(&tree).is_empty()
    } else {
        let schema = Schema::claimed_by(&tree);
        let is_valid = validate(&tree, schema).is_empty();
        let by_cddl = is_valid_cddl(&tree, schema);
        // To that crate, what a member of an open map must not be is another member.
        let is_excused = name == "record-negative-tokens";
        assert!(
            is_excused || is_valid == by_cddl,
            "{name}: the CDDL disagrees"
        );
        is_valid
    };
    if is_dual(&tree) {
        is_valid &= validate(&tree, Schema::V2).is_empty();
    }
    if is_valid {
        Outcome::Valid
    } else {
        Outcome::Invalid
    }
}

#[test]
fn every_vector_has_its_verdict() {
    let vectors = vectors();
    for vector in &vectors {
        let name = vector["name"].as_str().unwrap();
        let record = file(vector, "record");
        let verdict = match file(vector, "signature") {
            Some(envelope) => {
                let key = String::from_utf8(file(vector, "key").unwrap()).unwrap();
                let key = VerifyingKey::from_pem(&key).unwrap();
                verify(&key, &envelope, record.as_deref()).verdict
            }
            None => schema_verdict(name, &record.unwrap()),
        };
        assert_eq!(vector["verdict"], verdict.to_string(), "{name}");
    }
    for kind in ["record", "signature", "vcon"] {
        let of_kind = vectors.iter().filter(|it| it["kind"] == kind);
        let accepted = of_kind
            .clone()
            .filter(|it| it["verdict"] == "valid")
            .count();
        assert!(accepted >= 3 && of_kind.count() >= accepted + 5, "{kind}");
    }
}

#[test]
fn the_page_explains_every_vector() {
    let page = fs::read_to_string(root().join("docs/vectors.md")).unwrap();
    for vector in vectors() {
        let text = |member: &str| vector[member].as_str().unwrap().to_owned();
        let row = format!(
            "| `{}` | {} | {} |",
            text("name"),
            text("verdict"),
            text("why")
        );
        assert!(page.contains(&row), "{row}");
    }
}
