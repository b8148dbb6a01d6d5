//! Everything that goes through the public interface.

mod common;
mod schema;
mod worked_example;
