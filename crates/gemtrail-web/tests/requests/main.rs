//! The viewer as a browser, and as everything that pretends to be one, sees it.

mod client;
mod long;
mod pages;
mod security;
