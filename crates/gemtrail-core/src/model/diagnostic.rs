//! Something odd in a file: a stable code, the location, and what was done about it.

use serde::{Deserialize, Serialize};

use super::Code;

/// One finding. Never fatal to anything else, never part of an exit code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// What it is.
    pub code: Code,
    /// The file, where there is one.
    pub journal: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The byte offset, if the line number is not precise enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// What was seen and what was done about it, in words.
    pub message: String,
}

impl Diagnostic {
    /// A finding that concerns a whole file.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            journal: None,
            line: None,
            byte: None,
            message: message.into(),
        }
    }

    /// Sets the file.
    #[must_use]
    pub fn in_journal(mut self, path: impl Into<String>) -> Self {
        self.journal = Some(path.into());
        self
    }

    /// Sets the line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets the byte offset.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.byte = Some(byte);
        self
    }
}
