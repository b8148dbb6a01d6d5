//! Everything that all faces and the store derive from a session, decided once: which messages are
//! selected, how a call ended, where the context was compressed, what was requested of the model,
//! what an edit changed, what is new to this version.
//!
//! Nothing here reads files or formats text for people.

pub mod diff;
mod drift;
pub(crate) mod outcome;
mod project_names;
mod selection;
#[cfg(test)]
pub(crate) mod test_support;
mod usage;

pub use drift::{Unknown, UnknownKind, Unknowns, unknowns};
pub use outcome::{Outcome, ShellReport, error_of};
pub use project_names::ProjectNames;
pub use selection::{Compactions, Selection, selected, taken_back_by};
pub use usage::{
    CallMetrics, CallSizes, Metrics, Request, RequestMetrics, cost, own_cost, own_requests,
    requests,
};
