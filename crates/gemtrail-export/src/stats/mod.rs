//! Statistics as tables and pictures.

pub mod csv;
