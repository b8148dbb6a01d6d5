//! The archive as a library: nothing that it saw is lost, whatever happens to the files, and what it says
//! is what the files say.
#![cfg(feature = "archive")]

mod common;
mod damage;
mod emptied;
mod excluded;
mod forget;
mod homes;
mod long_readers;
mod maintenance;
mod outputs;
mod search;
mod steps;
mod unreadable;
mod versions;
