//! Verifiable agent records of Gemini CLI sessions: made, validated, signed, verified.
//!
//! ```text
//! Session ── vac::record ──▶ Value ──┬─ validate::validate ──▶ violations
//!                                    ├─ to_json, cbor::encode ──▶ bytes
//! journal bytes ─────────▶ Payload ◀─┘
//!                             └─ sign ──▶ envelope ── verify ──▶ Verdict
//! ```
//!
//! ```
//! use gemtrail_attest::{Algorithm, Payload, SignOptions, SigningKey, sign, verify};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = SigningKey::from_seed(Algorithm::Ed25519, &[7; 32])?;
//! let journal = br#"{"sessionId":"s","startTime":"2026-01-01T00:00:00Z","messages":[]}"#;
//! let envelope = sign(&key, &Payload::read(journal)?, &SignOptions::default())?;
//! assert!(verify(&key.verifying_key(), &envelope, Some(journal)).is_valid());
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here accesses files, the clock, the environment or a source of randomness: keys, seeds
//! and times are passed in.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod cbor;
mod cose;
mod digest;
mod keys;
mod payload;
mod signature;
mod time;
pub mod vac;
pub mod validate;
pub mod value;
pub mod vcon;
mod verdict;

pub use keys::{Algorithm, KeyError, SigningKey, VerifyingKey};
pub use payload::{Payload, PayloadError, read_record};
pub use signature::{SignError, SignOptions, sign, verify};
pub use time::Timestamp;
pub use verdict::{Check, CheckResult, Outcome, VERDICT_SCHEMA, Verdict};
