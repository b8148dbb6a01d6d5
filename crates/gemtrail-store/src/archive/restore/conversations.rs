//! The files of a conversation, to be put back.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use gemtrail_antigravity::{dump, restored, undump};
use gemtrail_home::antigravity::pieces_of;
use gemtrail_home::conversations::bytes_of;
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::project::ProjectEntry;

use crate::library::{Handle, Library};

/// The files of a conversation, and of its subagents, that it is not read from.
pub(super) fn files_beside<'l>(
    library: &'l Library,
    handle: &'l Handle,
) -> impl Iterator<Item = &'l (usize, FoundFile)> {
    let of = |(home, file): &'l (usize, FoundFile)| match &file.kind {
        FileKind::Conversation { application, id }
        | FileKind::ConversationFile { application, id } => {
            Some((*home, application.as_str(), id.as_str()))
        }
        _ => None,
    };
    let own: HashSet<_> = handle.files.iter().filter_map(of).collect();
    let entry = library.projects().get(handle.project);
    let entry = entry.filter(|_| !own.is_empty());
    let files = entry.into_iter().flat_map(ProjectEntry::files);
    let is_read = |file: &FoundFile| handle.files.iter().any(|(_, it)| it.path == file.path);
    files.filter(move |it| of(it).is_some_and(|it| own.contains(&it)) && !is_read(&it.1))
}

/// The database that is made from the rows of a file; `None` for other files.
pub(super) fn database_of(file: &FoundFile) -> Option<Arc<[u8]>> {
    let is_database = file.path.extension().is_some_and(|it| it == "db");
    if !is_database || !file.kind.is_conversation() {
        return None;
    }
    // Nothing is made of what cannot be read: opening it says why.
    undump(&bytes_of(file).ok()?).map(|image| restored(image).into())
}

/// True if a database at a path has other rows than this one; `None` if nothing is there.
pub(super) fn has_other_rows(path: &Path, database: &[u8]) -> Option<bool> {
    match pieces_of(path)? {
        Ok(pieces) => Some(pieces != dump(database)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some(true),
    }
}
