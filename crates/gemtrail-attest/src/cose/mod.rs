//! Signed records on the wire: `COSE_Sign1` (RFC 9052) with the headers of the record draft.

mod envelope;
mod header;

pub(crate) use envelope::{ClaimedAlgorithm, Envelope};
pub(crate) use header::ProtectedHeader;

use minicbor::Encoder;

use crate::cbor::CborError;

/// Why bytes are not a signed record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EnvelopeError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The bytes are not CBOR, or do not have the structure of an envelope.
    #[error(transparent)]
    Cbor(#[from] CborError),
    /// Another kind of message.
    #[error("tag {0} instead of 18: not a COSE_Sign1 message")]
    WrongTag(u64),
    /// No tag at all.
    #[error("not a tagged COSE_Sign1 message")]
    Untagged,
    /// A `COSE_Sign1` message has four parts.
    #[error("a COSE_Sign1 message has four parts, not {0}")]
    WrongLength(u64),
    /// A mandatory member of the header is missing.
    #[error("the header has no {0}")]
    Missing(&'static str),
    /// A header names a label twice.
    #[error("the header names label {0} twice")]
    DuplicateLabel(i64),
    /// The header marks something as critical that is not understood.
    #[error("the header marks something as critical that is not understood")]
    Critical,
}

impl From<minicbor::decode::Error> for EnvelopeError {
    fn from(error: minicbor::decode::Error) -> Self {
        Self::Cbor(error.into())
    }
}

/// The bytes that a signature covers.
pub(crate) fn signed_bytes(protected: &[u8], payload: &[u8]) -> Result<Vec<u8>, CborError> {
    let mut out = Encoder::new(Vec::with_capacity(payload.len() + protected.len() + 32));
    out.array(4)?
        .str("Signature1")?
        .bytes(protected)?
        .bytes(&[])?
        .bytes(payload)?;
    Ok(out.into_writer())
}
