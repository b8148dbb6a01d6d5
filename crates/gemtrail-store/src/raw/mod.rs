//! The raw layer: every version of every file, and the homes as the archive knows them.

pub(crate) mod changes;
pub(crate) mod chunk;
pub(crate) mod current;
pub(crate) mod damage;
pub(crate) mod files;
pub(crate) mod homes;
pub(crate) mod marks;
pub(crate) mod options;
pub(crate) mod scrub;
pub(crate) mod store;
pub(crate) mod stored;
pub(crate) mod take;
pub(crate) mod tree;
pub(crate) mod writer;
