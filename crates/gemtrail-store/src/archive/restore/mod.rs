//! Restores sessions: which bytes, where, and under which name.
//!
//! The bytes that Gemini CLI resumes are written elsewhere, in its format; this decides where they
//! go.

mod conversations;
mod files;

pub use files::KeptFile;
pub use gemtrail_home::place::{Copy, Missing, Place, safe_name};
pub use gemtrail_home::put::{Put, PutError, Written, differs, is_same, put};
