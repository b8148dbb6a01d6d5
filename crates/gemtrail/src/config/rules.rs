//! `[[redaction.rules]]`: secrets of a kind that only the user knows.

use std::path::PathBuf;

use gemtrail_export::redact::{RuleError, UserRule};
use toml::Spanned;
use toml::de::DeValue;

use crate::error::CliError;

/// What a rule has, with the names as they stand in messages.
pub(super) const FIELDS: [&str; 6] = [
    "redaction.rules.id",
    "redaction.rules.regex",
    "redaction.rules.keywords",
    "redaction.rules.entropy",
    "redaction.rules.example",
    "redaction.rules.counterexample",
];

/// A rule, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedRule {
    pub(crate) rule: UserRule,
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
}

/// A rule that is being read: the values of the fields that it has.
#[derive(Debug, Default)]
pub(super) struct RuleFields {
    id: Option<String>,
    regex: Option<String>,
    keywords: Vec<String>,
    entropy: Option<f64>,
    example: Option<String>,
    counterexample: Option<String>,
}

impl RuleFields {
    /// Takes a value; otherwise what the field takes instead.
    pub(super) fn set(&mut self, field: &str, value: &DeValue<'_>) -> Result<(), &'static str> {
        let text = || value.as_str().map(str::to_owned).ok_or("a text");
        match field {
            "redaction.rules.id" => self.id = Some(text()?),
            "redaction.rules.regex" => self.regex = Some(text()?),
            "redaction.rules.example" => self.example = Some(text()?),
            "redaction.rules.counterexample" => self.counterexample = Some(text()?),
            "redaction.rules.entropy" => {
                let bits = super::number(value).filter(|bits| (0.0..=8.0).contains(bits));
                self.entropy = Some(bits.ok_or("a number from 0 to 8, in bits per character")?);
            }
            _ => {
                let word = |item: &Spanned<DeValue<'_>>| {
                    let word = item.get_ref().as_str().filter(|word| !word.is_empty())?;
                    Some(word.to_owned())
                };
                let words = value
                    .as_array()
                    .map(|items| items.iter().map(word).collect());
                let words: Option<Vec<String>> = words.flatten();
                self.keywords = words.ok_or("a list of words")?;
            }
        }
        Ok(())
    }

    /// The rule; otherwise the field that it lacks.
    pub(super) fn rule(self) -> Result<UserRule, &'static str> {
        Ok(UserRule {
            id: self.id.ok_or("id")?,
            pattern: self.regex.ok_or("regex")?,
            keywords: self.keywords,
            entropy: self.entropy,
            example: self.example,
            counterexample: self.counterexample,
        })
    }
}

/// What is wrong with which rule of which file.
pub(crate) fn refused(error: &RuleError, rules: &[PlacedRule]) -> CliError {
    let mut named = rules.iter();
    let place = match named.find(|placed| placed.rule.id == error.rule()) {
        Some(PlacedRule { path, line, .. }) => format!("{}, line {line}: ", path.display()),
        None => String::new(),
    };
    // What is wrong with a pattern stands in the cause.
    let cause = std::error::Error::source(error).and_then(std::error::Error::source);
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    CliError::cannot("bad-rule", format!("{place}{error}{cause}"))
        .hint("docs/redaction.md says what a rule of your own has")
}
