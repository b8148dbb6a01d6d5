//! The raw layer: every version of every file, and the homes as the archive knows them.

pub(crate) mod changes;
mod chunk;
pub(crate) mod current;
pub(crate) mod exclude;
pub(crate) mod files;
pub(crate) mod former_projects;
pub(crate) mod found;
pub(crate) mod hash;
pub(crate) mod homes;
pub(crate) mod marks;
pub(crate) mod mend;
pub(crate) mod options;
pub(crate) mod parcel;
pub(crate) mod prompts;
pub(crate) mod report;
pub(crate) mod scrub;
pub(crate) mod store;
pub(crate) mod stored;
pub(crate) mod take;
pub(crate) mod tree;
pub(crate) mod versions;
pub(crate) mod whereabouts;
pub(crate) mod writer;
