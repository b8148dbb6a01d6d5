//! The archive with the real program: nothing that it saw is lost, whatever happens to the files, to
//! the program and to the archive itself.

mod care;
mod common;
mod damage;
mod emptied;
mod equality;
mod forget;
mod full_disk;
mod homes;
mod import;
mod marks;
mod names;
mod odd_values;
mod reading;
mod rot;
mod search;
mod targets;
mod tidy;
mod together;
mod unreadable;
