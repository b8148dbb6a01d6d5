//! Records that break a rule are rejected, at the right place.

use gemtrail_attest::validate::{Schema, validate};
use gemtrail_attest::value::Value;

use crate::common::{tree, worked};
use crate::schema::is_valid_cddl;

/// Sets or removes the value at a path like `session/entries/1/type`.
fn mutate(value: &mut Value, path: &str, new: Option<Value>) {
    let (step, rest) = match path.split_once('/') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    };
    match (value, rest) {
        (Value::Array(items), Some(rest)) => {
            mutate(&mut items[step.parse::<usize>().unwrap()], rest, new);
        }
        (Value::Object(members), Some(rest)) => mutate(&mut members[step], rest, new),
        (Value::Array(items), None) => items[step.parse::<usize>().unwrap()] = new.unwrap(),
        (Value::Object(members), None) => {
            match new {
                Some(new) => members.insert(step.to_owned(), new),
                None => members.shift_remove(step),
            };
        }
        (other, _) => panic!("nothing at {step} in {other:?}"),
    }
}

/// A table row: a path, the value to put there (`-` removes it), and where that is a violation.
struct Mutation {
    path: &'static str,
    new: Option<Value>,
    at: &'static str,
}

fn rows(table: &'static str) -> impl Iterator<Item = Mutation> {
    table.trim().lines().map(|line| {
        let mut cells = line.splitn(3, '|').map(str::trim);
        let mut cell = || cells.next().unwrap_or_default();
        Mutation {
            path: cell(),
            new: Some(cell()).filter(|new| *new != "-").map(tree),
            at: cell(),
        }
    })
}

/// Every mutated record of a table, and the row that made it.
fn mutated(record: &str, table: &'static str) -> impl Iterator<Item = (Value, Mutation)> {
    rows(table).map(move |row| {
        let mut record = tree(record);
        mutate(&mut record, row.path, row.new.clone());
        (record, row)
    })
}

/// The paths of all violations.
fn rejected_at(record: &Value, schema: Schema) -> Vec<String> {
    let violations = validate(record, schema).into_iter();
    violations.map(|violation| violation.path).collect()
}

const V3_MUTATIONS: &str = r#"
version                                     | -               | $
version                                     | 3               | $.version
id                                          | null            | $.id
session                                     | -               | $
session                                     | []              | $.session
created                                     | null            | $.created
created                                     | "2026-03-04"    | $.created
created                                     | 1.5             | $.created
recording-agent/name                        | -               | $.recording-agent
vcs                                         | {}              | $.vcs
session/session-id                          | -               | $.session
session/format                              | true            | $.session.format
session/agent-meta/model-id                 | null            | $.session.agent-meta.model-id
session/agent-meta/models/0                 | 1               | $.session.agent-meta.models[0]
session/environment                         | {}              | $.session.environment
session/entries                             | {}              | $.session.entries
session/entries/0                           | "hi"            | $.session.entries[0]
session/entries/0/type                      | "human"         | $.session.entries[0]
session/entries/0/type                      | 7               | $.session.entries[0]
session/entries/0/timestamp                 | null            | $.session.entries[0].timestamp
session/entries/1/token-usage/total         | "9"             | $.session.entries[1].token-usage.total
session/entries/1/token-usage/cached        | 0.5             | $.session.entries[1].token-usage.cached
session/entries/1/token-usage/cost          | "1"             | $.session.entries[1].token-usage.cost
session/entries/1/children                  | null            | $.session.entries[1].children
session/entries/1/children/0/content        | -               | $.session.entries[1].children[0]
session/entries/1/children/0/subject        | []              | $.session.entries[1].children[0].subject
session/entries/1/children/1/name           | -               | $.session.entries[1].children[1]
session/entries/1/children/1/input          | -               | $.session.entries[1].children[1]
session/entries/1/children/1/call-id        | 5               | $.session.entries[1].children[1].call-id
session/entries/1/children/2/output         | -               | $.session.entries[1].children[2]
session/entries/1/children/2/is-error       | "no"            | $.session.entries[1].children[2].is-error
session/entries/2/event-type                | -               | $.session.entries[2]
session/entries/2/data                      | "x"             | $.session.entries[2].data
"#;

/// Mutations that the `cddl` crate does not reject.
const V3_MUTATIONS_FOR_US_ONLY: &str = "
created                                     | -1              | $.created
session/entries/1/token-usage/input         | -5              | $.session.entries[1].token-usage.input
";

const V3_VARIATIONS: &str = r#"
session/format                              | "batch"
session/format                              | -
created                                     | 1772615702101
session/odd key                             | [null]
session/entries/0/content                   | null
session/entries/0/future                    | {}
session/entries                             | []
session/entries/1/children/1/input          | null
"#;

const V2_MUTATIONS: &str = r#"
odd                                         | 1               | $.odd
session/format                              | -               | $.session
session/format                              | "batch"         | $.session.format
session/summary                             | "s"             | $.session.summary
session/entries/0/token-usage               | {}              | $.session.entries[0].token-usage
session/entries/1/odd key                   | 1               | $.session.entries[1]["odd key"]
session/entries/1/children/1/status         | "x"             | $.session.entries[1].children[1].status
session/entries/2/data/vendor               | -               | $.session.entries[2].data
session/entries/2/data/content              | 1               | $.session.entries[2].data.content
"#;

const V2_VARIATIONS: &str = r#"
session                                     | -
created                                     | -1.5
session/task-result                         | "done"
session/entries/0/vendor-ext                | {"vendor":"v","data":{"any":[null]}}
"#;

#[test]
fn mutations_are_rejected_where_they_are() {
    for (record, schema, table) in [
        (worked::RECORD_V3, Schema::V3, V3_MUTATIONS),
        (worked::RECORD_V3, Schema::V3, V3_MUTATIONS_FOR_US_ONLY),
        (worked::RECORD_V2, Schema::V2, V2_MUTATIONS),
    ] {
        for (record, Mutation { path, new, at }) in mutated(record, table) {
            assert_eq!(rejected_at(&record, schema), [at], "{path} {new:?}");
        }
    }
}

#[test]
fn our_cddl_rejects_the_same_mutations() {
    for (record, schema, table) in [
        (worked::RECORD_V3, Schema::V3, V3_MUTATIONS),
        (worked::RECORD_V2, Schema::V2, V2_MUTATIONS),
    ] {
        for (record, Mutation { path, new, .. }) in mutated(record, table) {
            assert!(!is_valid_cddl(&record, schema), "{path} {new:?}");
        }
    }
}

#[test]
fn what_the_schemas_leave_open_is_accepted_by_both() {
    for (record, schema, table) in [
        (worked::RECORD_V3, Schema::V3, V3_VARIATIONS),
        (worked::RECORD_V2, Schema::V2, V2_VARIATIONS),
    ] {
        for (record, Mutation { path, new, .. }) in mutated(record, table) {
            assert_eq!(validate(&record, schema), [], "{path} {new:?}");
            assert!(is_valid_cddl(&record, schema), "{path} {new:?}");
        }
    }
}

#[test]
fn closed_maps_of_file_attribution() {
    let attribution = |range: &str| {
        let files = format!(
            r#"{{"files":[{{"path":"a","conversations":[{{"ranges":[{range}],"url":"https://x"}}]}}]}}"#
        );
        let mut record = tree(worked::RECORD_V3);
        mutate(&mut record, "file-attribution", Some(tree(&files)));
        rejected_at(&record, Schema::V3)
    };
    assert_eq!(attribution(r#"{"start-line":1,"end-line":2}"#), [""; 0]);
    let at = "$.file-attribution.files[0].conversations[0].ranges[0]";
    for (range, member) in [
        (r#"{"start-line":1}"#, ""),
        (r#"{"start-line":1,"end-line":"2"}"#, ".end-line"),
        (r#"{"start-line":1,"end-line":2,"extra":1}"#, ".extra"),
        (
            r#"{"start-line":1,"end-line":2,"contributor":{"type":"robot"}}"#,
            ".contributor.type",
        ),
    ] {
        assert_eq!(attribution(range), [format!("{at}{member}")], "{range}");
    }
}

#[test]
fn several_violations_are_all_reported_in_words() {
    let record = tree(
        r#"{"version":1,"session":{"session-id":"s","agent-meta":{},"entries":[{"type":"x"},7]}}"#,
    );
    let words: Vec<_> = validate(&record, Schema::V3)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        words,
        [
            "$.version: expected text, found 1",
            "$: the member `id` is missing",
            "$.session.agent-meta: the member `model-id` is missing",
            "$.session.agent-meta: the member `model-provider` is missing",
            "$.session.entries[0]: no entry has the type \"x\"",
            "$.session.entries[1]: expected an object, found 7",
        ]
    );
    for not_a_record in ["null", "[]", "\"x\"", "1"] {
        assert_eq!(
            validate(&tree(not_a_record), Schema::V2).len(),
            1,
            "{not_a_record}"
        );
    }
}

#[test]
fn a_record_claims_its_schema() {
    assert_eq!(Schema::claimed_by(&tree(worked::RECORD_V3)), Schema::V3);
    assert_eq!(Schema::claimed_by(&tree(worked::RECORD_V2)), Schema::V2);
    assert_eq!(Schema::claimed_by(&tree(worked::RECORD_DUAL)), Schema::V3);
    assert_eq!(Schema::claimed_by(&tree("[]")), Schema::V3);
}
