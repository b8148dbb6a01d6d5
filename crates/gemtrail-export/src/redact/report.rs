//! What was replaced and where, never the secret itself.

use serde::Serialize;

use gemtrail_core::model::{MessageId, SessionId};

/// The schema name of a line of the report.
pub const REPORT_SCHEMA: &str = "gemtrail.redaction/1";

/// One kind of secret in one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replacement {
    /// Always `gemtrail.redaction/1`.
    pub schema: &'static str,
    /// The session.
    pub session: SessionId,
    /// The message; `None` for what belongs to the session as a whole.
    pub message: Option<MessageId>,
    /// The field, as the session document calls it.
    pub field: &'static str,
    /// The rule that found it.
    pub rule: String,
    /// How many times.
    pub count: u64,
}

/// Everything that was replaced in an export, in the order of the sessions.
#[derive(Clone, Debug, Default)]
pub struct Report {
    lines: Vec<Replacement>,
    session: SessionId,
    message: Option<MessageId>,
    /// The index of the current message's first line.
    open: usize,
}

impl Report {
    /// The replacements.
    pub fn lines(&self) -> &[Replacement] {
        &self.lines
    }

    /// How many places were replaced.
    pub fn places(&self) -> u64 {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// The replacements that follow belong to this message.
    pub(super) fn enter(&mut self, session: &SessionId, message: Option<&MessageId>) {
        self.session = session.clone();
        self.message = message.cloned();
        self.open = self.lines.len();
    }

    pub(super) fn add(&mut self, field: &'static str, rule: &str) {
        let same = |line: &&mut Replacement| line.field == field && line.rule == rule;
        match self.lines[self.open..].iter_mut().find(same) {
            Some(line) => line.count += 1,
            None => self.lines.push(Replacement {
                schema: REPORT_SCHEMA,
                session: self.session.clone(),
                message: self.message.clone(),
                field,
                rule: rule.to_owned(),
                count: 1,
            }),
        }
    }
}
