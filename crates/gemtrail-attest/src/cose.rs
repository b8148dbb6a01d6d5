//! Signed records on the wire: `COSE_Sign1` (RFC 9052) with the headers of the record draft.

use std::collections::BTreeSet;

use minicbor::data::{Tag, Type};
use minicbor::{Decoder, Encoder};

use crate::cbor::{CborError, finish, next_value, put_value};
use crate::value::{Object, Value};

/// The reason bytes are not a signed record.
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
    /// A header names a label twice, or both headers name it.
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

const ALGORITHM: i64 = 1;
const CRITICAL: i64 = 2;
const CONTENT_TYPE: i64 = 3;
const CWT_CLAIMS: i64 = 15;

const ISSUER: i64 = 1;
const SUBJECT: i64 = 2;

/// The signer, the subject and the algorithm. Other labels are allowed and covered, but ignored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProtectedHeader {
    /// The number of the algorithm.
    pub(crate) algorithm: i64,
    /// The media type of the payload, if it is given as text.
    pub(crate) content_type: Option<String>,
    pub(crate) issuer: String,
    pub(crate) subject: String,
    /// The claims about the payload, where the signature covers them.
    pub(crate) metadata: Option<Object>,
}

impl ProtectedHeader {
    /// The encoded header, in the member order of the reference signer.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, CborError> {
        let mut out = Encoder::new(Vec::new());
        let optional = [self.content_type.is_some(), self.metadata.is_some()];
        out.map(2 + optional.map(u64::from).iter().sum::<u64>())?
            .i64(ALGORITHM)?
            .i64(self.algorithm)?;
        if let Some(content_type) = &self.content_type {
            out.i64(CONTENT_TYPE)?.str(content_type)?;
        }
        out.i64(CWT_CLAIMS)?
            .map(2)?
            .i64(ISSUER)?
            .str(&self.issuer)?
            .i64(SUBJECT)?
            .str(&self.subject)?;
        if let Some(metadata) = &self.metadata {
            put_metadata(&mut out, metadata)?;
        }
        Ok(out.into_writer())
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let (mut algorithm, mut content_type, mut claims) = (None, None, None);
        let mut metadata = None;
        let mut decoder = Decoder::new(bytes);
        each_label(&mut decoder, |label, decoder| {
            match label {
                Some(ALGORITHM) => algorithm = Some(decoder.i64()?),
                Some(CRITICAL) => return Err(EnvelopeError::Critical),
                Some(CONTENT_TYPE) if decoder.datatype()? == Type::String => {
                    content_type = Some(decoder.str()?.to_owned());
                }
                Some(CWT_CLAIMS) => claims = Some(issuer_and_subject(decoder)?),
                Some(TRACE_METADATA) => metadata = Some(next_metadata(decoder)?),
                _ => decoder.skip()?,
            }
            Ok(())
        })?;
        finish(&decoder)?;
        let (issuer, subject) = claims.ok_or(EnvelopeError::Missing("claims"))?;
        Ok(Self {
            algorithm: algorithm.ok_or(EnvelopeError::Missing("algorithm"))?,
            content_type,
            issuer,
            subject,
            metadata,
        })
    }
}

fn issuer_and_subject(decoder: &mut Decoder<'_>) -> Result<(String, String), EnvelopeError> {
    let (mut issuer, mut subject) = (None, None);
    each_label(decoder, |label, decoder| {
        match label {
            Some(ISSUER) => issuer = Some(decoder.str()?.to_owned()),
            Some(SUBJECT) => subject = Some(decoder.str()?.to_owned()),
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    Ok((
        issuer.ok_or(EnvelopeError::Missing("issuer"))?,
        subject.ok_or(EnvelopeError::Missing("subject"))?,
    ))
}

/// Iterates over a map whose keys are labels: integers, or text that no header here uses.
pub(super) fn each_label<'b>(
    decoder: &mut Decoder<'b>,
    mut visit: impl FnMut(Option<i64>, &mut Decoder<'b>) -> Result<(), EnvelopeError>,
) -> Result<(), EnvelopeError> {
    let length = decoder
        .map()?
        .ok_or_else(|| CborError::Malformed("a header of indefinite length".to_owned()))?;
    let mut seen = BTreeSet::new();
    for _ in 0..length {
        let label = if decoder.datatype()? == Type::String {
            decoder.str()?;
            None
        } else {
            Some(decoder.i64()?)
        };
        if let Some(label) = label
            && !seen.insert(label)
        {
            return Err(EnvelopeError::DuplicateLabel(label));
        }
        visit(label, decoder)?;
    }
    Ok(())
}

/// Writes the metadata in the order of the reference signer, not sorted.
fn put_metadata(out: &mut Encoder<Vec<u8>>, metadata: &Object) -> Result<(), CborError> {
    out.i64(TRACE_METADATA)?.map(metadata.len() as u64)?;
    for (name, value) in metadata {
        out.str(name)?;
        put_value(out, value)?;
    }
    Ok(())
}

fn next_metadata(decoder: &mut Decoder<'_>) -> Result<Object, EnvelopeError> {
    match next_value(decoder)? {
        Value::Object(members) => Ok(members),
        _ => Err(EnvelopeError::Missing("trace metadata that is a map")),
    }
}

const SIGN1_TAG: u64 = 18;

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
    /// The claims of the unprotected header about the payload.
    pub(crate) metadata: Option<Object>,
    /// True if the unprotected header has unknown members.
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
            put_metadata(&mut out, metadata)?;
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
        let unprotected = Unprotected::decode(&mut decoder, &labels_of(protected))?;
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

/// The labels of an encoded header, as far as it can be read.
fn labels_of(header: &[u8]) -> BTreeSet<i64> {
    let mut labels = BTreeSet::new();
    // Decoding it reports the fault.
    let _ = each_label(&mut Decoder::new(header), |label, decoder| {
        labels.extend(label);
        Ok(decoder.skip()?)
    });
    labels
}

/// The header that the signature does not cover.
#[derive(Default)]
struct Unprotected {
    metadata: Option<Object>,
    has_unknown_labels: bool,
    algorithm: Option<ClaimedAlgorithm>,
}

impl Unprotected {
    /// Decodes it. What it says about a label of the protected header could only contradict that.
    fn decode(decoder: &mut Decoder<'_>, protected: &BTreeSet<i64>) -> Result<Self, EnvelopeError> {
        let mut header = Self::default();
        each_label(decoder, |label, decoder| {
            match label {
                Some(TRACE_METADATA) => header.metadata = Some(next_metadata(decoder)?),
                Some(CRITICAL) => return Err(EnvelopeError::Critical),
                Some(ALGORITHM) => {
                    let mut probe = decoder.probe();
                    header.algorithm = Some(match probe.i64() {
                        Ok(number) => ClaimedAlgorithm::Number(number),
                        Err(_) => ClaimedAlgorithm::Other,
                    });
                    decoder.skip()?;
                }
                _ => {
                    if let Some(label) = label.filter(|label| protected.contains(label)) {
                        return Err(EnvelopeError::DuplicateLabel(label));
                    }
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
