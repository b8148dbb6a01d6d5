//! The archive as a library: nothing it saw is lost, whatever happens to the files, and its answers
//! agree with the files.

mod antigravity;
mod common;
mod damage;
mod emptied;
mod excluded;
mod forget;
mod homes;
mod import;
mod long_readers;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../../gemtrail-antigravity/tests/common/made.rs"]
mod made;
mod maintenance;
mod metrics;
mod odd_values;
mod outputs;
mod queries;
mod rot;
mod search;
mod steps;
mod unreadable;
mod versions;
