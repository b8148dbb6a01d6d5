//! What every face and the store derive from a session, decided once: which messages are selected,
//! how a call ended, where the context was compressed, what was requested of the model, what an
//! edit changed, what is new to this version.
//!
//! Nothing here reads files or formats text for people.

mod compaction;
pub mod diff;
mod drift;
mod metrics;
pub(crate) mod outcome;
mod project_names;
mod row;
mod selection;
mod shell;
#[cfg(test)]
pub(crate) mod test_support;
mod usage;

pub use compaction::Compactions;
pub use drift::{Unknown, UnknownKind, Unknowns, unknowns};
pub use metrics::{CallMetrics, CallSizes, Metrics, RequestMetrics};
pub use outcome::{Outcome, error_of};
pub use project_names::ProjectNames;
pub use selection::{Selection, selected, taken_back_by};
pub use shell::ShellReport;
pub use usage::{Request, cost, own_cost, own_requests, requests};
