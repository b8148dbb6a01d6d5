//! What is done with an archive besides syncing and reading it.

pub(crate) mod backup;
pub(crate) mod forget;
pub(crate) mod info;
pub(crate) mod retention;
pub(crate) mod verify;
