#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod fingerprint;
mod history;
pub mod json;
mod logs;
pub mod model;
pub mod prices;
mod read;
mod replay;
mod session;
mod spelling;
pub mod stats;
pub mod time;
pub mod tools;
pub mod view;
mod wire;
mod words;

pub use fingerprint::Fingerprint;
pub use logs::{LogEntry, read_log};
pub use read::{Reader, peek, read};
pub use replay::{Detail, JournalLog, Metadata};
pub use session::{Item, SourceJournal, Sources, read_message, session, stem_of};
pub use spelling::{is_absolute_path, project_hash, spellings};

/// Parts that the other crates of this workspace share; no part of the interface.
#[doc(hidden)]
pub mod internal {
    pub use crate::session::{
        is_restored, restored_endings, restored_start, said_by_the_person, settled, short_id_of,
        split_subagents, squeezed, time_of, title_of,
    };
    pub use crate::spelling::{each_spelling, hex};
}
