//! Records as they are on disk, in borrowed types.

pub(crate) mod content;
pub(crate) mod record;
