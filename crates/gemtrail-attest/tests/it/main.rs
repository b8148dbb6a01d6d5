//! Tests of the public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod attribution;
mod common;
mod keys;
mod malformed;
mod mapping;
mod options;
mod requirements;
mod schema;
mod signing;
mod tampering;
mod trees;
mod validation;
mod vcon;
mod vectors;
mod worked_example;
