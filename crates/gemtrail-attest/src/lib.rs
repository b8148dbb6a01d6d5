//! Verifiable agent records of Gemini CLI sessions.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod cbor;
mod time;
pub mod value;

pub use time::Timestamp;
