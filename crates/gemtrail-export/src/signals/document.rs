//! `signals --json`: all sessions in one document.

use gemtrail_core::model::{Kind, Project, Session, SessionId, SessionRef};
use serde::Serialize;

use super::facets::Facets;
use super::signal::{Signal, SignalKind};
use super::thresholds::Thresholds;
use super::{Findings, find};

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
    /// How often each kind was found; kinds that were not are left out.
    pub totals: Vec<SignalTotal>,
    /// Every session that was looked at, also those without friction.
    pub sessions: Vec<SessionSignals>,
}

/// How often one kind of friction was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalTotal {
    /// The kind.
    pub signal: SignalKind,
    /// How many signals.
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
    /// What kind of session it is.
    pub kind: Kind,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The summary, else the first human words.
    pub title: Option<String>,
    /// The earliest start ever written.
    pub started: Option<String>,
    /// The latest of the update and message times.
    pub updated: Option<String>,
    /// What kind of session it was.
    pub facets: Facets,
    /// Where it went wrong.
    pub signals: Vec<Signal>,
}

impl SessionSignals {
    /// Looks for friction in a session.
    pub fn of(session: Session, thresholds: &Thresholds) -> Self {
        let Findings { facets, signals } = find(&session, thresholds);
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
