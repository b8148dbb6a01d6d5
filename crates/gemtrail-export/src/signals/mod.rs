//! Friction: where a session did not go as the person wanted, by rules and without a model.
//!
//! Everything that happened counts, even what was taken back later: a rewind does not undo the
//! trouble that led to it. `docs/signals.md` explains how each signal is computed.

mod course;
mod rules;
mod signal;
#[cfg(test)]
mod tests;

use gemtrail_core::model::{Kind, Project, Session, SessionId, SessionRef};
use serde::Serialize;

pub use course::{Facets, SessionOutcome, ToolUse};
pub use signal::{Severity, Signal, SignalKind, Thresholds};

use course::Course;

/// The schema name of the document.
pub const SIGNALS_SCHEMA: &str = "gemtrail.signals/1";

/// Friction in some sessions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signals {
    /// Always `gemtrail.signals/1`.
    schema: &'static str,
    /// The thresholds in force.
    pub thresholds: Thresholds,
    /// The number of signals of each kind; kinds that were not found are left out.
    pub totals: Vec<SignalTotal>,
    /// Every session that was looked at, also those without friction.
    pub sessions: Vec<SessionSignals>,
}

/// The number of signals of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalTotal {
    /// The kind.
    pub signal: SignalKind,
    /// The number of signals.
    pub count: usize,
    /// In how many sessions.
    pub sessions: usize,
}

/// Friction in one session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSignals {
    /// Identifies exactly this session.
    #[serde(rename = "ref")]
    pub reference: SessionRef,
    /// The session id on disk.
    pub id: SessionId,
    /// File names without their extension.
    pub stems: Vec<String>,
    /// The project.
    pub project: Project,
    /// The kind of session.
    pub kind: Kind,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The summary, else the first human words.
    pub title: Option<String>,
    /// The earliest start ever written.
    pub started: Option<String>,
    /// The latest of the update and message times.
    pub updated: Option<String>,
    /// The character of the session.
    pub facets: Facets,
    /// The friction in it, by kind and then in order.
    pub signals: Vec<Signal>,
}

impl SessionSignals {
    /// Looks for friction in a session; its subagents are sessions of their own.
    pub fn of(session: Session, thresholds: &Thresholds) -> Self {
        let course = Course::of(&session);
        let mut signals = rules::cascades(&course, thresholds);
        signals.extend(rules::retry_loops(&course, thresholds));
        signals.extend(rules::rephrase_storms(&course, thresholds));
        signals.extend(course::abandonment(&course, thresholds));
        signals.extend(course::stalls(&course, thresholds));
        signals.extend(course.churn(thresholds));
        signals.extend(rules::refusals(&course, thresholds));
        let facets = course::facets_of(&course);
        Self {
            reference: session.reference,
            id: session.id,
            stems: session.stems,
            project: session.project,
            kind: session.kind,
            parent: session.parent,
            title: session.title,
            started: session.started,
            updated: session.updated,
            facets,
            signals,
        }
    }
}

impl Signals {
    /// The document about these sessions.
    pub fn new(thresholds: Thresholds, sessions: Vec<SessionSignals>) -> Self {
        let mut totals: Vec<SignalTotal> = Vec::new();
        for session in &sessions {
            // Signals of one kind are adjacent.
            for run in session.signals.chunk_by(|a, b| a.signal == b.signal) {
                let signal = run[0].signal;
                let known = totals.iter_mut().find(|total| total.signal == signal);
                match known {
                    Some(total) => {
                        total.count += run.len();
                        total.sessions += 1;
                    }
                    None => totals.push(SignalTotal {
                        signal,
                        count: run.len(),
                        sessions: 1,
                    }),
                }
            }
        }
        totals.sort_by_key(|total| total.signal);
        Self {
            schema: SIGNALS_SCHEMA,
            thresholds,
            totals,
            sessions,
        }
    }
}
