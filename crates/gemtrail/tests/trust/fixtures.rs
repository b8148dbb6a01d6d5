//! Every recorded home, turned into records by the binary, is valid under the schemas.

use std::path::Path;

use gemtrail_attest::cbor;
use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::value::{Layout, Value};
use gemtrail_testkit::fixtures;
use tempfile::TempDir;

use crate::common::gemtrail;

/// The records of all sessions of a home, with their file names.
fn records(home: &Path, options: &[&str]) -> Vec<(String, Vec<u8>)> {
    let dir = TempDir::new().unwrap();
    let out = format!("{}/", dir.path().display());
    let home = home.to_str().unwrap();
    let all = ["--home", home, "export", "--all", "--kind", "all"];
    let ran = gemtrail(
        all.iter()
            .chain(&["--format", "vac", "-o", &out])
            .chain(options),
    );
    // A home in which nothing was said gives no record.
    assert!(matches!(ran.code, 0 | 1), "{ran:?}");
    let mut records: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect();
    records.sort();
    records
}

/// Both validators, which have to agree.
fn is_valid(place: &str, record: &Value, schema: Schema) {
    assert_eq!(validate(record, schema), [], "{place}");
    let json = record.to_json(Layout::Compact);
    if let Err(error) = cddl::validate_json_from_str(schema.cddl(), &json, None) {
        panic!("{place}, {schema:?}: {error}");
    }
}

#[test]
fn s000_26_every_recorded_session_gives_valid_records() {
    let mut count = 0;
    for fixture in fixtures() {
        let home = &fixture.home;
        let mut newest = Vec::new();
        for (profile, schemas) in [
            ("v3", &[Schema::V3][..]),
            ("v2", &[Schema::V3, Schema::V2]),
            ("dual", &[Schema::V3, Schema::V2]),
        ] {
            for (name, bytes) in records(home, &["--profile", profile]) {
                let place = format!("{} {name} {profile}", fixture.name());
                let record = Value::parse_bytes(&bytes).unwrap();
                for schema in schemas {
                    is_valid(&place, &record, *schema);
                }
                count += 1;
                if profile == "v3" {
                    newest.push((place, record));
                }
            }
        }
        let binary = records(home, &["--encoding", "cbor"]);
        assert_eq!(binary.len(), newest.len());
        for ((place, record), (_, bytes)) in newest.iter().zip(&binary) {
            assert_eq!(&cbor::decode(bytes).unwrap(), record, "{place}");
        }
    }
    assert!(count > 300, "{count} records are too few to prove anything");
}
