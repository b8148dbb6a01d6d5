//! What people read: Markdown, HTML and plain text of whole sessions.

mod hostile;
mod requirements;
mod snapshots;
mod superseded;
mod support;
