//! Requirements on the program, and the list of all of them with the tests that keep them.

mod finding;
mod history;
mod listing;
mod tested;

#[path = "../support/mod.rs"]
mod support;
