#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod app;
mod clipboard;
mod effects;
pub mod keys;
mod message;
mod options;
mod pace;
pub mod state;
mod terminal;
#[cfg(test)]
mod tests;
pub mod view;

pub use app::run;
pub use clipboard::ClipboardSituation;
pub use options::{Actions, BrowserScope, Options, Outcome};
pub use state::{ArchiveState, CannotExport, CannotResume};
