//! Words of the model as columns have them.

use gemtrail_core::model::{Kind, State};
use serde::Serialize;

/// A kind as JSON has it.
pub(super) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Main => "main",
        Kind::Subagent => "subagent",
        Kind::Log => "log",
    }
}

/// A state as JSON has it.
pub(super) fn state_word(state: State) -> &'static str {
    match state {
        State::Current => "current",
        State::Superseded => "superseded",
    }
}

/// Any word of the model as JSON has it.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
