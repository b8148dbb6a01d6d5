//! From a session to bytes in a format.
//!
//! Every format is a module with a `write` function that takes the session, the format's options
//! and an `impl Write`. No writer knows another one; what several of them need stands in a module
//! of its own. Nothing here reads files, the clock or the environment, and the same
//! session always gives the same bytes.
#![forbid(unsafe_code)]

mod answer;
mod document;
mod error;
mod parts;
mod pretty;
mod prose;
#[cfg(test)]
mod test_support;
mod uuid;

pub mod chat;
pub mod events;
pub mod exporter;
pub mod file;
pub mod html;
pub mod json;
pub mod jsonl;
pub mod markdown;
pub mod native;
pub mod plain;
pub mod present;
pub mod redact;
#[cfg(feature = "schema")]
pub mod schema;
pub mod share;
pub mod signals;
pub mod text;
pub mod transcript;
pub mod usage;

pub use error::ExportError;
pub use gemtrail_core::view::{Selection, selected};
