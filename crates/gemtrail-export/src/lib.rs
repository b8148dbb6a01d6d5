#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Every format is a module with a `write` function that takes the session, the format's options
//! and an `impl Write`. Writers do not depend on each other; what several of them need is a module
//! of its own, such as [`text`]. Only [`mod@file`] touches the disk, and only to write.
#![forbid(unsafe_code)]

mod csv;
mod error;
mod foreign;
mod ids;
mod options;
mod parts;
mod prose;
#[cfg(test)]
mod test_support;

pub mod atif;
pub mod chat;
pub mod digest;
pub mod events;
pub mod exporter;
pub mod file;
pub mod highlight;
pub mod html;
pub mod json;
pub mod jsonl;
pub mod markdown;
pub mod messages;
pub mod native;
pub mod otel;
pub mod plain;
pub mod present;
pub mod redact;
#[cfg(feature = "schema")]
pub mod schema;
pub mod share;
pub mod signals;
pub mod stats;
pub mod sts;
pub mod text;
pub mod transcript;
pub mod usage;

pub use error::{ExportError, Result};
pub use gemtrail_core::view::{Selection, selected};
pub use options::{ArgumentEncoding, ChatSide, FormatOptions, Timestamps};

/// A line of a document of several sessions, and its time.
type TimedLine = (jiff::Timestamp, Vec<u8>);
