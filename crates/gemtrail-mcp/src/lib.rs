#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod active;
mod answer;
mod arguments;
mod definitions;
mod quote;
mod server;
mod tools;

pub use answer::McpAnswer;
pub use arguments::CallRefusal;
pub use definitions::{Definition, TOOLS};
pub use quote::{DEFAULT_BUDGET, LARGEST_BUDGET, size};
pub use server::{ServeError, serve};
pub use tools::{ToolSettings, Tools};
