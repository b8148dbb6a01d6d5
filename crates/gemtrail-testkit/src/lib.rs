//! Judges gemtrail's output from outside.
//!
//! Everything here works on session documents as plain JSON, as `gemtrail show --json` prints them,
//! and shares no code with the reader: a mistake in the reader cannot hide itself.
//!
//! * [`mod@fixtures`]: trees that real Gemini CLI releases wrote, with what was typed and served.
//! * [`truth`]: compares documents with what actually happened, with the known deviations of the
//!   clients as data in [`quirk`].
//! * [`disk`]: compares documents with the bytes on disk: nothing missing, nothing duplicated.
//! * [`invariants`]: what must hold in every document, whatever it was read from.
//! * [`made`]: small session files, made for a test.
//! * [`examples`]: the sample home of the repository.
//! * [`corpus`]: a large generated home with its own ground truth.
//! * [`secrets`]: a home full of planted secrets, which must not leave it.
//! * [`ran`]: what a run of the binary came to.
//! * [`runner`]: the built binary, called as a user calls it; [`judge()`] combines everything.

pub mod corpus;
pub mod disk;
pub mod document;
pub mod examples;
pub mod expected;
pub mod fixtures;
pub mod invariants;
pub mod judge;
pub mod made;
pub mod odd;
pub mod problem;
pub mod quirk;
pub mod ran;
pub mod runner;
pub mod secrets;
pub mod truth;

pub use fixtures::{Fixture, fixtures};
pub use judge::judge;
pub use problem::Problem;
pub use ran::Ran;
