//! The session that a file belongs to.

use std::sync::Arc;

use crate::discover::{FileKind, FoundFile};
use crate::group::SessionKey;
use crate::load::peek_file;
use crate::load::{Depth, load_earlier, load_found};
use crate::paths::text_of;
use crate::versions::id_without_name;

/// The session that a file belongs to; read in full if the header does not name it. If it was
/// emptied or damaged, or cannot be read, earlier versions decide.
pub fn key_of(file: &FoundFile) -> SessionKey {
    if let FileKind::Conversation { id, .. } = &file.kind {
        return SessionKey::known(&file.kind, id.clone(), "");
    }
    let id = named_in(file).or_else(|| named_before(file).next());
    let known = || file.versions.session.as_deref().map(str::to_owned);
    let id = id.or_else(known).unwrap_or_else(|| made_up(file));
    SessionKey::known(&file.kind, id, &text_of(&file.path))
}

/// The sessions that earlier versions of a file name, newest first.
fn named_before(file: &FoundFile) -> impl Iterator<Item = String> {
    file.versions.earlier.iter().rev().filter_map(move |kept| {
        let mut then = file.clone();
        then.versions.latest = Some(Arc::clone(kept));
        named_in(&then)
    })
}

/// The id of a session that its file does not name.
fn made_up(file: &FoundFile) -> String {
    let now = load_found(file, Depth::Counts).ok();
    let before = load_earlier(file, Depth::Counts).into_iter().rev();
    id_without_name(file, now.into_iter().chain(before))
}

fn named_in(file: &FoundFile) -> Option<String> {
    let header = peek_file(file).ok().and_then(|header| header.session_id);
    let id = header.or_else(|| {
        let journal = load_found(file, Depth::Counts).ok()?;
        journal.recorded_id().map(str::to_owned)
    });
    id.filter(|id| !id.is_empty())
}
