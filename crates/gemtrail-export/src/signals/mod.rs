//! Friction: where a session did not go as the person wanted, by rules and without a model.
//!
//! Everything that happened counts, even what was taken back later: a rewind does not undo the
//! trouble that led to it. `docs/signals.md` explains how each signal is computed.

mod calls;
mod course;
mod document;
mod ending;
mod facets;
mod prompts;
mod signal;
mod similarity;
#[cfg(test)]
mod tests;
mod thresholds;
mod waits;

use gemtrail_core::model::Session;

pub use document::{SIGNALS_SCHEMA, SessionSignals, SignalTotal, Signals};
pub use ending::SessionOutcome;
pub use facets::{Facets, ToolUse};
pub use signal::{Severity, Signal, SignalKind};
pub use thresholds::Thresholds;

use course::Course;

/// What was found in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// What kind of session it was.
    pub facets: Facets,
    /// Where it went wrong, by kind and then in order.
    pub signals: Vec<Signal>,
}

/// Looks for friction in a session; its subagents are sessions of their own.
pub fn find(session: &Session, thresholds: &Thresholds) -> Findings {
    let course = Course::of(session);
    let mut signals = calls::cascades(&course, thresholds);
    signals.extend(calls::retry_loops(&course, thresholds));
    signals.extend(prompts::rephrase_storms(&course, thresholds));
    signals.extend(ending::abandonment(&course, thresholds));
    signals.extend(waits::stalls(&course, thresholds));
    signals.extend(course.churn(thresholds));
    signals.extend(calls::refusals(&course, thresholds));
    Findings {
        facets: facets::of(&course),
        signals,
    }
}
