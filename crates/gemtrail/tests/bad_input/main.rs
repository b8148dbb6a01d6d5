//! Bad input of every kind, given to the built binary: it neither hangs nor panics, says what was
//! wrong and where, and shows everything else as if nothing had happened.

mod content;
mod escapes;
mod home;
mod large;
mod no_session;
mod places;

#[path = "../support/mod.rs"]
mod support;
