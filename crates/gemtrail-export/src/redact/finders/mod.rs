//! Secrets that are told by the structure around them rather than by a pattern.
//!
//! Each finder gets a text and the place of a keyword, and looks no farther than it must: keywords
//! that are repeated a million times over cost a few steps each.

mod cookies;
mod kubernetes;
mod pem;

pub(super) use cookies::cookies;
pub(super) use kubernetes::secret_data;
pub(super) use pem::{key, key_end};
