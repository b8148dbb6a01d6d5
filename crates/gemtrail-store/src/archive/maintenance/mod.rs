//! Operations on an archive other than syncing and reading.

pub(crate) mod backup;
pub(crate) mod forget;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod retention;
pub(crate) mod verify;
