//! What was said, as the conventions write it: JSON in an attribute.

use std::borrow::Cow;

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Message, ToolCall};

use crate::foreign::{Image, arguments, reasoning, said_and_shown, shown, told};

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
    Blob {
        modality: &'static str,
        mime_type: &'static str,
        /// In Base64.
        content: Cow<'a, str>,
    },
}

impl<'a> From<Image<'a>> for Part<'a> {
    fn from(Image { mime, base64 }: Image<'a>) -> Self {
        Self::Blob {
            modality: "image",
            mime_type: mime,
            content: base64,
        }
    }
}

impl<'a> ModelMessage<'a> {
    /// A text that was sent in the user's name.
    pub(super) fn to_model(message: &'a Message) -> Self {
        let (content, images) = said_and_shown(message);
        let parts = std::iter::once(Part::Text { content });
        Self {
            role: "user",
            parts: parts.chain(images.into_iter().map(Part::from)).collect(),
            finish_reason: None,
        }
    }

    /// What the model was told about a call.
    pub(super) fn answer(call: &'a ToolCall, id: String) -> Self {
        let parts = std::iter::once(Part::ToolCallResponse {
            id,
            response: told(call),
        });
        Self {
            role: "tool",
            parts: parts
                .chain(shown(call).into_iter().map(Part::from))
                .collect(),
            finish_reason: None,
        }
    }

    /// What the model answered.
    pub(super) fn from_model(message: &'a Message, ids: &[String]) -> Self {
        let thoughts = reasoning(message).map(|content| Part::Reasoning { content });
        let (content, images) = said_and_shown(message);
        let text = (!content.is_empty()).then_some(Part::Text { content });
        let calls = message.tool_calls.iter().zip(ids);
        let calls = calls.map(|(call, id)| Part::ToolCall {
            id: id.clone(),
            name: &call.name,
            arguments: arguments(call),
        });
        Self {
            role: "assistant",
            parts: (thoughts.into_iter().chain(text))
                .chain(images.into_iter().map(Part::from))
                .chain(calls)
                .collect(),
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
