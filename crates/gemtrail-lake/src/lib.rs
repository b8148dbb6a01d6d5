#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod cell;
mod check;
mod error;
mod explain;
mod family;
mod fate;
mod level;
mod manifest;
mod merge;
mod month;
mod names;
mod options;
mod origin;
mod place;
mod pseudonym;
mod rest;
mod rows;
mod sheet;
mod source;
mod stored;
mod table;
mod write;

pub use cell::{Cell, Row};
pub use check::{Checked, check};
pub use error::LakeError;
pub use explain::{Example, explain};
pub use level::Level;
pub use manifest::{Entry, Manifest, ORIGIN_SCHEMA};
pub use merge::{Merged, merge};
pub use options::{LakeOptions, Precision};
pub use origin::{Identity, IdentitySource, OriginId};
pub use pseudonym::Key;
pub use table::{Column, Kind, LAKE_SCHEMA, Table};
pub use write::{Written, write};
