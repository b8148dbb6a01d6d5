#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod active;

mod answer;
mod arguments;
mod budget;
mod definitions;
mod entries;
mod quote;
mod refusal;
mod server;
mod sheet;
mod tools;

pub use answer::Answer;
pub use budget::{DEFAULT_BUDGET, LARGEST_BUDGET, size};
pub use definitions::{Definition, TOOLS};
pub use refusal::Refusal;
pub use server::{ServeError, serve};
pub use tools::{Surroundings, Tools};
