//! gemtrail core (work in progress)
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod json;
pub mod model;
pub mod tools;
