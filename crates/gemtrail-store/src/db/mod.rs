//! The database: connections, tables and the encoding of their columns.

pub(crate) mod code;
pub(crate) mod columns;
pub(crate) mod connection;
pub(crate) mod error;
pub(crate) mod identify;
pub(crate) mod ids;
pub(crate) mod index_file;
pub(crate) mod pool;
pub(crate) mod private;
pub(crate) mod schema;
pub(crate) mod spans;

pub use error::ArchiveError;
