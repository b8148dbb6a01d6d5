#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod check;
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
mod pseudonym;
mod rows;
mod sheet;
mod source;
mod table;
mod write;

pub use check::{Checked, check};
pub use error::LakeError;
pub use explain::{Example, explain};
pub use manifest::{Manifest, ManifestEntry, ORIGIN_SCHEMA};
pub use merge::{Merged, merge};
pub use options::{LakeOptions, Level, Precision};
pub use origin::{Identity, IdentitySource, OriginId};
pub use pseudonym::Key;
pub use table::{Cell, ColumnKind, LAKE_SCHEMA, LakeColumn, LakeRow, Table};
pub use write::{Written, write};
