//! Rebuilds from messages the history that the model was sent.

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Message, MessageKind, Session, ToolCall};

use super::{Era, ShareOptions};
use crate::answer::answer;
use crate::parts::{Part, is_from_history, parts, raw, text_part};
use crate::selected;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    User,
    Model,
}

/// One entry of the history.
#[derive(Debug, PartialEq)]
pub(super) struct Content {
    pub(super) turn: Turn,
    pub(super) parts: Vec<Raw>,
}

/// A `functionCall` with its members in Gemini CLI's order.
#[derive(Serialize)]
struct FunctionCall<'a> {
    name: &'a str,
    args: &'a Raw,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallPart<'a> {
    function_call: FunctionCall<'a>,
}

/// The history of the session.
pub(super) fn history(session: &Session, options: ShareOptions) -> Vec<Content> {
    let era = options.era(session);
    let mut history = Vec::new();
    for message in selected(session, options.selection) {
        // By type, not by role: injected words of either side were sent to the model, too.
        match message.kind {
            MessageKind::Gemini | MessageKind::Model => {
                let parts = if is_from_history(session, message) {
                    content_parts(message)
                } else {
                    model_parts(message, era)
                };
                add(&mut history, era, Turn::Model, parts);
                let answers = message.tool_calls.iter().flat_map(answer);
                add(&mut history, era, Turn::User, answers.collect());
            }
            MessageKind::User | MessageKind::Human => {
                add(&mut history, era, Turn::User, content_parts(message));
            }
            // Notices of the user interface never reach the model.
            _ => {}
        }
    }
    history
}

fn add(history: &mut Vec<Content>, era: Era, turn: Turn, parts: Vec<Raw>) {
    if parts.is_empty() {
        return;
    }
    match history.last_mut() {
        Some(last) if era == Era::Since44 && turn == Turn::User && last.turn == turn => {
            last.parts.extend(parts);
        }
        _ => history.push(Content { turn, parts }),
    }
}

/// The recorded content, or just the words if there is none.
fn content_parts(message: &Message) -> Vec<Raw> {
    match &message.content {
        Some(content) => parts(content).iter().map(|part| part.object()).collect(),
        None => vec![text_part(&message.text)],
    }
}

fn model_parts(message: &Message, era: Era) -> Vec<Raw> {
    let mut model_parts: Vec<_> = match &message.content {
        Some(content) => parts(content)
            .into_iter()
            // Calls come from the call records, which hold the arguments as they were sent.
            .filter(|part| !part.is_thought() && part.call().is_none())
            .filter(|part| part.text().is_none_or(|text| !text.is_empty()))
            .map(Part::object)
            .collect(),
        None if message.text.is_empty() => Vec::new(),
        None => vec![text_part(&message.text)],
    };
    model_parts.extend(message.tool_calls.iter().map(|call| call_part(call, era)));
    model_parts
}

fn call_part(call: &ToolCall, era: Era) -> Raw {
    let no_args = raw(&serde_json::Map::new());
    raw(&CallPart {
        function_call: FunctionCall {
            name: &call.name,
            args: call.args.as_ref().unwrap_or(&no_args),
            id: call_id(call, era),
        },
    })
}

/// The id of a call, if the history has it. Some releases before 0.44 had it there already: those that
/// begin it with the name of the tool and two underscores.
fn call_id(call: &ToolCall, era: Era) -> Option<&str> {
    let id = call.id.as_str();
    let after_name = id.strip_prefix(call.name.as_str());
    let is_sent = era == Era::Since44 || after_name.is_some_and(|it| it.starts_with("__"));
    (is_sent && !id.is_empty()).then_some(id)
}
