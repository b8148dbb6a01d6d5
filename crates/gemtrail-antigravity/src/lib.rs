#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod conversation;
mod discover;
mod dump;
mod edit;
mod message;
mod nest;
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

pub use conversation::Conversation;
pub use discover::{APPLICATIONS, ConversationFiles, group};
pub use dump::{dump, restored, undump};
pub use nest::{as_subagent, nest};
pub use rows::{ConversationRows, Generation, NotAConversation, StepRow, TurnEnd};
pub use snapshot::{Snapshot, SnapshotError};
pub use wal::image;
