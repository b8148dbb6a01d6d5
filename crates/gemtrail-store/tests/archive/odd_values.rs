//! Whatever JSON stands in a field of one file, the archive has it and everything else.

use gemtrail_core::model::SessionRow;
use gemtrail_store::Library;
use gemtrail_testkit::odd;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use crate::common::{Sandbox, all_rows, chat, lines};

const GOOD: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// Any JSON, as text: numbers are often ones that no type holds.
fn any_json() -> impl Strategy<Value = String> {
    let text = ".{0,8}".prop_map(|text| Value::from(text).to_string());
    let number = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| Value::from(number).to_string()),
        "-?[1-9][0-9]{0,40}",
        "-?[1-9]\\.[0-9]{1,3}[eE][+-]?[0-9]{1,4}",
    ];
    let leaf = prop_oneof![2 => select(odd::values()), 1 => text, 2 => number];
    leaf.prop_recursive(4, 16, 4, |inner| {
        let list = vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(",")));
        let object = btree_map("[a-z]{0,3}", inner, 0..4).prop_map(|members| {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}"))
                .collect();
            format!("{{{}}}", members.join(","))
        });
        prop_oneof![list, object]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_value_in_any_field(odd in vec((any::<Index>(), any_json(), any::<bool>()), 1..24)) {
        let sandbox = Sandbox::new();
        sandbox.write(&chat("2f1e0a52.jsonl"), &lines(GOOD, &[("u1", "goodword")]));
        for (at, (place, value, is_whole)) in odd.iter().enumerate() {
            let records = odd::records(&format!("{at:08x}-aaaa-4bbb-8ccc-0123456789ab"));
            let place = place.get(&odd::places(&records)).clone();
            if *is_whole {
                let file = odd::as_whole(&records, &place, value);
                sandbox.write(&chat(&format!("{at:08x}.json")), &file);
            } else {
                let file = odd::as_lines(&records, &place, value);
                sandbox.write(&chat(&format!("{at:08x}.jsonl")), &file);
            }
        }
        let report = sandbox.sync();
        prop_assert_eq!(report.files_read, odd.len() as u64 + 1);
        // As text: no type holds every number, and each is kept as it was written.
        let rows = |library: &Library| -> Vec<String> {
            let row = |row: &SessionRow| serde_json::to_string(row).expect("it is JSON");
            let rows = all_rows(library);
            let rows = rows.into_iter().map(|it| SessionRow { archived: false, ..it });
            rows.map(|it| row(&it)).collect()
        };
        let (archived, disk) = (rows(&sandbox.library()), rows(&sandbox.disk_library()));
        prop_assert!(archived.iter().any(|row| row.contains(GOOD)));
        prop_assert_eq!(archived, disk);
        let found = sandbox.search("goodword");
        prop_assert_eq!(found.len(), 1);
        sandbox.verify();
    }
}
