//! Text for people: the single policy for what reaches a terminal, a page or a tool.
//!
//! A transcript holds whatever a tool printed and a model wrote. A [`Clean`] text is proven to
//! contain nothing that is obeyed or hidden: the presentation yields nothing else, and code that
//! prints a title, a path or a name directly makes one first. JSON stays exact and goes through
//! [`EscapeControls`] instead.
//!
//! Widths are display widths: a wide character takes two columns and a combining one none. Text is
//! cut only between graphemes.
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
mod columns;
mod wrap;

pub use clean::{Clean, EscapeControls, is_unsafe};
pub(crate) use clean::{Sequences, is_clean};
pub(crate) use columns::prefix;
pub use columns::{
    Marked, amount, bytes, fit, graphemes, grouped, plural, shorten, shorten_start, size, width,
};
pub(crate) use wrap::{broken, pieces, wrapped};
