//! The words of a conversation: each message exactly once, in order, with everything that belongs
//! to it.

use serde_json::Value;

use super::align::align;
use super::script::{Answer, Called, Said, Script};
use crate::document::{Call, Message, items};
use crate::problem::{Problems, shorten};

/// Compares human and assistant messages, in order, with the expected ones.
pub(super) fn check(
    problems: &mut Problems,
    place: &str,
    script: &Script,
    said: &[&Said],
    messages: &[Message<'_>],
) {
    let expected: Vec<_> = said.iter().map(|said| key_of_said(said)).collect();
    let found: Vec<_> = messages.iter().map(|message| key_of(*message)).collect();
    let alignment = align(&expected, &found);
    for &missing in &alignment.only_left {
        let (role, words) = &expected[missing];
        let elsewhere = found.contains(&expected[missing]);
        let how = if elsewhere {
            "stands out of order"
        } else {
            "is missing"
        };
        problems.report(place, format!("{role} {:?} {how}", shorten(words)));
    }
    let mut allowed = script.client_says.clone();
    for &added in &alignment.only_right {
        let (role, words) = &found[added];
        if let Some(place) = allowed.iter().position(|allowed| allowed == words) {
            allowed.swap_remove(place);
            continue;
        }
        let again = expected.contains(&found[added]);
        let how = if again {
            "stands there once too often"
        } else {
            "was never said"
        };
        problems.report(place, format!("{role} {:?} {how}", shorten(words)));
    }
    for (left, right) in alignment.pairs {
        check_message(problems, place, script, said[left], messages[right]);
    }
}

/// Messages are paired by their words; those without words by their calls.
fn key_of_said(said: &Said) -> (String, String) {
    let names = said.calls.iter().map(|call| call.name.as_str());
    key(said.role, &said.text, names)
}

fn key_of(message: Message<'_>) -> (String, String) {
    let names = message.calls().map(Call::name);
    key(message.role(), message.text(), names)
}

fn key<'a>(role: &str, text: &str, calls: impl Iterator<Item = &'a str>) -> (String, String) {
    let words = if text.is_empty() {
        format!("({})", calls.collect::<Vec<_>>().join(", "))
    } else {
        text.to_owned()
    };
    (role.to_owned(), words)
}

fn check_message(
    problems: &mut Problems,
    place: &str,
    script: &Script,
    said: &Said,
    message: Message<'_>,
) {
    let (_, words) = key_of_said(said);
    let place = format!("{place}, {} {:?}", said.role, shorten(&words));
    let state = match said.superseded_by {
        Some(_) => "superseded",
        None => "current",
    };
    problems.expect_same(&place, "state", state, message.state());
    let by = message.superseded_by();
    problems.expect_same(&place, "superseded_by", &said.superseded_by, &by);
    if said.model.is_some() {
        problems.expect_same(&place, "model", &said.model.as_deref(), &message.model());
    }
    let thoughts = message.thoughts();
    let thoughts: Vec<_> = thoughts
        .map(|(s, t)| (s.to_owned(), t.to_owned()))
        .collect();
    problems.expect_same(&place, "thoughts", &said.thoughts, &thoughts);
    problems.expect_same(&place, "tokens", &said.tokens, &message.tokens());
    if said.role == "human" {
        check_references(problems, &place, said, message);
    }
    check_calls(problems, &place, script, said, message);
}

/// Every `@path` of a prompt is a reference. Old records do not name the path of an image.
fn check_references(problems: &mut Problems, place: &str, said: &Said, message: Message<'_>) {
    let references = items(&message.0["references"]);
    let typed: Vec<&str> = said
        .text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@'))
        .collect();
    problems.expect_same(
        place,
        "number of references",
        &typed.len(),
        &references.len(),
    );
    for (typed, reference) in typed.iter().zip(references) {
        if let Some(path) = reference["path"].as_str()
            && !path.ends_with(typed)
        {
            problems.report(place, format!("@{typed} became a reference to {path:?}"));
        }
    }
}

fn check_calls(
    problems: &mut Problems,
    place: &str,
    script: &Script,
    said: &Said,
    message: Message<'_>,
) {
    let found: Vec<Call<'_>> = message.calls().collect();
    let expected_names: Vec<&str> = said.calls.iter().map(|c| c.name.as_str()).collect();
    let found_names: Vec<&str> = found.iter().map(|c| c.name()).collect();
    let alignment = align(&expected_names, &found_names);
    for missing in alignment.only_left {
        let name = expected_names[missing];
        problems.report(place, format!("the call of {name} is missing"));
    }
    for added in alignment.only_right {
        let name = found_names[added];
        problems.report(
            place,
            format!("the call of {name} was never made, or not twice"),
        );
    }
    for (left, right) in alignment.pairs {
        let place = format!("{place}, call of {}", expected_names[left]);
        check_args(problems, &place, script, &said.calls[left], found[right]);
        check_answer(problems, &place, &said.calls[left].answer, found[right]);
    }
}

fn check_args(
    problems: &mut Problems,
    place: &str,
    script: &Script,
    called: &Called,
    call: Call<'_>,
) {
    let mut args = call.args().clone();
    if let Value::Object(fields) = &mut args {
        for (tool, key) in &script.added_arguments {
            let sent = called.args.get(key).is_some();
            if *tool == called.name && !sent {
                fields.remove(*key);
            }
        }
    }
    problems.expect_same(place, "args", &called.args, &args);
}

fn check_answer(problems: &mut Problems, place: &str, answer: &Answer, call: Call<'_>) {
    let status = match answer {
        Answer::Output(_) | Answer::LongOutput { .. } | Answer::Masked => "success",
        Answer::Error(_) => "error",
        Answer::Cancelled => "cancelled",
        Answer::Unknown => return,
    };
    problems.expect_same(place, "status", &Some(status), &call.status());
    let output = call.output().unwrap_or_default();
    match answer {
        Answer::Output(text) => problems.expect_same(place, "output", text.as_str(), output),
        Answer::Error(text) => {
            problems.expect_same(place, "error", &Some(text.as_str()), &call.error());
        }
        Answer::LongOutput { characters, head } => {
            check_long_output(problems, place, *characters, head, output);
        }
        Answer::Masked if !output.starts_with("<tool_output_masked>") => {
            problems.report(place, "output should be the note that it was masked");
        }
        Answer::Masked | Answer::Cancelled | Answer::Unknown => {}
    }
}

/// In the truth, a long response is represented by the head and the length of its JSON.
fn check_long_output(
    problems: &mut Problems,
    place: &str,
    characters: u64,
    head: &str,
    output: &str,
) {
    let json = format!("{{\"output\": {}}}", Value::from(output));
    let length = json.chars().count() as u64;
    problems.expect_same(place, "characters of the response", &characters, &length);
    if !json.starts_with(head) {
        problems.report(place, "output begins otherwise than what was sent back");
    }
}
