#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod active;
mod answer;
mod arguments;
mod budget;
mod definitions;
mod quote;
mod server;
mod tools;

pub use answer::Answer;
pub use arguments::CallRefusal;
pub use budget::{DEFAULT_BUDGET, LARGEST_BUDGET, size};
pub use definitions::{Definition, TOOLS};
pub use server::{ServeError, serve};
pub use tools::{Surroundings, Tools};
