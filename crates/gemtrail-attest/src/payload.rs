//! What is signed: the canonical JSON of a record, or a raw journal byte by byte.

use std::borrow::Cow;

use crate::cbor::{self, CborError};
use crate::digest::sha256_hex;
use crate::journal::JournalFacts;
use crate::time::Timestamp;
use crate::vac::provider_of;
use crate::value::{JsonError, Layout, Object, Value, object};

/// Why bytes are neither a record nor a journal.
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
    facts: Facts,
}

/// What the envelope repeats from the payload.
#[derive(Clone, Debug, PartialEq)]
struct Facts {
    content_type: &'static str,
    trace_format: String,
    session_id: String,
    vendor: String,
    start: Option<Value>,
    end: Option<Value>,
}

impl<'a> Payload<'a> {
    /// Detects what a file is: a record in JSON or CBOR, or a journal.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PayloadError> {
        let tree = read_record(bytes);
        if let Ok(record) = &tree
            && record.get("session").is_some()
        {
            return Self::of_record(record);
        }
        match (JournalFacts::read(bytes), tree) {
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
            facts: Facts {
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

    fn of_journal(bytes: &'a [u8], journal: JournalFacts) -> Self {
        let model = journal.model.unwrap_or_default();
        Self {
            bytes: Cow::Borrowed(bytes),
            facts: Facts {
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
