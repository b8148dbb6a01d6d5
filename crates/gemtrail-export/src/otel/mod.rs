//! `otel`: traces in OTLP/JSON with the conventions for generative AI, one `TracesData` per line.
//!
//! A trace is what followed one prompt of the person: an `invoke_agent` span with the requests to
//! the model and the calls of tools below it; a subagent is below the call that started it. There
//! is no text in it unless it is asked for, as the conventions require.
//!
//! Journals record when something ended, not when it started: a request starts where the step
//! before it ended, a call when it was asked for.

mod attributes;
mod content;
mod lines;
mod span;
mod turns;

use std::io::Write;

use gemtrail_core::model::Session;

use crate::{ExportError, Selection};

/// The conventions that the names are from: the last that have a schema.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.1";

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtelOptions {
    /// Which messages are taken.
    pub selection: Selection,
    /// Whether it has words: prompts, answers, arguments, outputs, names of projects.
    pub content: bool,
}

impl Default for OtelOptions {
    fn default() -> Self {
        Self {
            selection: Selection::All,
            content: false,
        }
    }
}

/// Writes the traces of the session and of its subagents.
pub fn write(
    session: &Session,
    options: &OtelOptions,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    lines::write(&turns::spans(session, *options), out)
}

#[cfg(test)]
mod tests;
