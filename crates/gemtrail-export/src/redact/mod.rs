//! Secrets kept in: sessions and texts with placeholders in place of tokens, keys and passwords.
//!
//! Rules are data (see `rules`): keywords that are looked for in one pass over the text, and a
//! pattern that is tried only where one of them stands. [`Redactor`] gives each secret the same
//! placeholder wherever it stands and remembers what it replaced where, never what it was.
//! [`redact_session`] gives a session of the same structure, so that no writer has to know of any
//! of this; [`Redactor::check`] looks once more at what a writer wrote. [`Watch`] only counts.
//!
//! [`hide_paths`] and [`outline`] change the same texts for other reasons.

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
