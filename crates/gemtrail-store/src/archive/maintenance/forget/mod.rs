//! Takes sessions out for good.

mod prompts;
mod session;

pub(crate) use prompts::{forgotten, scrubbed};
pub use session::{FORGET_SCHEMA, Forgotten};
