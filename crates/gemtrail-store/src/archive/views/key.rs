//! Identifies a session within a project.

use gemtrail_core::model::{Kind, Session};

/// Id, parent, first file.
pub(super) type Key = (String, String, String);

pub(super) fn key_of(session: &Session) -> Key {
    let parent = session.parent.as_ref().map(ToString::to_string);
    let first = session.journals.first().map(|journal| journal.path.clone());
    let kind = if session.kind == Kind::Log { "log" } else { "" };
    (
        session.id.to_string(),
        parent.unwrap_or_default(),
        first.unwrap_or_else(|| kind.to_owned()),
    )
}
