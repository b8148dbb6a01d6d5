//! The configuration: defaults, then the system's file, then the person's, then the environment,
//! then options; resolved once into one struct in which every value knows where it came from.

mod file;
mod key;
mod settings;

pub(crate) use file::{Layer, load};
pub(crate) use key::Key;
pub(crate) use settings::{Settings, Source};
