//! What is wrong with a query, and where.

use std::ops::Range;

/// A query that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// What is wrong with it.
    pub message: String,
    /// Where, in bytes of the query.
    pub at: Range<usize>,
    /// What may be meant, or what may help.
    pub hint: Option<String>,
}

impl QueryError {
    pub(super) fn new(message: impl Into<String>, at: Range<usize>) -> Self {
        Self {
            message: message.into(),
            at,
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
