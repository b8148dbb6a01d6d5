//! Which records are one message, what stays of each, and what is current.

#[path = "common/made.rs"]
mod made;

use gemtrail_core::Sources;
use gemtrail_core::model::{Role, Session, State};
use serde_json::{Value, json};

const CONTEXT: &str = "d04923d38bb0f6017037e74183378ef4";

fn said(id: &str, kind: &str, content: &Value) -> Value {
    json!({"id": id, "timestamp": "2026-06-01T10:00:01.000Z", "type": kind, "content": content})
}

fn user(id: &str, text: &str) -> Value {
    said(id, "user", &json!([{ "text": text }]))
}

/// An answer as it is recorded when it arrives.
fn answer(id: &str, text: &str) -> Value {
    let mut answer = said(id, "gemini", &json!(text));
    answer["model"] = "gemini-3-pro".into();
    answer
}

/// An answer as it is in the model's history.
fn history(id: &str, text: &str) -> Value {
    said(id, "gemini", &json!([{ "text": text }]))
}

fn context() -> Value {
    user(CONTEXT, "<session_context>\nToday\n</session_context>")
}

fn checkpoint(messages: &[Value]) -> Value {
    json!({"$set": {"messages": messages}})
}

fn lines(records: &[Value]) -> Session {
    made::session(&made::lines(records), Vec::new())
}

fn whole(messages: &[Value]) -> Session {
    made::session(&made::whole(messages), Vec::new())
}

fn states(session: &Session) -> Vec<(&str, State)> {
    let messages = session.messages.iter();
    messages.map(|it| (it.id.as_str(), it.state)).collect()
}

fn document(session: &Session) -> String {
    serde_json::to_string(session).expect("JSON")
}

#[test]
fn a_copy_has_the_characters_that_the_recorder_drops() {
    for character in [
        '\u{200B}', '\u{200C}', '\u{200D}', '\u{200E}', '\u{200F}', '\u{FEFF}',
    ] {
        let full = format!("می{character}خواهم");
        let session = lines(&[
            context(),
            user("u1", "hi"),
            answer("g2", "میخواهم"),
            user("n3", "hi"),
            history("n4", &full),
            checkpoint(&[context(), user("n3", "hi"), history("n4", &full)]),
        ]);
        let current = |id| (id, State::Current);
        assert_eq!(states(&session), [CONTEXT, "u1", "g2"].map(current));
        assert!(document(&session).contains(&full), "{character:?}");
    }
}

#[test]
fn a_merged_copy_has_them_too() {
    let records = [
        user("u1", "hi"),
        answer("g2", "one "),
        answer("g3", "two"),
        user("n1", "hi"),
        said(
            "n2",
            "gemini",
            &json!([{"text": "one "}, {"text": "tw\u{200C}o"}]),
        ),
    ];
    let replaced = checkpoint(&[records[3].clone(), records[4].clone()]);
    let session = lines(&[&records[..], &[replaced]].concat());
    assert_eq!(states(&session).len(), 3);
    assert!(document(&session).contains("tw\u{200C}o"));
}

#[test]
fn the_fuller_text_under_one_id_stays() {
    let full = "family 👩\u{200D}👩\u{200D}👧";
    let cut = "family 👩👩👧";
    for texts in [[cut, full], [full, cut]] {
        let session = lines(&[
            user("u1", "hi"),
            answer("g2", texts[0]),
            checkpoint(&[user("u1", "hi"), history("g2", texts[1])]),
        ]);
        assert_eq!(session.messages.len(), 2);
        let message = &session.messages[1];
        assert_eq!(
            (message.text.as_str(), message.state),
            (full, State::Current)
        );
        assert_eq!(message.model.as_deref(), Some("gemini-3-pro"));
    }
}

#[test]
fn what_the_last_replay_lists_is_current_whatever_became_of_its_copy() {
    let both = "<session_context>\nToday\n</session_context>";
    let merged = said(
        "n1",
        "user",
        &json!([{ "text": both }, { "text": "signal" }]),
    );
    let session = lines(&[
        checkpoint(&[context()]),
        user("u1", "signal"),
        answer("g2", "copper"),
        merged.clone(),
        history("n2", "copper"),
        checkpoint(&[merged, history("n2", "copper")]),
        json!({"$set": {"sessionId": "s"}}),
        checkpoint(&[context(), history("n2", "copper")]),
    ]);
    let (current, superseded) = (State::Current, State::Superseded);
    assert_eq!(
        states(&session),
        [(CONTEXT, current), ("u1", superseded), ("g2", current)]
    );
}

fn answered(output: &str) -> Value {
    json!([{"functionResponse": {"id": "c", "name": "x", "response": {"output": output}}}])
}

fn calling(output: &str) -> Value {
    let mut message = answer("g1", "");
    message["toolCalls"] =
        json!([{"id": "c", "name": "x", "status": "success", "result": answered(output)}]);
    message
}

#[test]
fn a_placeholder_is_never_fuller_than_the_output() {
    let real = "short";
    for placeholder in [
        "<tool_output_masked>\nshort\n\nOutput too large. Full output available at: /t/c.txt\n</tool_output_masked>",
        "Output too large. Showing first 1 and last 1 characters. For full output see: /t/c.txt\ns…t",
        "Tool output was too large and has been truncated.\nThe full output has been saved to: /t/c.output",
    ] {
        let result = |session: &Session| {
            let call = &session.messages[0].tool_calls[0];
            let first = call.result.as_ref().expect("a result").text().to_owned();
            (call.output.clone(), first)
        };
        let expected = (Some(real.to_owned()), answered(real).to_string());
        for texts in [[real, placeholder], [placeholder, real]] {
            let session = lines(&[calling(texts[0]), calling(texts[1])]);
            assert_eq!(result(&session), expected, "{placeholder}");
            // As a message of its own.
            let message = said("r", "user", &answered(texts[1]));
            let session = lines(&[calling(texts[0]), message]);
            assert_eq!(result(&session), expected, "{placeholder}");
        }
        // Better than nothing, and said to be elsewhere.
        let session = lines(&[calling(""), calling(placeholder)]);
        let call = &session.messages[0].tool_calls[0];
        assert_eq!(call.output.as_deref(), Some(placeholder));
        assert!(call.output_file.is_some());
    }
    // An output that only mentions the tag is real.
    let about = "the tag <tool_output_masked> is explained in </tool_output_masked> docs";
    let session = lines(&[calling(about), calling("short")]);
    assert_eq!(
        session.messages[0].tool_calls[0].output.as_deref(),
        Some(about)
    );
}

#[test]
fn messages_of_different_kinds_under_one_id_are_different_messages() {
    let all = [
        user("same", "first"),
        answer("same", "second"),
        user("same", "third"),
    ];
    let told = |session: &Session| -> Vec<(Role, String, State)> {
        let messages = session.messages.iter();
        messages
            .map(|it| (it.role, it.text.clone(), it.state))
            .collect()
    };
    let row = |role, text: &str, state| (role, text.to_owned(), state);
    let (current, superseded) = (State::Current, State::Superseded);
    let session = whole(&all);
    assert_eq!(
        told(&session),
        [
            row(Role::Human, "first", current),
            row(Role::Assistant, "second", current),
            row(Role::Human, "third", current),
        ]
    );
    assert_eq!(session.messages[0].model, None);
    let found = session.diagnostics.iter();
    let codes: Vec<String> = found.map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["repeated-id", "repeated-id"]);
    // A line replaces the one before it; a line of its own kind updates it.
    let session = lines(&all);
    assert_eq!(
        told(&session),
        [
            row(Role::Human, "third", current),
            row(Role::Assistant, "second", superseded),
        ]
    );
    assert!(document(&session).contains("first"));
}

#[test]
fn the_same_message_written_twice_is_one() {
    let session = whole(&[user("u1", "hi"), user("u1", "hi"), answer("g1", "yes")]);
    assert_eq!(session.messages.len(), 2);
}

#[test]
fn copies_of_a_file_with_repeated_ids_stay_one_session() {
    let bytes = made::whole(&[user("a", "one"), answer("a", "two"), user("a", "three")]);
    let copy = |path| made::journal(&bytes, path);
    let mut sources = Sources::single(copy("hash/session-a.json"));
    sources.journals.push(copy("slug/session-a.json"));
    assert_eq!(sources.assemble().messages.len(), 3);
}

#[test]
fn an_answer_may_be_called_model() {
    let message = said("m", "model", &json!("hi"));
    let session = whole(&[user("u", "hello"), message]);
    assert_eq!(session.messages[1].role, Role::Assistant);
    assert_eq!(session.counts.assistant, 1);
    assert!(session.diagnostics.is_empty());
}
