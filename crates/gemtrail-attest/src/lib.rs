//! Verifiable agent records of Gemini CLI sessions.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod cbor;
mod digest;
mod time;
pub mod vac;
pub mod validate;
pub mod value;

pub use time::Timestamp;
