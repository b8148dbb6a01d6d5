//! The doctor on planted faults, on settings, on lost sessions, and on what real clients left.

// Some faults are symbolic links.
#[cfg(unix)]
mod faults;
mod home;
mod lost;
mod recorded;
mod retention;
