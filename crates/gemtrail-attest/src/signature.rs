//! Signs payloads and verifies envelopes.

use crate::cbor::CborError;
use crate::cose::{ClaimedAlgorithm, Envelope, ProtectedHeader, signed_bytes};
use crate::digest::sha256_hex;
use crate::keys::{Algorithm, SigningKey, VerifyingKey};
use crate::payload::{HASH_ALGORITHM, Payload, PayloadError};
use crate::time::Timestamp;
use crate::validate::{Schema, TRACE_METADATA, check_map};
use crate::value::{Layout, Object, Value, object};
use crate::verdict::CheckResult::{self, Failed, Passed, Skipped};
use crate::verdict::{Outcome, Verdict};

/// Options of a signature.
#[derive(Clone, Debug, Default)]
pub struct SignOptions {
    /// The signer; defaults to the provider of the model.
    pub issuer: Option<String>,
    /// The subject of the signature; defaults to the session id.
    pub subject: Option<String>,
    /// True if the envelope holds the payload, so that one file is enough to verify.
    pub attached: bool,
    /// True if the metadata is in the protected header as well, where the signature covers it. The
    /// reference signer does not do that.
    pub protect_metadata: bool,
    /// The start time for a session that has none, usually the current time.
    pub fallback_start: Option<Timestamp>,
}

/// The reason nothing was signed.
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
        metadata: options.protect_metadata.then(|| metadata.clone()),
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

/// Verifies an envelope with a key. For a detached envelope, pass the record (in JSON or CBOR) or
/// the journal that was signed; for an attached one it is optional and compared if given.
///
/// It never fails: any input, however malformed, yields a verdict.
pub fn verify(key: &VerifyingKey, envelope: &[u8], record: Option<&[u8]>) -> Verdict {
    let envelope = match Envelope::decode(envelope) {
        Ok(envelope) => envelope,
        Err(error) => return Verdict::malformed("the signature file", &error),
    };
    let header = match ProtectedHeader::decode(envelope.protected) {
        Ok(header) => header,
        Err(error) => return Verdict::malformed("the signature file", &error),
    };
    let Some(evidence) = record.or(envelope.payload) else {
        let reason = "the payload is detached, so the record is needed as well";
        return Verdict::new(Outcome::Undecided, Some(reason.to_owned()));
    };
    let metadata = envelope.metadata.as_ref().or(header.metadata.as_ref());
    let evidence = match SignedContent::read(evidence, metadata) {
        Ok(evidence) => evidence,
        Err(error) => return Verdict::malformed("the record", &error),
    };
    let signed = envelope.payload.unwrap_or(evidence.bytes());

    let mut verdict = Verdict::new(Outcome::Valid, None);
    verdict.issuer = Some(header.issuer.clone());
    verdict.subject = Some(header.subject.clone());
    verdict.key = key.fingerprint().ok();
    let hash = sha256_hex(signed);
    verdict.attached = Some(envelope.payload.is_some());
    check_signature(&mut verdict, key, &envelope, &header, signed);
    if record.is_some() && envelope.payload.is_some() {
        let is_same = evidence.bytes() == signed;
        let detail = "the record and the attached payload";
        verdict.check("payload", passed_if(is_same), comparison(is_same, detail));
    }
    check_metadata(&mut verdict, &envelope, &evidence, &hash);
    if let Some(metadata) = &header.metadata {
        check_protected(&mut verdict, metadata, &envelope, &evidence, &hash);
    }
    verdict.content_hash = Some(hash);
    verdict
}

/// The content that the signature is checked against.
struct SignedContent<'a> {
    file: &'a [u8],
    /// `None` for a trace in another program's native format: bytes without a meaning.
    payload: Option<Payload<'a>>,
}

impl<'a> SignedContent<'a> {
    fn read(file: &'a [u8], metadata: Option<&Object>) -> Result<Self, PayloadError> {
        let format = metadata.and_then(|metadata| metadata.get("trace-format")?.as_text());
        let is_foreign = format
            .is_some_and(|format| format != "gemini-json" && !format.starts_with("ietf-vac-"));
        let payload = match Payload::read(file) {
            Ok(payload) => Some(payload),
            Err(_) if is_foreign => None,
            Err(error) => return Err(error),
        };
        Ok(Self { file, payload })
    }

    fn bytes(&self) -> &[u8] {
        self.payload.as_ref().map_or(self.file, Payload::bytes)
    }
}

fn check_signature(
    verdict: &mut Verdict,
    key: &VerifyingKey,
    envelope: &Envelope<'_>,
    header: &ProtectedHeader,
    signed: &[u8],
) {
    // Another program may trust the unprotected header, which anyone can change.
    let is_contradicted = envelope
        .claimed_algorithm
        .is_some_and(|claimed| claimed != ClaimedAlgorithm::Number(header.algorithm));
    if is_contradicted {
        let detail = "the unprotected header names another algorithm than the protected one";
        verdict.check("algorithm", Failed, detail.to_owned());
    }
    match Algorithm::of_cose_number(header.algorithm) {
        _ if is_contradicted => {}
        Some(algorithm) if algorithm == key.algorithm() => {
            verdict.check("algorithm", Passed, algorithm.to_string());
        }
        Some(algorithm) => {
            let detail = format!(
                "signed with {algorithm}, but the key is {}",
                key.algorithm()
            );
            return verdict.check("algorithm", Failed, detail);
        }
        None => {
            let detail = format!("algorithm {} is not known", header.algorithm);
            return verdict.check("algorithm", Failed, detail);
        }
    }
    let is_genuine = signed_bytes(envelope.protected, signed)
        .is_ok_and(|message| key.verifies(&message, envelope.signature));
    let detail = if is_genuine {
        "made with the private half of this key over this content"
    } else {
        "not made with the private half of this key over this content"
    };
    verdict.check("signature", passed_if(is_genuine), detail.to_owned());
}

/// The metadata is outside what the signature covers, so each member has to agree with the payload
/// before it can be trusted.
fn check_metadata(
    verdict: &mut Verdict,
    envelope: &Envelope<'_>,
    evidence: &SignedContent<'_>,
    hash: &str,
) {
    let Some(metadata) = &envelope.metadata else {
        // Unknown members in its place may be damaged metadata.
        return if envelope.has_unknown_labels {
            let detail = "an unknown member in place of the trace metadata";
            verdict.check("metadata", Failed, detail.to_owned());
        } else {
            verdict.check("metadata", Skipped, "the envelope has none".to_owned());
        };
    };
    for violation in check_map(&metadata.clone().into(), &TRACE_METADATA, Schema::V3) {
        verdict.check("metadata", Failed, violation.to_string());
    }
    let expected = expected_metadata(evidence, hash);
    for (name, value) in metadata {
        let (result, detail) = match expected.get(name) {
            Some(wanted) if wanted == value => (Passed, "agrees with the content".to_owned()),
            Some(wanted) => (Failed, disagreement(value, wanted)),
            None if is_comparable(name, evidence) => {
                (Failed, "the content has nothing of the kind".to_owned())
            }
            None => (
                Skipped,
                "the content has nothing to compare with".to_owned(),
            ),
        };
        verdict.check(name, result, detail);
    }
}

/// The signer vouched for this metadata, so it has to agree with the content, too, and with what the
/// unprotected header says.
fn check_protected(
    verdict: &mut Verdict,
    metadata: &Object,
    envelope: &Envelope<'_>,
    evidence: &SignedContent<'_>,
    hash: &str,
) {
    let expected = expected_metadata(evidence, hash);
    let agrees = |(name, value): (&String, &Value)| match expected.get(name) {
        Some(wanted) => wanted == value,
        None => !is_comparable(name, evidence),
    };
    let is_lawful = check_map(&metadata.clone().into(), &TRACE_METADATA, Schema::V3).is_empty();
    let is_repeated = envelope.metadata.as_ref().is_none_or(|it| it == metadata);
    let (result, detail) = if !is_lawful || !metadata.iter().all(agrees) {
        (Failed, "the protected metadata disagrees with the content")
    } else if !is_repeated {
        (Failed, "the two headers have different metadata")
    } else {
        (Passed, "covered by the signature, agrees with the content")
    };
    verdict.check("protected-metadata", result, detail.to_owned());
}

/// The metadata that the content would have.
fn expected_metadata(evidence: &SignedContent<'_>, hash: &str) -> Object {
    match &evidence.payload {
        Some(payload) => payload.metadata(hash, None),
        None => object([
            ("content-hash", hash.into()),
            ("content-hash-alg", HASH_ALGORITHM.into()),
        ]),
    }
}

/// True if a member that the payload lacks must be absent as well. The start may have been taken
/// from the clock, and nothing is known about foreign traces.
fn is_comparable(name: &str, evidence: &SignedContent<'_>) -> bool {
    name != "timestamp-start" && evidence.payload.is_some()
}

fn disagreement(found: &Value, wanted: &Value) -> String {
    let text = |value: &Value| value.to_json(Layout::Compact);
    format!(
        "the envelope says {}, the content {}",
        text(found),
        text(wanted)
    )
}

fn comparison(is_same: bool, what: &str) -> String {
    format!("{what} {}", if is_same { "are the same" } else { "differ" })
}

fn passed_if(holds: bool) -> CheckResult {
    if holds { Passed } else { Failed }
}
