//! Antigravity as a second source: the names of its directories, and what is kept of its databases.

use std::io;
use std::path::Path;
#[cfg(feature = "watch")]
use std::path::PathBuf;

use gemtrail_antigravity::{APPLICATIONS, Snapshot, dump};
use gemtrail_core::model::SessionRef;

/// True for the directory of a conversation, which is named after its program and its id. Those of
/// projects have no separator in their names.
pub fn is_conversation_dir(name: &str) -> bool {
    let parts = name.split_once('/');
    parts.is_some_and(|(application, _)| APPLICATIONS.contains(&application))
}

/// The program whose directory this is.
pub fn application_at(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let has_conversations = CONVERSATIONS.iter().any(|it| path.join(it).is_dir());
    APPLICATIONS
        .iter()
        .find(|it| **it == name && has_conversations)
        .copied()
}

/// The directories below a home that have something of conversations now.
#[cfg(feature = "watch")]
pub fn watched(root: &Path) -> Vec<PathBuf> {
    let programs = APPLICATIONS.iter().map(|it| root.join(it));
    let dirs = programs.flat_map(|it| CONVERSATIONS.map(|part| it.join(part)));
    dirs.filter(|dir| dir.is_dir()).collect()
}

/// The directories of a program that have something of conversations. Others hold programs and settings.
pub(crate) const CONVERSATIONS: [&str; 3] = ["brain", "conversations", "implicit"];

/// The reference of a conversation, which does not depend on its project.
pub fn reference(id: &str) -> SessionRef {
    SessionRef::new("antigravity", None, id, None)
}

/// What an archive keeps of a database, in pieces; `None` for other files, which are kept as they are.
pub fn pieces_of(path: &Path) -> Option<io::Result<Vec<Vec<u8>>>> {
    let is_database = path.extension().is_some_and(|it| it == "db");
    is_database.then(|| snapshot(path).map(|image| dump(&image)))
}

/// The image of a database on disk, with what is only in its log.
fn snapshot(path: &Path) -> io::Result<Vec<u8>> {
    let taken = Snapshot::take(path);
    taken
        .map(|snapshot| snapshot.image)
        .map_err(|error| error.source)
}
