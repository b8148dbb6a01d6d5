//! Antigravity as a second source: its files as kinds of files, its conversations as sessions.
//! Nothing else in this crate knows more of it than the names here.

mod assemble;
mod bytes;
mod project;
mod restore;

use std::path::Path;
#[cfg(feature = "watch")]
use std::path::PathBuf;

use gemtrail_antigravity::APPLICATIONS;
use gemtrail_core::model::SessionRef;

pub(crate) use assemble::sessions_of;
pub(crate) use bytes::pieces_of;
pub(crate) use project::{has_moved, id_of, projects};
pub(crate) use restore::{database_of, files_beside, has_other_rows};

/// True for the directory of a conversation, which is named after its program and its id. Those of
/// projects have no separator in their names.
pub(crate) fn is_conversation_dir(name: &str) -> bool {
    let parts = name.split_once('/');
    parts.is_some_and(|(application, _)| APPLICATIONS.contains(&application))
}

/// The program whose directory this is.
pub(crate) fn application_at(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let has_conversations = CONVERSATIONS.iter().any(|it| path.join(it).is_dir());
    APPLICATIONS
        .iter()
        .find(|it| **it == name && has_conversations)
        .copied()
}

/// The directories below a home that have something of conversations now.
#[cfg(feature = "watch")]
pub(crate) fn watched(root: &Path) -> Vec<PathBuf> {
    let programs = APPLICATIONS.iter().map(|it| root.join(it));
    let dirs = programs.flat_map(|it| CONVERSATIONS.map(|part| it.join(part)));
    dirs.filter(|dir| dir.is_dir()).collect()
}

/// The directories of a program that have something of conversations. Others hold programs and settings.
pub(crate) const CONVERSATIONS: [&str; 3] = ["brain", "conversations", "implicit"];

/// The reference of a conversation, which does not depend on its project.
pub(crate) fn reference(id: &str) -> SessionRef {
    SessionRef::new("antigravity", None, id, None)
}
