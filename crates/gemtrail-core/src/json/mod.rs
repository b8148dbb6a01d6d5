//! Raw JSON: scanning, decoding, and values that pass through as written.

mod lines;
mod node;
mod raw;
mod scan;
mod special;
mod text;

pub use lines::fault_line;
pub(crate) use lines::line_of;
pub use node::{Items, Members, Node};
pub use raw::{Fields, Raw};
pub use scan::{Cursor, Fault, MAX_DEPTH, Shape};
pub use text::decode;
