//! The positions of prompts and calls in a message's content.

use std::borrow::Cow;

use gemtrail_core::json::Node;
use gemtrail_core::model::{Message, Session};
use gemtrail_core::view::error_of;

use super::event::ToolOutcome;
use crate::parts::{is_from_history, parts};

/// The prompts of a human message with their positions in it.
pub(super) fn prompts<'a>(session: &Session, message: &'a Message) -> Vec<(usize, Cow<'a, str>)> {
    let texts = text_parts(message);
    let joined: String = texts.iter().map(|(_, text)| &**text).collect();
    // Attached files and injected text make the words shorter than the parts.
    if is_from_history(session, message) && texts.len() > 1 && joined.trim() == message.text {
        return texts;
    }
    let place = texts.first().map_or(0, |(index, _)| *index);
    (!message.text.is_empty())
        .then_some((place, Cow::Borrowed(message.text.as_str())))
        .into_iter()
        .collect()
}

/// The text parts of a message with their positions, without thoughts.
fn text_parts(message: &Message) -> Vec<(usize, Cow<'_, str>)> {
    let parts = message.content.as_ref().map(parts).unwrap_or_default();

    parts
        .into_iter()
        .enumerate()
        .filter(|(_, part)| !part.is_thought())
        .filter_map(|(index, part)| Some((index, part.text().filter(|text| !text.is_empty())?)))
        .collect()
}

pub(super) fn text_index(message: &Message) -> usize {
    text_parts(message).first().map_or(0, |(index, _)| *index)
}

/// The positions of the calls among the parts of a message.
pub(super) fn call_indices(message: &Message) -> Vec<usize> {
    let calls = message.tool_calls.len();
    let parts = message.content.as_ref().map(parts).unwrap_or_default();
    let recorded: Vec<_> = (0..parts.len())
        .filter(|&index| parts[index].call().is_some())
        .collect();
    if recorded.len() == calls {
        return recorded;
    }
    // Journals keep calls separate from the text; in the model's history they follow it.
    let first = usize::from(!message.text.is_empty());
    (first..first + calls).collect()
}

/// Success or failure of a bare `response`; an answer without one holds no error.
pub(super) fn response_outcome(response: Option<Node<'_>>) -> ToolOutcome<'_> {
    let Some(response) = response else {
        return ToolOutcome {
            success: true,
            output: None,
            error: None,
        };
    };
    let error = error_of(response).map(text_of);
    let success = error.is_none();
    let output = response.get("output").or_else(|| response.get("content"));
    ToolOutcome {
        success,
        output: success.then(|| text_of(output.unwrap_or(response))),
        error,
    }
}

/// The characters of a string, or the JSON text of anything else.
fn text_of(node: Node<'_>) -> Cow<'_, str> {
    node.as_str().unwrap_or(Cow::Borrowed(node.text()))
}
