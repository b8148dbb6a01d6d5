//! Raw JSON: scanning, decoding, and values that pass through as written.

mod lines;
mod nesting;
mod node;
mod raw;
mod scan;
mod special;
mod strings;
mod text;

pub use lines::fault_line;
pub(crate) use lines::line_of;
pub use nesting::MAX_DEPTH;
pub use node::{Items, Members, Node};
pub use raw::{Fields, Raw};
pub use scan::{Cursor, Fault, Shape};
pub use text::{decode, decodes_to};
