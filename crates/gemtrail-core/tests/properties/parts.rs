//! What messages are made of: every shape that a field was ever seen in, and some that were never
//! seen.

use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// The id that every session context has.
const CONTEXT_ID: &str = "d04923d38bb0f6017037e74183378ef4";

pub(crate) fn maybe(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Option<Value>> {
    weighted(0.8, value).boxed()
}

/// Builds an object from the members that are present.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let given = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<_, _>>())
}

pub(crate) fn text() -> BoxedStrategy<Value> {
    let known = select(vec![
        "explain this",
        "explain this",
        "yes",
        "",
        "  \n",
        "/compress",
        "Please continue.",
        "System: Please continue.",
        "<session_context>\nToday is Monday.\n</session_context>",
        "<session_context>cut",
        "<hook_context>from a hook</hook_context>",
        "<state_snapshot>what was said</state_snapshot>",
        "I ran the following shell command:\n```\nls\n```",
        "read @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\nA\n--- End of content ---",
        "\n--- Content from referenced files ---",
        "\nContent from @b.txt:\n",
        "\n--- End of content ---",
        "Got it. Thanks for the additional context!",
        "look into the parser",
        "a\u{2028}b \u{200D} \u{1F600} \u{1b}[31m \u{0} \u{E000}",
        "{\"id\":\"m1\",\"type\":\"user\",\"timestamp\":\"t\"}",
    ]);
    prop_oneof![8 => known.prop_map(Value::from), 1 => "\\PC{0,12}".prop_map(Value::from)].boxed()
}

pub(crate) fn time() -> BoxedStrategy<Value> {
    prop_oneof![
        8 => (0..60u32).prop_map(|s| json!(format!("2026-06-01T10:00:{s:02}.000Z"))),
        1 => Just(json!("2026-06-01T12:00:00+02:00")),
        1 => Just(json!("yesterday")),
    ]
    .boxed()
}

pub(crate) fn call_id() -> BoxedStrategy<Option<Value>> {
    weighted(
        0.8,
        select(vec!["c1", "c2", "c3", ""]).prop_map(Value::from),
    )
    .boxed()
}

pub(crate) fn tool_name() -> BoxedStrategy<Option<Value>> {
    let names = select(vec![
        "read_file",
        "run_shell_command",
        "invoke_agent",
        "my_agent",
        "codebase_investigator",
    ]);
    weighted(0.9, names.prop_map(Value::from)).boxed()
}

pub(crate) fn args() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"file_path": "a"})),
        Just(json!({"prompt": "look into the parser"})),
        Just(json!({"objective": "explain this"})),
        // Tools may well be given arguments that look like records.
        Just(json!({"id": "m2", "type": "user", "timestamp": "2026-06-01T10:00:00.000Z"})),
        Just(json!(7)),
    ]
    .boxed()
}

pub(crate) fn response() -> BoxedStrategy<Value> {
    let answer = prop_oneof![
        text().prop_map(|text| json!({"output": text})),
        Just(json!({"error": "no such file"})),
        Just(json!({"output": "Output too large. For full output see: /tmp/out.txt"})),
        (-1..3_i64).prop_map(|code| {
            json!({"output": format!("Output: x\nExit Code: {code}\nProcess Group PGID: 7")})
        }),
        Just(json!("plain")),
        Just(Value::Null),
    ];
    (call_id(), tool_name(), maybe(answer)).prop_map(|(id, name, response)| {
        json!({"functionResponse": object([("id", id), ("name", name), ("response", response)])})
    }).boxed()
}

pub(crate) fn function_call() -> BoxedStrategy<Value> {
    (call_id(), tool_name(), maybe(args()))
        .prop_map(|(id, name, args)| {
            json!({"functionCall": object([("id", id), ("name", name), ("args", args)])})
        })
        .boxed()
}

pub(crate) fn part() -> BoxedStrategy<Value> {
    prop_oneof![
        6 => text().prop_map(|text| json!({"text": text})),
        1 => text().prop_map(|text| json!({"text": text, "thought": true})),
        1 => text().prop_map(|text| json!({"text": text, "thoughtSignature": "xx"})),
        1 => text(),
        2 => response(),
        2 => function_call(),
        1 => Just(json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}})),
        1 => Just(json!({"videoMetadata": {}})),
        1 => odd(),
    ]
    .boxed()
}

/// A value that no field expects.
pub(crate) fn odd() -> BoxedStrategy<Value> {
    select(vec![
        json!(null),
        json!(-1.5),
        json!(true),
        json!([[]]),
        json!({"": {}}),
    ])
    .boxed()
}

pub(crate) fn content() -> BoxedStrategy<Value> {
    prop_oneof![4 => text(), 6 => vec(part(), 0..4).prop_map(Value::from), 1 => part(), 1 => odd()]
        .boxed()
}

pub(crate) fn tool_call() -> BoxedStrategy<Value> {
    let status = prop_oneof![
        8 => select(vec!["success", "error", "cancelled"]).prop_map(Value::from),
        1 => odd(),
    ];
    let result = prop_oneof![
        6 => vec(response(), 0..3).prop_map(Value::from),
        1 => text(),
        1 => odd(),
    ];
    let call = (
        call_id(),
        tool_name(),
        maybe(args()),
        maybe(status),
        maybe(result),
        of(time()),
    )
        .prop_map(|(id, name, args, status, result, time)| {
            object([
                ("id", id),
                ("name", name),
                ("args", args),
                ("status", status),
                ("result", result),
                ("timestamp", time),
            ])
        });
    prop_oneof![12 => call, 1 => odd()].boxed()
}

pub(crate) fn tokens() -> BoxedStrategy<Value> {
    prop_oneof![
        6 => (0..90u64, 0..9u64)
            .prop_map(|(input, output)| json!({"input": input, "output": output, "total": input + output})),
        1 => Just(json!({"input": u64::MAX, "output": -3, "cached": 1.5, "total": "many", "new": 1})),
        1 => odd(),
    ].boxed()
}

pub(crate) fn message_id() -> BoxedStrategy<Value> {
    let known = [
        "m1",
        "m2",
        "m3",
        "m4",
        "m5",
        "m6",
        "m7",
        "gemtrail-2",
        CONTEXT_ID,
    ];
    select(known.to_vec()).prop_map(Value::from).boxed()
}
