//! The header that the signature covers.

use std::collections::BTreeSet;

use minicbor::data::Type;
use minicbor::{Decoder, Encoder};

use super::EnvelopeError;
use crate::cbor::{CborError, finish};

const ALGORITHM: i64 = 1;
const CRITICAL: i64 = 2;
const CONTENT_TYPE: i64 = 3;
const CWT_CLAIMS: i64 = 15;

const ISSUER: i64 = 1;
const SUBJECT: i64 = 2;

/// Who signed what, and how. Other labels are allowed and covered, but ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtectedHeader {
    /// The number of the algorithm.
    pub(crate) algorithm: i64,
    /// The media type of the payload, if it is given as text.
    pub(crate) content_type: Option<String>,
    pub(crate) issuer: String,
    pub(crate) subject: String,
}

impl ProtectedHeader {
    /// The encoded header, in the member order of the reference signer.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, CborError> {
        let mut out = Encoder::new(Vec::new());
        out.map(2 + u64::from(self.content_type.is_some()))?
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
        Ok(out.into_writer())
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let (mut algorithm, mut content_type, mut claims) = (None, None, None);
        let mut decoder = Decoder::new(bytes);
        each_label(&mut decoder, |label, decoder| {
            match label {
                Some(ALGORITHM) => algorithm = Some(decoder.i64()?),
                Some(CRITICAL) => return Err(EnvelopeError::Critical),
                Some(CONTENT_TYPE) if decoder.datatype()? == Type::String => {
                    content_type = Some(decoder.str()?.to_owned());
                }
                Some(CWT_CLAIMS) => claims = Some(issuer_and_subject(decoder)?),
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
