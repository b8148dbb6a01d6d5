#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod apply;
mod error;
mod jsonc;
mod parts;
mod plan;
mod receipt;
mod remove;

pub use apply::apply;
pub use error::SetupError;
pub use parts::{Page, Target, plan};
pub use plan::{Action, Part, Plan, Standing, Step};
pub use receipt::Receipt;
pub use remove::{Kept, Removed, remove};
