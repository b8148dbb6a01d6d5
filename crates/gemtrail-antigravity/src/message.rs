//! Messages, as far as all sources make them alike.

use gemtrail_core::json::Fields;
use gemtrail_core::model::{
    Message, MessageId, MessageKind, Place, Role, State, Tokens, Trace, Written,
};

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

/// Sets the counters of a message, which stand in the file once.
pub(crate) fn count(message: &mut Message, tokens: Tokens) {
    message.tokens = Some(tokens);
    message.written = Written {
        lines: 1,
        places: 1,
        tokens,
    };
}
