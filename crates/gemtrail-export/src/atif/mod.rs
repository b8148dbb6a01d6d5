//! `atif`: agent trajectories as Harbor and the tools around it read them, version 1.7.
//!
//! The objects of the format take no keys of their own, so what it has no place for is under
//! `extra.gemtrail`. Subagents are embedded, and the result of the call that started one refers to
//! it.

mod document;
mod trajectory;

use std::io::Write;

use gemtrail_core::model::Session;

use crate::jsonl::write_line;
use crate::{ExportError, Selection};

/// The version that is written: the newest that all readers know.
pub const ATIF_VERSION: &str = "ATIF-v1.7";

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtifOptions {
    /// Which messages are steps.
    pub selection: Selection,
}

/// Writes the trajectory and a newline.
pub fn write(
    session: &Session,
    options: &AtifOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    write_line(&trajectory::of(session, options.selection), out)
}

#[cfg(test)]
mod tests;
