//! Sessions built by hand.

use crate::json::Raw;
use crate::model::{Message, MessageId, Role, Session, State, SupersededBy, ToolCall};

/// A message with this text.
pub(crate) fn message(role: Role, text: &str) -> Message {
    let json = format!(
        r#"{{"id":"m","time":null,"role":"{}","type":"user","state":"current","text":"{text}","content":null}}"#,
        role.as_str()
    );
    serde_json::from_str(&json).expect("a message")
}

/// The message, superseded.
pub(crate) fn superseded(mut message: Message, by: SupersededBy) -> Message {
    message.state = State::Superseded;
    message.superseded_by = Some(by);
    message
}

/// A session of these messages, all in its first journal, with the ids `m1`, `m2`, …
pub(crate) fn session(messages: impl IntoIterator<Item = Message>) -> Session {
    let mut session = crate::Sources::default().assemble();
    session.messages = messages.into_iter().collect();
    for (index, message) in session.messages.iter_mut().enumerate() {
        message.id = MessageId::new(format!("m{}", index + 1));
        message.journal.get_or_insert(0);
    }
    session
}

/// A call to a tool with this status and, as its only answer, this `response`.
pub(crate) fn call(name: &str, status: Option<&str>, response: Option<&str>) -> ToolCall {
    ToolCall {
        id: "c1".into(),
        name: name.to_owned(),
        status: status.map(Into::into),
        result: response.map(|response| {
            let part = format!(r#"[{{"functionResponse":{{"id":"c1","response":{response}}}}}]"#);
            Raw::parse(&part).expect("tests write valid JSON")
        }),
        ..ToolCall::default()
    }
}
