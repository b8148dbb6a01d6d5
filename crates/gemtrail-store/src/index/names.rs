//! Names of model values as stored in columns.

use gemtrail_core::model::{Kind, State};
use serde::Serialize;

/// The JSON name of a kind.
pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Main => "main",
        Kind::Subagent => "subagent",
        Kind::Log => "log",
        Kind::Sealed => "sealed",
    }
}

/// The JSON name of a state.
pub(super) fn state_name(state: State) -> &'static str {
    match state {
        State::Current => "current",
        State::Superseded => "superseded",
    }
}

/// The state of that name.
pub(super) fn state_of(word: &str) -> State {
    match word {
        "superseded" => State::Superseded,
        _ => State::Current,
    }
}

/// The JSON name of any model value.
pub(super) fn name_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
