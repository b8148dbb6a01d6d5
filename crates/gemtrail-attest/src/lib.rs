#![doc = include_str!("../README.md")]
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
