//! `otel`: traces in OTLP/JSON with the conventions for generative AI, one `TracesData` per line.
//!
//! A trace is what followed one prompt of the person: an `invoke_agent` span with the requests to
//! the model and the calls of tools below it; a subagent is below the call that started it. There
//! is no text in it unless it is asked for, as the conventions require.
//!
//! Journals record when something ended, not when it started: a request starts where the step
//! before it ended, a call when it was asked for.

#[cfg(test)]
mod tests;
mod turns;

use std::borrow::Cow;
use std::io::Write;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{Message, Session, ToolCall};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::Result;
use crate::foreign::{HARNESS, Image, arguments, reasoning, said_and_shown, shown, told};
use crate::jsonl::write_line;
use crate::options::FormatOptions;

/// The conventions that the names are from: the last that have a schema.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.1";

/// Writes the traces of the session and of its subagents.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_spans(&turns::spans(session, options), out)
}

/// Receivers over gRPC take messages of up to 4 MiB, which are smaller than this JSON.
const LONGEST_LINE: usize = 4_000_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TracesData<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Attributes,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScopeSpans<'a> {
    scope: InstrumentationScope,
    spans: &'a [Box<RawValue>],
    schema_url: &'static str,
}

#[derive(Serialize)]
struct InstrumentationScope {
    name: &'static str,
    version: &'static str,
}

/// Writes the spans in as many lines as it takes; without a span, none.
fn write_spans(spans: &[OtelSpan], out: &mut impl Write) -> Result {
    let mut batch: Vec<Box<RawValue>> = Vec::new();
    let mut length = 0;
    for span in spans {
        let span = serde_json::value::to_raw_value(span)?;
        if !batch.is_empty() && length + span.get().len() > LONGEST_LINE {
            write_batch(&batch, out)?;
            batch.clear();
            length = 0;
        }
        length += span.get().len();
        batch.push(span);
    }
    if batch.is_empty() {
        return Ok(());
    }
    write_batch(&batch, out)
}

fn write_batch(spans: &[Box<RawValue>], out: &mut impl Write) -> Result {
    let resource = Resource {
        attributes: Attributes::default().text("service.name", HARNESS),
    };
    let scope = InstrumentationScope {
        name: "gemtrail",
        version: env!("CARGO_PKG_VERSION"),
    };
    let data = TracesData {
        resource_spans: [ResourceSpans {
            resource,
            scope_spans: [ScopeSpans {
                scope,
                spans,
                schema_url: SCHEMA_URL,
            }],
        }],
    };
    write_line(&data, out)
}

/// Nanoseconds since 1970. Written as text: JSON cannot hold 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Nanos(pub(super) u64);

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The kind of a span, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct SpanKind(u8);

impl SpanKind {
    pub(super) const INTERNAL: Self = Self(1);
    pub(super) const CLIENT: Self = Self(3);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct SpanStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u8>,
}

impl SpanStatus {
    pub(super) const UNSET: Self = Self { code: None };
    pub(super) const ERROR: Self = Self { code: Some(2) };
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OtelSpan {
    pub(super) trace_id: String,
    #[serde(rename = "spanId")]
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent_span_id: Option<String>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) start_time_unix_nano: Nanos,
    pub(super) end_time_unix_nano: Nanos,
    pub(super) attributes: Attributes,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<SpanEvent>,
    pub(super) status: SpanStatus,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpanEvent {
    pub(super) time_unix_nano: Nanos,
    pub(super) name: &'static str,
    pub(super) attributes: Attributes,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Attribute {
    pub(super) key: &'static str,
    pub(super) value: AttributeValue,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) enum AttributeValue {
    #[serde(rename = "stringValue")]
    String(String),
    #[serde(rename = "boolValue")]
    Bool(bool),
    /// A decimal number: JSON cannot hold 64 bits.
    #[serde(rename = "intValue")]
    Int(String),
    #[serde(rename = "doubleValue")]
    Double(f64),
    #[serde(rename = "arrayValue")]
    Array(Values),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Values {
    values: Vec<AttributeValue>,
}

/// A list of attributes that is being made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Attributes(Vec<Attribute>);

impl Attributes {
    fn with(mut self, key: &'static str, value: AttributeValue) -> Self {
        self.0.push(Attribute { key, value });
        self
    }

    pub(super) fn text(self, key: &'static str, text: impl Into<String>) -> Self {
        self.with(key, AttributeValue::String(text.into()))
    }

    pub(super) fn text_if(self, key: &'static str, text: Option<impl Into<String>>) -> Self {
        match text {
            Some(text) => self.text(key, text),
            None => self,
        }
    }

    pub(super) fn number(self, key: &'static str, number: u64) -> Self {
        // The counters of the format are signed.
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.with(key, AttributeValue::Int(number.to_string()))
    }

    pub(super) fn double_if(self, key: &'static str, number: Option<f64>) -> Self {
        match number {
            Some(number) => self.with(key, AttributeValue::Double(number)),
            None => self,
        }
    }

    pub(super) fn yes_if(self, key: &'static str, is_so: bool) -> Self {
        if is_so {
            self.with(key, AttributeValue::Bool(true))
        } else {
            self
        }
    }

    pub(super) fn list(self, key: &'static str, texts: &[&str]) -> Self {
        let texts = texts
            .iter()
            .map(|text| AttributeValue::String((*text).to_owned()));
        let values = texts.collect();
        self.with(key, AttributeValue::Array(Values { values }))
    }
}

/// One message to the model or from it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ModelMessage<'a> {
    role: &'static str,
    parts: Vec<OtelPart<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish_reason: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OtelPart<'a> {
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

impl<'a> From<Image<'a>> for OtelPart<'a> {
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
        let parts = std::iter::once(OtelPart::Text { content });
        Self {
            role: "user",
            parts: parts
                .chain(images.into_iter().map(OtelPart::from))
                .collect(),
            finish_reason: None,
        }
    }

    /// The answer to a call.
    pub(super) fn answer(call: &'a ToolCall, id: String) -> Self {
        let parts = std::iter::once(OtelPart::ToolCallResponse {
            id,
            response: told(call),
        });
        Self {
            role: "tool",
            parts: parts
                .chain(shown(call).into_iter().map(OtelPart::from))
                .collect(),
            finish_reason: None,
        }
    }

    /// An answer of the model.
    pub(super) fn from_model(message: &'a Message, ids: &[String]) -> Self {
        let thoughts = reasoning(message).map(|content| OtelPart::Reasoning { content });
        let (content, images) = said_and_shown(message);
        let text = (!content.is_empty()).then_some(OtelPart::Text { content });
        let calls = message.tool_calls.iter().zip(ids);
        let calls = calls.map(|(call, id)| OtelPart::ToolCall {
            id: id.clone(),
            name: &call.name,
            arguments: arguments(call),
        });
        Self {
            role: "assistant",
            parts: (thoughts.into_iter().chain(text))
                .chain(images.into_iter().map(OtelPart::from))
                .chain(calls)
                .collect(),
            finish_reason: Some(finish_reason(message)),
        }
    }
}

/// The reason why the model stopped. Journals do not record it: it either called tools or was done.
pub(super) fn finish_reason(message: &Message) -> &'static str {
    if message.tool_calls.is_empty() {
        "stop"
    } else {
        "tool_call"
    }
}

/// Messages as the text of an attribute.
fn json(messages: &[ModelMessage<'_>]) -> String {
    // These values have a JSON form.
    serde_json::to_string(messages).unwrap_or_default()
}
