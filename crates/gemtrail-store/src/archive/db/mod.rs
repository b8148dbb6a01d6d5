//! The database: connections, tables and the encoding of their columns.

pub(crate) mod code;
pub(crate) mod compact;
pub(crate) mod connection;
pub(crate) mod error;
pub(crate) mod identify;
pub(crate) mod ids;
pub(crate) mod kinds;
pub(crate) mod mark;
pub(crate) mod name;
pub(crate) mod pack;
pub(crate) mod pool;
pub(crate) mod schema;
pub(crate) mod spans;

pub use error::ArchiveError;
