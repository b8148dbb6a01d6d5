//! What people read: Markdown, HTML and plain text of whole sessions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod hostile;
mod parts;
mod presentation;
mod requirements;
mod snapshots;
mod superseded;
mod support;
