//! The raw layer: every version of every file, and the homes as the archive knows them.

pub(crate) mod changes;
pub(crate) mod chunk;
pub(crate) mod take;
pub(crate) mod taken_over;
pub(crate) mod tree;
pub(crate) mod writer;
