//! Raw JSON: scanning, decoding, and values that pass through as written.

mod node;
mod raw;
mod scan;
mod special;
mod text;

pub use node::{Items, Members, Node};
pub use raw::{Fields, Raw};
pub use scan::{Cursor, Fault, MAX_DEPTH, Shape};
pub use text::decode;
