//! The four parts of a signed record.

use minicbor::data::{Tag, Type};
use minicbor::{Decoder, Encoder};

use super::EnvelopeError;
use super::header::each_label;
use crate::cbor::{CborError, finish, next_value, put_value};
use crate::value::{Object, Value};

const SIGN1_TAG: u64 = 18;

/// The label of the algorithm, which belongs in the protected header.
const ALGORITHM: i64 = 1;

/// A placeholder in the draft until a number is registered.
const TRACE_METADATA: i64 = 100;

/// Labels that may occur in an unprotected header without saying anything about the trace: key id,
/// certificates, receipts.
const UNRELATED: [i64; 4] = [4, 33, 34, 394];

/// A signed record, borrowed from its bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Envelope<'a> {
    /// The encoded protected header.
    pub(crate) protected: &'a [u8],
    /// What the unprotected header says about the payload.
    pub(crate) metadata: Option<Object>,
    /// Whether the unprotected header has unknown members.
    pub(crate) has_unknown_labels: bool,
    /// The algorithm given in the unprotected header, which is not authenticated.
    pub(crate) claimed_algorithm: Option<ClaimedAlgorithm>,
    /// `None` if it is detached.
    pub(crate) payload: Option<&'a [u8]>,
    pub(crate) signature: &'a [u8],
}

/// An unauthenticated algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimedAlgorithm {
    Number(i64),
    /// Text, or something that does not name an algorithm.
    Other,
}

impl<'a> Envelope<'a> {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, CborError> {
        let mut out = Encoder::new(Vec::new());
        out.tag(Tag::new(SIGN1_TAG))?
            .array(4)?
            .bytes(self.protected)?;
        out.map(u64::from(self.metadata.is_some()))?;
        if let Some(metadata) = &self.metadata {
            out.i64(TRACE_METADATA)?.map(metadata.len() as u64)?;
            // In the order of the reference signer, not sorted.
            for (name, value) in metadata {
                out.str(name)?;
                put_value(&mut out, value)?;
            }
        }
        match self.payload {
            Some(payload) => out.bytes(payload)?,
            None => out.null()?,
        };
        out.bytes(self.signature)?;
        Ok(out.into_writer())
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, EnvelopeError> {
        if bytes.is_empty() {
            return Err(EnvelopeError::Empty);
        }
        let mut decoder = Decoder::new(bytes);
        if decoder.datatype()? != Type::Tag {
            return Err(EnvelopeError::Untagged);
        }
        match decoder.tag()?.as_u64() {
            SIGN1_TAG => {}
            other => return Err(EnvelopeError::WrongTag(other)),
        }
        match decoder.array()? {
            Some(4) => {}
            other => return Err(EnvelopeError::WrongLength(other.unwrap_or_default())),
        }
        let protected = decoder.bytes()?;
        let unprotected = Unprotected::decode(&mut decoder)?;
        let payload = match decoder.datatype()? {
            Type::Null => decoder.null().map(|()| None)?,
            _ => Some(decoder.bytes()?),
        };
        let signature = decoder.bytes()?;
        finish(&decoder)?;
        Ok(Self {
            protected,
            metadata: unprotected.metadata,
            has_unknown_labels: unprotected.has_unknown_labels,
            claimed_algorithm: unprotected.algorithm,
            payload,
            signature,
        })
    }
}

/// The header that the signature does not cover.
#[derive(Default)]
struct Unprotected {
    metadata: Option<Object>,
    has_unknown_labels: bool,
    algorithm: Option<ClaimedAlgorithm>,
}

impl Unprotected {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, EnvelopeError> {
        let mut header = Self::default();
        each_label(decoder, |label, decoder| {
            match label {
                Some(TRACE_METADATA) => {
                    let Value::Object(members) = next_value(decoder)? else {
                        return Err(EnvelopeError::Missing("trace metadata that is a map"));
                    };
                    header.metadata = Some(members);
                }
                Some(ALGORITHM) => {
                    let mut probe = decoder.probe();
                    header.algorithm = Some(match probe.i64() {
                        Ok(number) => ClaimedAlgorithm::Number(number),
                        Err(_) => ClaimedAlgorithm::Other,
                    });
                    decoder.skip()?;
                }
                _ => {
                    header.has_unknown_labels |=
                        !label.is_some_and(|label| UNRELATED.contains(&label));
                    decoder.skip()?;
                }
            }
            Ok(())
        })?;
        Ok(header)
    }
}
