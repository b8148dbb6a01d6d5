//! Messages, as far as all sources make them alike.

use gemtrail_core::json::{Fields, Raw};
use gemtrail_core::model::{
    Message, MessageId, MessageKind, Place, Role, State, Tokens, Trace, Written,
};

use crate::raw;

/// A message without words.
pub(crate) fn message(index: i64, role: Role, kind: MessageKind) -> Message {
    Message {
        id: MessageId::new(format!("step-{index}")),
        place: Place::default(),
        time: None,
        role,
        kind,
        state: State::Current,
        superseded_by: None,
        text: String::new(),
        references: Vec::new(),
        model: None,
        thoughts: Vec::new(),
        tool_calls: Vec::new(),
        tokens: None,
        content: None,
        display_content: None,
        revisions: Vec::new(),
        stop: None,
        copied_from: None,
        copies: Vec::new(),
        journal: Some(0),
        trace: Trace::default(),
        written: Written::default(),
        extra: Fields::default(),
    }
}

/// Gives a message words, with what was said besides.
pub(crate) fn say(message: &mut Message, words: &str, media: Vec<String>) {
    words.trim().clone_into(&mut message.text);
    message.content = raw::parts(&[vec![raw::text_part(words)], media].concat());
}

/// Keeps a text of which the model of a session knows nothing.
pub(crate) fn keep(extra: &mut Fields, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        extra.set(name, Raw::string(text));
    }
}

/// Sets the counters of a message, which stand in the file once.
pub(crate) fn count(message: &mut Message, tokens: Tokens) {
    message.tokens = Some(tokens);
    message.written = Written {
        lines: 1,
        places: 1,
        tokens,
    };
}
