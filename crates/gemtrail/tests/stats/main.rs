//! Statistics, as the built binary prints them.
#![allow(unused_crate_dependencies, reason = "the binary under test uses them")]

mod archive;
mod common;
mod filters;
mod money;
mod people;
mod recorded;
mod truth;
mod zones;
