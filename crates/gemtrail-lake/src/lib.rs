#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod explain;
mod fate;
mod manifest;
mod merge;
mod month;
mod names;
mod options;
mod origin;
mod place;
mod rows;
mod sheet;
mod source;
mod table;
mod write;

pub use error::LakeError;
pub use explain::{Example, explain};
pub use manifest::{Checked, Manifest, ManifestEntry, ORIGIN_SCHEMA, check};
pub use merge::{Merged, merge};
pub use names::Key;
pub use options::{LakeOptions, Level, Precision};
pub use origin::{Identity, IdentitySource, OriginId};
pub use table::{Cell, ColumnKind, LAKE_SCHEMA, LakeColumn, LakeRow, Table};
pub use write::{Written, write};
