//! The archive as a library: nothing it saw is lost, whatever happens to the files, and its answers
//! agree with the files.

mod common;
mod damage;
mod emptied;
mod excluded;
mod forget;
mod homes;
mod import;
mod long_readers;
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
