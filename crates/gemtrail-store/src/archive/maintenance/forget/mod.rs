//! Removes sessions for good.

mod plan;
mod prompts;
mod session;
pub(crate) mod wipe;

pub use plan::{FORGET_SCHEMA, Forgotten};
pub(crate) use session::{forget, plan};
