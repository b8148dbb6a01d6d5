#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod conversation;
mod discover;
mod edit;
mod project;
mod raw;
mod result;
mod rows;
mod snapshot;
mod step;
mod tokens;
mod tools;
mod transcript;
mod types;
mod uri;
mod wal;
pub mod wire;

pub use conversation::{Conversation, nest};
pub use discover::{APPLICATIONS, ConversationFiles, group};
pub use rows::{Generation, NotAConversation, Rows, StepRow, TurnEnd};
pub use snapshot::{Snapshot, SnapshotError};
pub use wal::image;
