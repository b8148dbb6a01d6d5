//! Signs payloads.

use crate::cbor::CborError;
use crate::cose::{Envelope, ProtectedHeader, signed_bytes};
use crate::keys::SigningKey;
use crate::payload::Payload;
use crate::time::Timestamp;

/// Options of a signature.
#[derive(Clone, Debug, Default)]
pub struct SignOptions {
    /// Who signs; defaults to the provider of the model.
    pub issuer: Option<String>,
    /// What the signature is about; defaults to the session id.
    pub subject: Option<String>,
    /// Whether the envelope holds the payload, so that one file is enough to verify.
    pub attached: bool,
    /// The start time for a session that has none, usually the current time.
    pub fallback_start: Option<Timestamp>,
}

/// Why nothing was signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The envelope needs a start time.
    #[error("the session has no start time, and no other time was given")]
    NoStartTime,
    /// The envelope could not be written.
    #[error("failed to write the envelope")]
    Envelope(#[from] CborError),
}

/// Creates a signed envelope: a tagged `COSE_Sign1`. The same key, payload and options always yield
/// the same bytes.
pub fn sign(
    key: &SigningKey,
    payload: &Payload<'_>,
    options: &SignOptions,
) -> Result<Vec<u8>, SignError> {
    let chosen = |choice: &Option<String>, default: &str| {
        choice.clone().unwrap_or_else(|| default.to_owned())
    };
    let metadata = payload.metadata(&payload.content_hash(), options.fallback_start.as_ref());
    if !metadata.contains_key("timestamp-start") {
        return Err(SignError::NoStartTime);
    }
    let protected = ProtectedHeader {
        algorithm: key.algorithm().cose_number(),
        content_type: Some(payload.content_type().to_owned()),
        issuer: chosen(&options.issuer, payload.vendor()),
        subject: chosen(&options.subject, payload.session_id()),
    }
    .encode()?;
    let signature = key.sign(&signed_bytes(&protected, payload.bytes())?);
    let envelope = Envelope {
        protected: &protected,
        metadata: Some(metadata),
        has_unknown_labels: false,
        claimed_algorithm: None,
        payload: options.attached.then(|| payload.bytes()),
        signature: &signature,
    };
    Ok(envelope.encode()?)
}
