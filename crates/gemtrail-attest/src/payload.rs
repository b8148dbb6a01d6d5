//! The signed content: the canonical JSON of a record, or a raw journal byte by byte.

use std::borrow::Cow;

use gemtrail_core::json::Node;

use crate::cbor::{self, CborError};
use crate::digest::sha256_hex;
use crate::time::{Timestamp, follows_pattern};
use crate::vac::provider_of;
use crate::value::{JsonError, Layout, Object, Value, object};
use crate::vcon::{is_vcon, record_in};

/// The reason bytes are neither a record nor a journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// It starts like JSON, but is not JSON that can be signed.
    #[error("not a record: {0}")]
    Json(#[from] JsonError),
    /// It starts like CBOR, but is not valid CBOR.
    #[error("not a record: {0}")]
    Cbor(#[from] CborError),
    /// A record that lacks something the envelope has to repeat.
    #[error("not a record: no text at {0}")]
    Missing(&'static str),
    /// JSON, but neither a record nor a journal.
    #[error("neither a record nor a journal")]
    Unknown,
}

/// The name of the digest in envelopes; no other is used.
pub(crate) const HASH_ALGORITHM: &str = "sha-256";

/// The tree of a record file, in JSON or CBOR. Does not validate it as a record.
pub fn read_record(bytes: &[u8]) -> Result<Value, PayloadError> {
    match bytes.first() {
        None => Err(PayloadError::Empty),
        // No text starts with a byte that starts a CBOR map.
        Some(0xa0..=0xbf) => Ok(cbor::decode(bytes)?),
        Some(_) => Ok(Value::parse_bytes(bytes)?),
    }
}

/// Bytes to sign, and what an envelope says about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload<'a> {
    bytes: Cow<'a, [u8]>,
    facts: PayloadFacts,
}

/// The facts that the envelope repeats from the payload.
#[derive(Clone, Debug, PartialEq)]
struct PayloadFacts {
    content_type: &'static str,
    trace_format: String,
    session_id: String,
    vendor: String,
    start: Option<Value>,
    end: Option<Value>,
}

impl<'a> Payload<'a> {
    /// Detects what a file is: a record in JSON or CBOR, a vCon with a record in it, or a journal.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PayloadError> {
        let tree = read_record(bytes);
        if let Ok(tree) = &tree {
            // A signature over a record also holds where a vCon carries that record.
            let inside = if is_vcon(tree) { record_in(tree) } else { None };
            let record = inside.unwrap_or(tree);
            if record.get("session").is_some() {
                return Self::of_record(record);
            }
        }
        match (JournalSummary::read(bytes), tree) {
            (Some(facts), _) => Ok(Self::of_journal(bytes, facts)),
            (None, Ok(_)) => Err(PayloadError::Unknown),
            (None, Err(error)) => Err(error),
        }
    }

    /// The canonical JSON of a record.
    pub fn of_record(record: &Value) -> Result<Self, PayloadError> {
        let text = |names: &[&str], place: &'static str| {
            record
                .at(names.iter().copied())
                .and_then(Value::as_text)
                .map(str::to_owned)
                .ok_or(PayloadError::Missing(place))
        };
        let time = |names: &[&str]| record.at(names.iter().copied()).cloned();
        Ok(Self {
            facts: PayloadFacts {
                content_type: "application/json",
                trace_format: trace_format(&text(&["version"], "$.version")?),
                session_id: text(&["session", "session-id"], "$.session.session-id")?,
                vendor: text(
                    &["session", "agent-meta", "model-provider"],
                    "$.session.agent-meta.model-provider",
                )?,
                start: time(&["session", "session-start"]).or_else(|| time(&["created"])),
                end: time(&["session", "session-end"]),
            },
            bytes: Cow::Owned(record.to_json(Layout::Canonical).into_bytes()),
        })
    }

    fn of_journal(bytes: &'a [u8], journal: JournalSummary) -> Self {
        let model = journal.model.unwrap_or_default();
        Self {
            bytes: Cow::Borrowed(bytes),
            facts: PayloadFacts {
                content_type: if journal.is_log {
                    "application/jsonl"
                } else {
                    "application/json"
                },
                trace_format: "gemini-json".to_owned(),
                session_id: journal.session_id,
                vendor: provider_of(&model).to_owned(),
                start: journal.start.map(Value::from),
                end: journal.end.map(Value::from),
            },
        }
    }

    /// The bytes that the signature covers.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SHA-256 of these bytes, in hex.
    pub fn content_hash(&self) -> String {
        sha256_hex(&self.bytes)
    }

    pub(crate) fn content_type(&self) -> &'static str {
        self.facts.content_type
    }

    /// The default subject of a signature.
    pub(crate) fn session_id(&self) -> &str {
        &self.facts.session_id
    }

    /// The default issuer of a signature.
    pub(crate) fn vendor(&self) -> &str {
        &self.facts.vendor
    }

    /// The metadata of an envelope, in the order of the reference signer. `timestamp-start` is
    /// missing if neither the payload nor the caller has a time.
    pub(crate) fn metadata(&self, hash: &str, fallback_start: Option<&Timestamp>) -> Object {
        let facts = &self.facts;
        let mut metadata = object([
            ("session-id", facts.session_id.as_str().into()),
            ("agent-vendor", facts.vendor.as_str().into()),
            ("trace-format", facts.trace_format.as_str().into()),
            ("content-hash", hash.into()),
            ("content-hash-alg", HASH_ALGORITHM.into()),
        ]);
        let fallback = || fallback_start.map(|time| Value::from(time.as_str()));
        if let Some(start) = facts.start.clone().or_else(fallback) {
            metadata.insert("timestamp-start".to_owned(), start);
        }
        if let Some(end) = facts.end.clone() {
            metadata.insert("timestamp-end".to_owned(), end);
        }
        metadata
    }
}

/// Turns `3.0.0-draft` into `ietf-vac-v3.0`.
fn trace_format(version: &str) -> String {
    let mut parts = version.split('.');
    let major = parts.next().unwrap_or_default();
    let minor = parts.next().unwrap_or("0");
    format!("ietf-vac-v{major}.{minor}")
}

/// The few facts about a journal that an envelope repeats.
///
/// Deliberately simpler than the reader: a signature made today has to verify in ten years, so this
/// must not change whenever the reader learns something new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JournalSummary {
    /// The last session id in the file.
    pub(crate) session_id: String,
    /// The model that answered last.
    pub(crate) model: Option<String>,
    /// The first start time.
    pub(crate) start: Option<String>,
    /// The last update.
    pub(crate) end: Option<String>,
    /// True if the file is a log of lines, not one JSON value.
    pub(crate) is_log: bool,
}

impl JournalSummary {
    /// Reads a journal of either generation; `None` if the bytes are not a journal.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut facts = Self::default();
        if let Some(whole) = Node::parse(&text) {
            facts.take_metadata(whole);
        } else {
            facts.is_log = true;
            // Torn and foreign lines are ignored.
            for line in text.lines().filter_map(Node::parse) {
                facts.take_metadata(line);
                facts.take_model(line);
                if let Some(patch) = line.get("$set") {
                    facts.take_metadata(patch);
                }
            }
        }
        (!facts.session_id.is_empty()).then_some(facts)
    }

    fn take_metadata(&mut self, node: Node<'_>) {
        let text = |name| Some(node.get(name)?.as_str()?.into_owned());
        let time = |name| text(name).filter(|time| follows_pattern(time));
        if let Some(id) = text("sessionId") {
            self.session_id = id;
        }
        self.start = self.start.take().or_else(|| time("startTime"));
        self.end = time("lastUpdated").or_else(|| self.end.take());
        for message in node.get("messages").into_iter().flat_map(Node::items) {
            self.take_model(message);
        }
    }

    fn take_model(&mut self, message: Node<'_>) {
        if let Some(model) = message.get("model").and_then(Node::as_str) {
            self.model = Some(model.into_owned());
        }
    }
}

#[cfg(test)]
mod journal_tests {
    use super::*;

    #[test]
    fn reads_both_generations() {
        let whole = r#"{"sessionId":"s","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-02T00:00:00Z",
            "messages":[{"model":"gemini-a"},{"type":"user"},{"model":"gemini-b"}]}"#;
        let facts = JournalSummary::read(whole.as_bytes()).unwrap();
        assert_eq!(facts.model.as_deref(), Some("gemini-b"));
        assert!(!facts.is_log);

        let log = concat!(
            r#"{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z"}"#,
            "\n",
            r#"{"id":"m","type":"gemini","model":"gemini-a"}"#,
            "\n",
            r#"{"$set":{"lastUpdated":"2026-01-02T00:00:00Z","messages":[{"model":"gemini-b"}]}}"#,
            "\n",
            r#"{"id":"torn"#,
        );
        let facts = JournalSummary {
            is_log: true,
            ..facts
        };
        assert_eq!(JournalSummary::read(log.as_bytes()), Some(facts));
    }

    #[test]
    fn other_files_are_no_journals() {
        for bytes in [&b""[..], b"{}", b"[1]", b"\xff\xfe", b"hello\nworld"] {
            assert_eq!(JournalSummary::read(bytes), None);
        }
    }
}
