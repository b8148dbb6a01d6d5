//! Search by the full-text index of the views.

mod excerpt;
mod run;
mod sessions;
mod sql;

pub(crate) use run::{Views, run};
