//! The database: connections, tables and what stands in their columns.

pub(crate) mod error;
pub(crate) mod kinds;
mod remains;
pub(crate) mod schema;
pub(crate) mod spans;
pub(crate) mod vault;

pub use error::ArchiveError;
