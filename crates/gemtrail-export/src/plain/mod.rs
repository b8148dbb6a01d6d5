//! Plain text in 80 columns.
//!
//! The same lines serve a terminal: [`Layout`] says how wide it is, how much of each output it
//! wants, and who colours it. Without a painter there is not a single escape sequence.

mod call;
mod canvas;
mod document;
mod message;
mod wrap;

pub use canvas::{Ink, Layout, NoPaint, Paint};
pub use document::{write, write_with};
