//! The index: everything that questions are answered from, made from the files of projects.
//!
//! One function fills it ([`refresh`] from the raw layer of an archive, [`fill`] from files on disk);
//! the library asks it. See `docs/design/0006-one-index.md`.

mod affected;
mod batch;
pub(crate) mod clean_up;
pub(crate) mod head;
mod known;
mod long;
pub(crate) mod message;
pub(crate) mod metrics;
mod names;
mod prior;
mod project;
mod refresh;
mod repeated;
pub(crate) mod rows;
mod scope;
mod session;
pub(crate) mod sums;
mod survey;
pub(crate) mod taught;
pub(crate) mod unit;
mod work;
mod write;

pub(crate) use known::places;
pub(crate) use prior::PriorSessions;
pub(crate) use project::{KnownProject, known as known_projects, retain, row_of};
pub(crate) use refresh::{Filling, fill, is_fresh, refresh};
pub(crate) use session::{TextFilter, fingerprint_of};
