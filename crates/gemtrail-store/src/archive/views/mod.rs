//! The views: what can be queried without reading whole sessions.

mod affected;
mod batch;
pub(crate) mod checkup;
mod due;
mod facts;
pub(crate) mod head;
mod key;
mod known;
mod long;
pub(crate) mod message;
pub(crate) mod metrics;
mod prior;
mod project;
mod refresh;
mod repeated;
pub(crate) mod rows;
mod scope;
mod session;
pub(crate) mod shown;
mod survey;
pub(crate) mod taught;
mod unit;
mod words;
mod work;
mod write;

pub(crate) use known::places;
pub(crate) use prior::PriorSessions;
pub(crate) use project::{KnownProject, known as known_projects};
pub(crate) use refresh::{prepare, refresh};
pub(crate) use write::delete;
