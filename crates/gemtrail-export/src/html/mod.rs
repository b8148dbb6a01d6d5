//! One self-contained page.
//!
//! Nothing is loaded and nothing runs but the page's own style and script, which the policy in its
//! head names by their hashes. All text is escaped by the templates; Markdown is rendered from a
//! defused syntax tree and sanitised last. The page is written piece by piece.

mod call;
mod code;
mod csp;
mod diff;
mod highlight;
mod index;
mod message;
mod page;
mod palette;
mod prose;
mod shell;

pub use index::{IndexEntry, write_index};
pub use page::write;
