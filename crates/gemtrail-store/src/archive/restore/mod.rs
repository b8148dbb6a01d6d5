//! Restores sessions: which bytes, where, and under which name.
//!
//! The bytes that Gemini CLI resumes are written elsewhere, in its format; this decides where they
//! go.

mod choose;
mod files;
mod place;
mod put;

pub(crate) use choose::journals_of;
pub use files::KeptFile;
pub(crate) use files::{journals_at, session_at};
pub use place::{Copy, Missing, Place, safe_name};
pub use put::{Put, Written, differs, is_same, put};
