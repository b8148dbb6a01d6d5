//! The result of a verification, in words and as JSON.

use std::fmt;

use serde::Serialize;

/// The schema name of a verdict.
pub const VERDICT_SCHEMA: &str = "gemtrail.verdict/1";

/// The limits of even a valid signature.
const LIMITS: &str = "A valid signature shows who vouched for these bytes and that they are \
    unchanged since. It does not show that the conversation took place as recorded, that the \
    record is complete, or when it was signed.";

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Outcome {
    /// Every check passed.
    Valid,
    /// A check failed.
    Invalid,
    /// The envelope or the record cannot be read at all.
    Malformed,
    /// The envelope does not hold the record, and none was given.
    Undecided,
}

/// The result of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckResult {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// There was nothing to compare with.
    Skipped,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// The subject: `algorithm`, `signature`, `payload`, or a member of the metadata.
    pub check: String,
    /// The result.
    pub result: CheckResult,
    /// The finding, in words.
    pub detail: String,
}

/// The result of verifying one signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Always `gemtrail.verdict/1`.
    pub schema: &'static str,
    /// The answer.
    pub verdict: Outcome,
    /// The reason, if it is not `valid`.
    pub reason: Option<String>,
    /// The claimed signer; trustworthy only if the verdict is `valid` and the key is known
    /// to be theirs.
    pub issuer: Option<String>,
    /// The subject of the signature, usually the session id.
    pub subject: Option<String>,
    /// The SHA-256 of the key that was used, in hex.
    pub key: Option<String>,
    /// The SHA-256 of the signed bytes, in hex.
    pub content_hash: Option<String>,
    /// True if the envelope holds the payload.
    pub attached: Option<bool>,
    /// Everything that was looked at.
    pub checks: Vec<Check>,
    /// The limits of the answer.
    pub limits: &'static str,
}

impl Verdict {
    pub(crate) fn new(verdict: Outcome, reason: Option<String>) -> Self {
        Self {
            schema: VERDICT_SCHEMA,
            verdict,
            reason,
            issuer: None,
            subject: None,
            key: None,
            content_hash: None,
            attached: None,
            checks: Vec::new(),
            limits: LIMITS,
        }
    }

    pub(crate) fn malformed(what: &str, error: &impl fmt::Display) -> Self {
        Self::new(Outcome::Malformed, Some(format!("{what}: {error}")))
    }

    /// True if every check passed.
    pub fn is_valid(&self) -> bool {
        self.verdict == Outcome::Valid
    }

    /// Adds a check; a failed one decides the verdict.
    pub(crate) fn check(&mut self, check: &str, result: CheckResult, detail: String) {
        if result == CheckResult::Failed && self.verdict == Outcome::Valid {
            self.verdict = Outcome::Invalid;
            self.reason = Some(format!("{check}: {detail}"));
        }
        self.checks.push(Check {
            check: check.to_owned(),
            result,
            detail,
        });
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        if let Some(reason) = &self.reason {
            write!(f, ": {}", printable(reason))?;
        }
        let facts = [
            ("issuer", &self.issuer),
            ("subject", &self.subject),
            ("key", &self.key),
            ("content", &self.content_hash),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                write!(f, "\n  {name:<8} {}", printable(value))?;
            }
        }
        for Check {
            check,
            result,
            detail,
        } in &self.checks
        {
            let mark = match result {
                CheckResult::Passed => "ok",
                CheckResult::Failed => "FAILED",
                CheckResult::Skipped => "skipped",
            };
            write!(f, "\n  {mark:<8} {check}: {}", printable(detail))?;
        }
        // Nothing was found out that could have limits.
        if self.verdict == Outcome::Undecided {
            return Ok(());
        }
        write!(f, "\n\n{}", self.limits)
    }
}

/// Envelopes are untrusted; their control characters must not reach a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect()
}
