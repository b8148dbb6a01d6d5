//! A session as a verifiable agent record.
//!
//! One message becomes one entry; thoughts, tool calls and results become its children. What the
//! record schema has no name for goes where the profile wants it: next to the named members (`v3`),
//! into `vendor-ext` (`dual`), or nowhere (`v2`, which is what the first translator wrote).

mod attribution;
mod continuation;
mod diff;
mod entry;
mod native;
mod notes;
mod options;
mod provider;
mod record;
mod tokens;
mod tools;
mod translator;

pub use notes::Note;
pub use options::{Profile, RecordOptions, Recorder, SessionFormat};
pub use provider::provider_of;
pub use record::{Record, record};
