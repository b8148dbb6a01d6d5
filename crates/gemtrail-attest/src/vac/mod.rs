//! A session as a verifiable agent record.
//!
//! One message becomes one entry; thoughts, tool calls and results become its children. What the
//! record schema has no name for goes where the profile wants it: next to the named members (`v3`),
//! into `vendor-ext` (`dual`), or nowhere (`v2`, which is what the first translator wrote).

mod attribution;
mod entry;
mod options;
mod record;
mod translator;

pub use options::{Note, Profile, RecordOptions, Recorder, SessionFormat, provider_of};
pub use record::{Record, record};

pub(crate) use attribution::relative_path;
pub(crate) use entry::own_id;
pub(crate) use options::UNKNOWN;
