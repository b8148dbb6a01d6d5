//! Redaction: sessions and texts with placeholders in place of tokens, keys and passwords.
//!
//! Rules are data (see `rules`): keywords that are found in one pass over the text, and a pattern
//! that is tried only at a keyword. [`Redactor`] gives each secret the same placeholder everywhere
//! and records what it replaced where, but never the secret itself. [`redact_session`] returns a
//! session of the same structure, so that no writer needs to know about redaction;
//! [`Redactor::check`] checks a writer's output once more. [`Watch`] only counts.
//!
//! [`hide_paths`] and [`outline`] rewrite the same texts for other reasons.

mod check;
mod clean;
mod compiled;
mod finders;
mod judge;
mod keywords;
mod outline;
mod paths;
mod placeholder;
mod raw;
mod redactor;
mod report;
mod rewrite;
mod rule;
mod rules;
mod ruleset;
mod screen;
mod search;
mod secrets;
mod seen;
mod session;
mod shown;
#[cfg(test)]
mod tests;
mod view;
mod watch;
mod words;
mod wrapped;

pub use check::{Checker, Survivors};
pub use outline::outline;
pub use paths::{Paths, hide_paths};
pub use redactor::Redactor;
pub use report::{REPORT_SCHEMA, Replacement, Report};
pub use rule::{RuleError, UserRule};
pub use session::{redact_owned, redact_session};
pub use watch::{Sightings, Watch};
