#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod explain;
mod fate;
mod files;
mod identity;
mod merge;
mod month;
mod names;
mod options;
mod rows;
mod sheet;
mod source;
mod table;
mod write;

pub use error::LakeError;
pub use explain::{Example, explain};
pub use files::{Checked, Manifest, ManifestEntry, ORIGIN_SCHEMA, check};
pub use identity::{Identity, IdentitySource, OriginId, PseudonymKey};
pub use merge::{Merged, merge};
pub use options::{LakeOptions, Level, Precision};
pub use table::{Cell, ColumnKind, LAKE_SCHEMA, LakeColumn, LakeRow, LakeTable};
pub use write::{LakeChanges, write};
