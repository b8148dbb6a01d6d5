//! The database: connections, tables and what stands in their columns.

pub(crate) mod connection;
pub(crate) mod error;
pub(crate) mod ids;
pub(crate) mod kinds;
pub(crate) mod mark;
pub(crate) mod pack;
pub(crate) mod pool;
mod remains;
pub(crate) mod schema;
pub(crate) mod spans;

pub use error::ArchiveError;
