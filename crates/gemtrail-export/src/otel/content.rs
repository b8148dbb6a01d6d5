//! What was said, as the conventions write it: JSON in an attribute.

use std::borrow::Cow;

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Message, ToolCall};

use crate::foreign::{arguments, reasoning, said, told};

/// One message to the model or from it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ModelMessage<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish_reason: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text {
        content: Cow<'a, str>,
    },
    Reasoning {
        content: String,
    },
    ToolCall {
        id: String,
        name: &'a str,
        arguments: Raw,
    },
    ToolCallResponse {
        id: String,
        response: Cow<'a, str>,
    },
}

impl<'a> ModelMessage<'a> {
    /// A text that was sent in the user's name.
    pub(super) fn to_model(message: &'a Message) -> Self {
        Self {
            role: "user",
            parts: vec![Part::Text {
                content: said(message),
            }],
            finish_reason: None,
        }
    }

    /// What the model was told about a call.
    pub(super) fn answer(call: &'a ToolCall, id: String) -> Self {
        Self {
            role: "tool",
            parts: vec![Part::ToolCallResponse {
                id,
                response: told(call),
            }],
            finish_reason: None,
        }
    }

    /// What the model answered.
    pub(super) fn from_model(message: &'a Message, ids: &[String]) -> Self {
        let thoughts = reasoning(message).map(|content| Part::Reasoning { content });
        let text = (!message.text.is_empty()).then(|| Part::Text {
            content: said(message),
        });
        let calls = message.tool_calls.iter().zip(ids);
        let calls = calls.map(|(call, id)| Part::ToolCall {
            id: id.clone(),
            name: &call.name,
            arguments: arguments(call),
        });
        Self {
            role: "assistant",
            parts: thoughts.into_iter().chain(text).chain(calls).collect(),
            finish_reason: Some(finish_reason(message)),
        }
    }
}

/// Why the model stopped. Journals do not record it: it either called tools or was done.
pub(super) fn finish_reason(message: &Message) -> &'static str {
    if message.tool_calls.is_empty() {
        "stop"
    } else {
        "tool_call"
    }
}

/// Messages as the text of an attribute.
pub(super) fn json(messages: &[ModelMessage<'_>]) -> String {
    // These values have a JSON form.
    serde_json::to_string(messages).unwrap_or_default()
}
