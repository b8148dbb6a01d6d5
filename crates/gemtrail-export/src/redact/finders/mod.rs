//! Secrets that are recognised by the structure around them rather than by a pattern.
//!
//! Each finder gets a text and the offset of a keyword, and reads no further than it must: keywords
//! repeated a million times cost a few steps each.

mod cookies;
mod kubernetes;
mod pem;

pub(super) use cookies::cookies;
pub(super) use kubernetes::secret_data;
pub(super) use pem::{key, key_end};
