//! Properties of trees: what is written can be read back, and means the same.

use gemtrail_attest::cbor;
use gemtrail_attest::vac::{Profile, RecordOptions, record};
use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::value::{Layout, Object, Value};
use gemtrail_core::view::Selection;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::session_of;

fn any_number() -> impl Strategy<Value = Value> {
    let parse = |text: String| Value::parse(&text).unwrap();
    prop_oneof![
        any::<u64>().prop_map(Value::from),
        any::<i128>().prop_map(move |number| parse(number.to_string())),
        any::<f64>()
            .prop_filter("JSON has finite numbers only", |number| number.is_finite())
            .prop_map(move |number| parse(format!("{number:?}"))),
        "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?".prop_map(parse),
    ]
}

fn any_tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any_number(),
        any::<String>().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Object>())),
        ]
    })
}

proptest! {
    #[test]
    fn every_layout_reads_back(tree in any_tree()) {
        for layout in [Layout::Compact, Layout::Pretty, Layout::Canonical] {
            prop_assert_eq!(&Value::parse(&tree.to_json(layout)).unwrap(), &tree);
        }
        let canonical = tree.to_json(Layout::Canonical);
        let again = Value::parse(&canonical).unwrap().to_json(Layout::Canonical);
        prop_assert_eq!(canonical, again);
    }

    #[test]
    fn cbor_reads_back_and_is_deterministic(tree in any_tree()) {
        let bytes = cbor::encode(&tree).unwrap();
        let decoded = cbor::decode(&bytes).unwrap();
        prop_assert_eq!(decoded.to_json(Layout::Canonical), tree.to_json(Layout::Canonical));
        prop_assert_eq!(cbor::encode(&decoded).unwrap(), bytes);
        prop_assert_eq!(decoded, tree);
    }

    #[test]
    fn noise_is_never_a_panic(noise in vec(any::<u8>(), 0..200)) {
        let _ = cbor::decode(&noise);
        let _ = Value::parse_bytes(&noise);
    }

    #[test]
    fn any_tree_can_be_validated(tree in any_tree()) {
        for schema in [Schema::V3, Schema::V2] {
            prop_assert!(!validate(&tree, schema).is_empty());
        }
    }

    /// Whatever a journal contains, the record is valid.
    #[test]
    fn every_session_gives_valid_records(messages in vec(any_message(), 0..5)) {
        let session = session_of(&messages.join(","));
        for (profile, schemas) in [
            (Profile::V3, &[Schema::V3][..]),
            (Profile::V2, &[Schema::V3, Schema::V2]),
            (Profile::Dual, &[Schema::V3, Schema::V2]),
        ] {
            let options = RecordOptions {
                profile,
                selection: Selection::All,
                ..RecordOptions::default()
            };
            let record = record(&session, &options).value;
            for schema in schemas {
                prop_assert_eq!(validate(&record, *schema), []);
            }
            if let Ok(bytes) = cbor::encode(&record) {
                prop_assert_eq!(cbor::decode(&bytes).unwrap(), record);
            }
        }
    }
}

/// A message with arbitrary members, including under names that have a meaning.
fn any_message() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "id",
        "timestamp",
        "content",
        "displayContent",
        "model",
        "tokens",
        "thoughts",
        "toolCalls",
        "children",
        "call-id",
        "native",
        "vendor-ext",
        "data",
        "parent-id",
        "future",
    ]);
    let kind = prop::sample::select(vec!["user", "human", "gemini", "info", "error", "x", ""]);
    let call = vec(
        (
            prop::sample::select(vec![
                "id",
                "name",
                "args",
                "result",
                "status",
                "timestamp",
                "resultDisplay",
                "agentId",
            ]),
            any_tree(),
        ),
        0..6,
    );
    (kind, vec((name, any_tree()), 0..6), call).prop_map(|(kind, members, call)| {
        let named = |members: Vec<(&str, Value)>| -> Object {
            members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        };
        let mut message = named(members);
        message.insert("type".to_owned(), kind.into());
        if !call.is_empty() {
            message.insert(
                "toolCalls".to_owned(),
                Value::Array(vec![named(call).into()]),
            );
        }
        Value::Object(message).to_json(Layout::Compact)
    })
}
