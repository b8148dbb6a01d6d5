//! Plain text in 80 columns, and the same lines for screens.
//!
//! The renderer draws lines into a [`LineSink`]: spans of text with the [`Ink`] that says what each
//! is. [`PlainText`] writes them without a single escape sequence; a terminal writer maps inks to
//! colours, a terminal interface to the styles of its cells. [`Layout`] says how wide the lines are
//! and how much of each output they show. A document can be drawn as a whole, block by block, or as
//! a single message or call.
//!
//! ```
//! use gemtrail_export::plain::{self, Layout, Line};
//! use gemtrail_export::present::{Options, Presentation, ToolDetail};
//! # let session: gemtrail_core::model::Session =
//! #     serde_json::from_str(include_str!("../../tests/fixtures/demo.json")).unwrap();
//!
//! let options = Options::default();
//! let presentation = Presentation::new(&session, &options);
//! let message = presentation.message(0).expect("it has messages");
//! let mut lines: Vec<Line> = Vec::new();
//! let layout = Layout { columns: 60, excerpt: Some(4) };
//! plain::draw_message(&message, ToolDetail::Brief, layout, &mut lines)?;
//! assert!(!lines.is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```

mod canvas;
mod document;
mod markdown;
mod message;

pub use canvas::{Details, Ink, Layout, Line, LineSink, PlainText};
pub use document::{draw, draw_block, draw_call, draw_head, draw_message, draw_with, write};
pub use markdown::draw_markdown;
