#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod apply;
mod error;
mod jsonc;
mod parts;
mod plan;
mod receipt;

pub use apply::{LeftAlone, Removed, UndoneEdit, apply, remove};
pub use error::SetupError;
pub use parts::{InstallTarget, PlannedFile, plan};
pub use plan::{SetupPart, SetupPlan, Step, StepAction, StepState};
pub use receipt::Receipt;
