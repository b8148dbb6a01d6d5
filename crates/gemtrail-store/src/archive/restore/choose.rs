//! Which version of a journal is the one to put back: the newest that lost nothing.
//!
//! A file may be emptied, cut off, damaged, edited or written over, and the archive keeps that version
//! too. It is passed over if it has nothing of the session, if it is the beginning of an older one,
//! or if it is a log of lines that was rewritten and has no message that an older one lacks: such
//! a log is only ever added to. A journal that is written as a whole changes all the time, and gets
//! shorter when its session is rewound; as long as it is not torn, the newest is how the session stands.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use gemtrail_core::model::{Code, Format};
use gemtrail_core::{SourceJournal, Sources};
use rusqlite::Connection;

use super::files::{KeptFile, as_it_was};
use crate::archive::db::ArchiveError;
use crate::archive::db::ids::ContentRowId;
use crate::archive::db::pool::Pool;
use crate::archive::raw::stored;
use crate::archive::reading::begins_with;
use crate::discover::FoundFile;
use crate::group::SessionKey;
use crate::library::Handle;
use crate::library::Library;
use crate::load::{Depth, load_found};
use crate::versions::has_session;

/// The journals of a session, those of its subagents included, each as it was when it was last
/// whole.
pub(crate) fn journals_of(
    pool: &Arc<Pool>,
    library: &Library,
    handle: &Handle,
) -> Result<Vec<KeptFile>, ArchiveError> {
    let mut files = Vec::new();
    for (home, file) in library.files_of(handle) {
        let versions = pool.with(|connection| versions(pool, connection, file))?;
        let (chosen, lost) = choose(&versions, &handle.key).unwrap_or((file, None));
        if let Some(mut kept) = KeptFile::new(library, *home, chosen) {
            kept.lost = lost;
            files.push(kept);
        }
    }
    Ok(files)
}

/// What the file is now and what it was, newest first, without versions that a later one repeats.
fn versions(
    pool: &Arc<Pool>,
    connection: &Connection,
    file: &FoundFile,
) -> Result<Vec<FoundFile>, ArchiveError> {
    let mut versions = Vec::new();
    if file.versions.latest.is_none() {
        versions.push(file.clone());
    }
    let Some(archived) = file.versions.archived else {
        return Ok(versions);
    };
    let mut statement = connection.prepare_cached(
        "SELECT id, content, bytes, modified FROM version
         WHERE file = ?1 AND (id = ?2 OR NOT repeated) ORDER BY id DESC",
    )?;
    let mut rows = statement.query((archived.file, archived.version))?;
    // A file that only grew has one content for all its versions.
    let mut contents: HashSet<ContentRowId> = HashSet::new();
    while let Some(row) = rows.next()? {
        if contents.insert(row.get(1)?) {
            let bytes: u64 = row.get(2)?;
            let kept = stored::version(pool, row.get(0)?, bytes);
            versions.push(as_it_was(file, kept, row.get(3)?));
        }
    }
    Ok(versions)
}

/// The newest of these versions that lost nothing, and how many messages were lost since if it is not
/// the first.
fn choose<'a>(
    versions: &'a [FoundFile],
    key: &SessionKey,
) -> Option<(&'a FoundFile, Option<usize>)> {
    let [newest, _, ..] = versions else {
        return None;
    };
    let held: Vec<Option<Held>> = versions
        .iter()
        .map(|version| Held::read(version, key))
        .collect();
    let is_whole = |at: &usize| {
        let (version, it) = (&versions[*at], held[*at].as_ref());
        let mut older = versions.iter().zip(&held).skip(at + 1);
        it.is_some_and(|it| {
            !older.any(|(file, held)| {
                let held = held.as_ref();
                held.is_some_and(|held| is_rest((version, it), (file, held)))
            })
        })
    };
    let at = (0..versions.len()).find(is_whole)?;
    if at == 0 {
        return Some((newest, None));
    }
    let left = held[0].as_ref().map(|held| &held.ids);
    let messages = held[at].iter().flat_map(|held| &held.messages);
    let lost = messages.filter(|id| left.is_none_or(|left| !left.contains(*id)));
    Some((&versions[at], Some(lost.count())))
}

/// What a version has of a session.
struct Held {
    /// Ids of everything that was ever said.
    ids: HashSet<String>,
    /// Those of them that are shown as messages.
    messages: Vec<String>,
    /// Whether what it lacks was lost.
    is_log: bool,
}

impl Held {
    /// Nothing if it cannot be read or has nothing of the session.
    fn read(version: &FoundFile, key: &SessionKey) -> Option<Self> {
        let journal = load_found(version, Depth::Counts).ok()?;
        if !has_session(&journal) || is_of_another(version, &journal, key) {
            return None;
        }
        let is_damage = |code: Code| matches!(code, Code::TruncatedFile | Code::BadJson);
        let mut findings = journal.log.diagnostics().iter();
        let is_log = journal.log.format() == Format::Jsonl || findings.any(|it| is_damage(it.code));
        let ids = journal.log.timeline().map(str::to_owned).collect();
        let messages = Sources::single(journal).assemble().messages;
        Some(Self {
            ids,
            messages: messages.iter().map(|it| it.id.to_string()).collect(),
            is_log,
        })
    }
}

/// Whether a version is only what is left of an older one.
fn is_rest((file, held): (&FoundFile, &Held), (older, more): (&FoundFile, &Held)) -> bool {
    let adds_nothing = held.is_log && held.ids.is_subset(&more.ids);
    is_beginning(file, older) || adds_nothing && !is_beginning(older, file)
}

/// Whether a version names another session than the one that is put back, or one of its agents.
fn is_of_another(version: &FoundFile, journal: &SourceJournal, key: &SessionKey) -> bool {
    let Some(id) = crate::versions::named(journal) else {
        return false;
    };
    let named = SessionKey::known(&version.kind, id.to_owned(), &journal.path);
    named != *key && named.parent.as_deref() != Some(key.id.as_str())
}

/// Whether a version ends where another goes on.
fn is_beginning(version: &FoundFile, other: &FoundFile) -> bool {
    let compare = || -> io::Result<bool> { begins_with(other.open()?, version.open()?) };
    version.bytes < other.bytes && compare().unwrap_or(false)
}
