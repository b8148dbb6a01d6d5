//! Raw JSON: scanning, decoding, and values that pass through as written.

mod node;
mod raw;
mod scan;
mod strings;
mod text;

pub use node::Node;
pub use raw::{Fields, Raw};
pub(crate) use scan::ScanResult;
pub use scan::{Cursor, Fault, MAX_DEPTH, Shape};
pub(crate) use text::line_of;
pub use text::{decode, decodes_to, fault_line};
