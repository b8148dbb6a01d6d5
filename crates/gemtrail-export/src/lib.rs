//! From a session to bytes in a format.
//!
//! Every format is a module with a `write` function that takes the session, the format's options
//! and an `impl Write`. No writer knows another one; what several of them need stands in a module
//! of its own ([`select`], …). Nothing here reads files, the clock or the environment, and the same
//! session always gives the same bytes.
#![forbid(unsafe_code)]

mod answer;
mod document;
mod error;
mod parts;
#[cfg(test)]
mod test_support;

pub mod chat;
pub mod json;
pub mod jsonl;
pub mod sanitize;
pub mod select;
pub mod transcript;

pub use error::ExportError;
pub use select::{Selection, selected};
