//! Restores sessions: which bytes, where, and under which name.
//!
//! The bytes that Gemini CLI resumes are written elsewhere, in its format; this decides where they
//! go.

mod conversations;
mod files;
mod place;
mod put;

pub use files::KeptFile;
pub use place::{Copy, Missing, Place, safe_name};
pub use put::{Put, Written, differs, is_same, put};
