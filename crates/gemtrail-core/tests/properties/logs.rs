//! Session files as Gemini CLI might have written them on a bad day: small pools of ids and texts,
//! so that records collide.

use std::fmt;

use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use crate::parts::{
    args, call_id, content, function_call, maybe, message_id, object, odd, response, text, time,
    tokens, tool_call,
};

/// A placeholder for a lone surrogate until the text is JSON: a Rust string cannot hold one.
const LONE: char = '\u{E000}';

/// The bytes of a file, readable when a test fails.
#[derive(Clone)]
pub(crate) struct File(pub(crate) Vec<u8>);

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A message with an id, as on a line.
fn message() -> BoxedStrategy<Value> {
    let kind = select(vec![
        "user", "user", "user", "gemini", "gemini", "info", "error", "new",
    ]);
    let thoughts = prop_oneof![
        4 => vec(
            prop_oneof![
                Just(json!({"subject": "S", "description": "D", "timestamp": "t"})),
                odd()
            ],
            0..3
        ).prop_map(Value::from),
        1 => odd(),
    ];
    let base = (
        message_id(),
        maybe(time()),
        maybe(kind.prop_map(Value::from)),
        maybe(content()),
    );
    let answer = (
        weighted(0.3, thoughts),
        weighted(0.4, tokens()),
        weighted(
            0.4,
            select(vec!["gemini-3-pro", "gemini-3-flash"]).prop_map(Value::from),
        ),
        weighted(
            0.4,
            prop_oneof![8 => vec(tool_call(), 0..3).prop_map(Value::from), 1 => odd()],
        ),
        weighted(0.1, content()),
        weighted(0.1, odd()),
    );
    (base, answer)
        .prop_map(|((id, time, kind, content), answer)| {
            let (thoughts, tokens, model, calls, display, unknown) = answer;
            object([
                ("id", Some(id)),
                ("timestamp", time),
                ("type", kind),
                ("content", content),
                ("thoughts", thoughts),
                ("tokens", tokens),
                ("model", model),
                ("toolCalls", calls),
                ("displayContent", display),
                ("unknown", unknown),
            ])
        })
        .boxed()
}

/// A message in a list; there the id may be missing, or it may not be a message at all.
fn listed_message() -> BoxedStrategy<Value> {
    prop_oneof![
        12 => message(),
        2 => message().prop_map(|mut message| {
            if let Some(members) = message.as_object_mut() {
                members.remove("id");
            }
            message
        }),
        1 => odd(),
    ]
    .boxed()
}

fn metadata() -> BoxedStrategy<Value> {
    let extra = (weighted(0.2, text()), weighted(0.1, odd()), of(time()));
    (time(), extra)
        .prop_map(|(start, (summary, directories, updated))| {
            object([
                ("sessionId", Some(json!("s1"))),
                ("projectHash", Some(json!("h"))),
                ("startTime", Some(start)),
                ("lastUpdated", updated),
                ("summary", summary),
                ("directories", directories),
            ])
        })
        .boxed()
}

fn record() -> BoxedStrategy<String> {
    let list = || vec(listed_message(), 0..5).prop_map(Value::from);
    let structured = prop_oneof![
        10 => message(),
        2 => metadata(),
        1 => (metadata(), list()).prop_map(|(mut metadata, list)| {
            metadata["messages"] = list;
            metadata
        }),
        3 => time().prop_map(|time| json!({"$set": {"lastUpdated": time}})),
        1 => Just(json!({"$set": {"sessionId": "s1"}})),
        4 => (list(), of(time()))
            .prop_map(|(list, time)| json!({"$set": object([("messages", Some(list)), ("lastUpdated", time)])})),
        2 => message_id().prop_map(|id| json!({"$rewindTo": id})),
        1 => Just(json!({"$rewindTo": "nobody"})),
        1 => Just(json!({"$patch": []})),
        1 => odd(),
    ];
    prop_oneof![
        24 => structured.prop_map(|value| written(&value)),
        1 => Just(String::new()),
        1 => "[ -~]{0,20}",
        // Torn, and two writers on one line.
        1 => (message(), any::<Index>()).prop_map(|(message, at)| cut(&written(&message), at)),
        1 => (message(), message(), any::<Index>())
            .prop_map(|(one, two, at)| cut(&written(&one), at) + &written(&two)),
    ]
    .boxed()
}

/// As JSON text, with the lone surrogates put in.
fn written(value: &Value) -> String {
    value.to_string().replace(LONE, "\\ud83d")
}

fn cut(text: &str, at: Index) -> String {
    let mut end = at.index(text.len() + 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// A log of lines. The first is metadata, as in every file that Gemini CLI made, or anything.
pub(crate) fn log() -> BoxedStrategy<File> {
    let first = prop_oneof![9 => metadata().prop_map(|value| written(&value)), 1 => record()];
    let line_end = prop_oneof![9 => Just("\n"), 1 => Just("\r\n")];
    (first, vec(record(), 0..12), line_end, any::<bool>())
        .prop_map(|(first, rest, end, ended)| {
            let mut lines = vec![first];
            lines.extend(rest);
            let mut text = lines.join(end);
            if ended {
                text.push_str(end);
            }
            File(text.into_bytes())
        })
        .boxed()
}

/// A log in which calls and answers have to be matched.
pub(crate) fn tool_log() -> BoxedStrategy<File> {
    let asking = (message_id(), vec(tool_call(), 1..3)).prop_map(
        |(id, calls)| json!({"id": id, "type": "gemini", "content": "", "toolCalls": calls}),
    );
    let answering = (message_id(), vec(response(), 1..4))
        .prop_map(|(id, parts)| json!({"id": id, "type": "user", "content": parts}));
    let mixed = (
        message_id(),
        vec(prop_oneof![function_call(), response()], 1..4),
    )
        .prop_map(|(id, parts)| json!({"id": id, "type": "gemini", "content": parts}));
    vec(prop_oneof![3 => asking, 4 => answering, 1 => mixed], 1..9)
        .prop_map(|messages| {
            let lines: Vec<String> = messages.iter().map(written).collect();
            File(lines.join("\n").into_bytes())
        })
        .boxed()
}

/// A whole-file record.
pub(crate) fn whole_file() -> BoxedStrategy<File> {
    let list = vec(listed_message(), 0..8).prop_map(Value::from);
    (metadata(), list, weighted(0.2, odd()), any::<bool>())
        .prop_map(|(mut record, list, late, pretty)| {
            record["messages"] = list;
            if let Some(late) = late {
                record["kind"] = late;
            }
            let text = if pretty {
                serde_json::to_string_pretty(&record).unwrap_or_default()
            } else {
                record.to_string()
            };
            File(text.replace(LONE, "\\ud83d").into_bytes())
        })
        .boxed()
}

/// Every other format that is read: histories, shares, headless output, prompt logs.
pub(crate) fn other_file() -> BoxedStrategy<File> {
    let turn = (select(vec!["user", "model", "function", "new"]), content())
        .prop_map(|(role, parts)| json!({"role": role, "parts": parts}));
    let history = vec(prop_oneof![8 => turn, 1 => odd()], 0..6).prop_map(Value::from);
    let event = prop_oneof![
        text().prop_map(|text| json!({"type": "message", "role": "user", "content": text})),
        text().prop_map(|text| json!({"type": "message", "role": "assistant", "content": text})),
        (call_id(), args())
            .prop_map(|(id, args)| json!({"type": "tool_use", "tool_id": id, "parameters": args})),
        (call_id(), text())
            .prop_map(|(id, text)| json!({"type": "tool_result", "tool_id": id, "output": text})),
        odd(),
    ];
    let stream = vec(event, 0..6).prop_map(|events| {
        let mut lines = vec![json!({"type": "init", "session_id": "s1", "model": "m"}).to_string()];
        lines.extend(events.iter().map(written));
        lines.join("\n")
    });
    let prompt = (text(), time()).prop_map(|(text, time)| {
        json!({"sessionId": "s1", "messageId": 0, "type": "user", "message": text, "timestamp": time})
    });
    let text = prop_oneof![
        history.clone().prop_map(|history| written(&history)),
        history.prop_map(|history| written(&json!({"history": history, "authType": "x"}))),
        stream,
        vec(prop_oneof![8 => prompt, 1 => odd()], 0..5)
            .prop_map(|list| written(&Value::from(list))),
        text()
            .prop_map(|text| written(&json!({"session_id": "s1", "response": text, "stats": {}}))),
    ];
    text.prop_map(|text| File(text.into_bytes())).boxed()
}

/// Any of these.
pub(crate) fn file() -> BoxedStrategy<File> {
    prop_oneof![3 => log(), 1 => whole_file(), 1 => other_file()].boxed()
}

/// Any of these, with a few bytes damaged.
pub(crate) fn damaged_file() -> BoxedStrategy<File> {
    let byte = prop_oneof![
        select(b"\0\n\r\t \"\\{}[]:,0\xEF\xBB\xBF\xFF\xC3\xE2".to_vec()),
        any::<u8>()
    ];
    let damage = (any::<Index>(), 0..3usize, vec(byte, 0..4));
    (file(), vec(damage, 0..4))
        .prop_map(|(File(mut bytes), damages)| {
            for (at, removed, added) in damages {
                let start = at.index(bytes.len() + 1);
                let end = (start + removed).min(bytes.len());
                bytes.splice(start..end, added);
            }
            File(bytes)
        })
        .boxed()
}
