//! Text for people: the one policy for what reaches a terminal, a page or a tool.
//!
//! A transcript holds whatever a tool printed and a model wrote. [`Clean`] is the proof that nothing
//! in a text is obeyed or hidden any more: the presentation hands out nothing else, and whatever
//! prints a title, a path or a name by itself makes one first. JSON stays exact and goes through
//! [`EscapeControls`] instead.
//!
//! Widths are those of a screen, where a wide character takes two columns and a combining one none;
//! text is cut between graphemes only.
//!
//! ```
//! use gemtrail_export::text::{Clean, amount, fit, plural};
//!
//! let title = Clean::line("fix the \x1b[31mred\x1b[0m\nparser\u{202E}");
//! assert_eq!(title.as_str(), "fix the red parser‹U+202E›");
//! assert_eq!(fit(&title, 10), "fix the r…");
//! assert_eq!(plural(2_u64, "entry"), "2 entries");
//! assert_eq!(amount(1_812_345), "1.8M");
//! ```

mod clean;
mod escape;
mod number;
mod width;

pub(crate) use clean::Sequences;
pub use clean::{Clean, is_unsafe};
pub use escape::EscapeControls;
pub use number::{amount, bytes, grouped, plural, size};
pub(crate) use width::prefix;
pub use width::{fit, graphemes, shorten, shorten_start, width};
