#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod antigravity;
pub mod catalog;
pub mod conversations;
pub mod discover;
pub mod group;
pub mod home;
pub mod learned;
pub mod load;
pub mod outputs;
pub mod partial_file;
pub mod paths;
pub mod place;
pub mod project;
pub mod prompts;
pub mod put;
pub mod said;
pub mod scan;
pub mod source;
pub mod versions;
#[cfg(feature = "watch")]
pub mod watch;

pub use home::{Home, Places};
pub use project::{Effort, Hints};
