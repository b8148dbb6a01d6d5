//! Spans.

use serde::{Serialize, Serializer};

use super::attributes::Attributes;

/// Nanoseconds since 1970. Written as text: JSON cannot hold 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Nanos(pub(super) u64);

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// What a span is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal = 1,
    Client = 3,
}

impl Serialize for SpanKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Status {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u8>,
}

impl Status {
    pub(super) const UNSET: Self = Self { code: None };
    pub(super) const ERROR: Self = Self { code: Some(2) };
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
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
    pub(super) events: Vec<Event>,
    pub(super) status: Status,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event {
    pub(super) time_unix_nano: Nanos,
    pub(super) name: &'static str,
    pub(super) attributes: Attributes,
}
