//! Records, signatures and signals, through the built binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod common;
mod fixtures;
mod keys;
mod schema_only;
mod signals;
mod signing;
mod tampering;
mod vac;
mod vcon;
