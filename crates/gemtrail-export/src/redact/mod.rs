//! Redaction: sessions and texts with placeholders in place of tokens, keys and passwords.
//!
//! Rules are data (see `tokens` and `contexts`): keywords that are found in one pass over the text,
//! and a pattern that is tried only at a keyword. [`Redactor`] gives each secret the same placeholder
//! everywhere and records what it replaced where, but never the secret itself. [`redact_session`]
//! returns a session of the same structure, so that no writer needs to know about redaction;
//! A last look checks a writer's output once more. [`SecretCounter`] only counts.
//!
//! [`hide_paths`] and [`outline`] rewrite the same texts for other reasons.

mod check;
mod commands;
mod contexts;
mod encoded;
mod finders;
mod hide;
mod judge;
mod redactor;
mod rewrite;
mod rule;
mod ruleset;
mod search;
mod secrets;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod view;

pub use check::{LeakedSecrets, OutputChecker, SecretCounter, SecretTally};
pub use hide::{Paths, hide_paths, outline};
pub use redactor::{Redactor, redact_owned, redact_session};
pub use rule::{RuleError, UserRule};
pub use secrets::{REPORT_SCHEMA, RedactionReport, Replacement, has_placeholder};
