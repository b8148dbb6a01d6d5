//! What is on disk, in borrowed types.

pub(crate) mod answer;
pub(crate) mod content;
pub(crate) mod record;
