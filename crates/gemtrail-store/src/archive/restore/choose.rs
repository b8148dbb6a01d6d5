//! Which version of a journal to restore: the newest that lost nothing.
//!
//! A file may be emptied, truncated, damaged, edited or overwritten, and the archive keeps that
//! version too. It is skipped if it has nothing of the session, if it is a prefix of an older one,
//! or if it is a rewritten log of lines without any message that an older one lacks: such a log is
//! append-only. A journal that is rewritten as a whole changes all the time, and gets shorter when
//! its session is rewound; unless it is truncated, the newest version is the current session.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use gemtrail_core::model::{Code, Format};
use gemtrail_core::{SourceJournal, Sources};
use rusqlite::Connection;

use super::files::{KeptFile, as_it_was};
use crate::db::ArchiveError;
use crate::db::ids::ContentRowId;
use crate::db::pool::Pool;
use crate::discover::FoundFile;
use crate::group::SessionKey;
use crate::library::Handle;
use crate::library::Library;
use crate::load::{Depth, load_found};
use crate::raw::stored;
use crate::source::begins_with;
use crate::versions::has_session;

/// The journals of a session and its subagents, each in its last complete version.
pub(crate) fn journals_of(
    pool: &Arc<Pool>,
    library: &Library,
    handle: &Handle,
) -> Result<Vec<KeptFile>, ArchiveError> {
    let mut files = Vec::new();
    for (home, file) in &handle.files {
        let versions = pool.with(|connection| versions(pool, connection, file))?;
        let (chosen, lost) = choose(&versions, &handle.key).unwrap_or((file, None));
        if let Some(mut kept) = KeptFile::new(library, *home, chosen) {
            kept.lost = lost;
            files.push(kept);
        }
    }
    Ok(files)
}

/// The current and former versions of a file, newest first, without those that a later one repeats.
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
    // All versions of a file that only grew share one content.
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

/// The newest of these versions that lost nothing, and the number of messages lost since if it is
/// not the first.
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
    /// Ids of all messages that were ever recorded.
    ids: HashSet<String>,
    /// The ids of messages that are shown.
    messages: Vec<String>,
    /// Whether it is append-only, so that anything it lacks was lost.
    is_log: bool,
}

impl Held {
    /// `None` if it cannot be read or has nothing of the session.
    fn read(version: &FoundFile, key: &SessionKey) -> Option<Self> {
        let journal = load_found(version, Depth::Counts).ok()?;
        let is_whole = has_session(&journal) && !journal.log.is_damaged();
        if !is_whole || is_of_another(version, &journal, key) {
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

/// Whether a version is only the remainder of an older one.
fn is_rest((file, held): (&FoundFile, &Held), (older, more): (&FoundFile, &Held)) -> bool {
    let adds_nothing = held.is_log && held.ids.is_subset(&more.ids);
    is_beginning(file, older) || adds_nothing && !is_beginning(older, file)
}

/// Whether a version names a session other than the restored one and its subagents.
fn is_of_another(version: &FoundFile, journal: &SourceJournal, key: &SessionKey) -> bool {
    let Some(id) = journal.recorded_id() else {
        return false;
    };
    let named = SessionKey::known(&version.kind, id.to_owned(), &journal.path);
    named != *key && named.parent.as_deref() != Some(key.id.as_str())
}

/// Whether a version is a prefix of another.
fn is_beginning(version: &FoundFile, other: &FoundFile) -> bool {
    let compare = || -> io::Result<bool> { begins_with(other.open()?, version.open()?) };
    version.bytes < other.bytes && compare().unwrap_or(false)
}
