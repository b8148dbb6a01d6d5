//! The files of a session in earlier versions, and which of them to restore: the newest that lost
//! nothing.
//!
//! A file may be emptied, truncated, damaged, edited or overwritten, and the archive keeps that
//! version too. It is skipped if it has nothing of the session, if it is a prefix of an older one,
//! or if it is a rewritten log of lines without any message that an older one lacks: such a log is
//! append-only. A journal that is rewritten as a whole changes all the time, and gets shorter when
//! its session is rewound; unless it is truncated, the newest version is the current session.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use gemtrail_core::model::{Code, Format, Session};
use gemtrail_core::{SourceJournal, Sources};
use gemtrail_home::discover::{FileKind, FoundFile};
use gemtrail_home::group::SessionKey;
use gemtrail_home::home::Home;
use gemtrail_home::load::{Depth, load_found};
use gemtrail_home::put::differs;
use gemtrail_home::source::{Kept, Versions, begins_with};
use gemtrail_home::versions::has_session;
use rusqlite::Connection;

use super::super::open::Archive;
use super::conversations;
use crate::db::ArchiveError;
use crate::db::ids::ContentRowId;
use crate::db::pool::Pool;
use crate::library::{Handle, Library};
use crate::raw::{stored, tree};

/// A file of a session with its bytes at some time.
#[derive(Clone, Debug)]
pub struct KeptFile {
    /// Its present or former path.
    pub path: PathBuf,
    /// The index of its home in the library.
    pub home: usize,
    /// The name of its project directory.
    pub dir: PathBuf,
    /// Its path below the project directory.
    pub below: PathBuf,
    /// Its kind.
    pub kind: FileKind,
    /// The time of its last change.
    pub modified: Option<SystemTime>,
    /// How many messages the file has lost since, if it was damaged or changed and this is an
    /// earlier version.
    pub lost: Option<usize>,
    bytes: u64,
    file: FoundFile,
    /// The database that is made from the rows of a conversation.
    database: Option<Arc<[u8]>>,
}

impl KeptFile {
    fn new(library: &Library, home: usize, file: &FoundFile) -> Option<Self> {
        let inside = file
            .path
            .strip_prefix(base_of(&library.homes().get(home)?.home, &file.kind));
        let inside = inside.ok()?;
        let database = conversations::database_of(file);
        // An archive may come from anywhere; no path may lead out of the home.
        let mut names = inside.components();
        if !names.all(|name| matches!(name, Component::Normal(_))) {
            return None;
        }
        let dir = inside.components().next()?.as_os_str();
        Some(Self {
            path: file.path.clone(),
            home,
            dir: dir.into(),
            below: inside.strip_prefix(dir).ok()?.to_owned(),
            kind: file.kind.clone(),
            modified: file.modified,
            lost: None,
            bytes: database.as_ref().map_or(file.bytes, |it| it.len() as u64),
            file: file.clone(),
            database,
        })
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads the bytes from the start.
    pub fn open(&self) -> io::Result<Box<dyn Read>> {
        match &self.database {
            Some(database) => Ok(Box::new(io::Cursor::new(Arc::clone(database)))),
            None => Ok(Box::new(self.file.open()?)),
        }
    }

    /// Its place in a home.
    pub fn place_in(&self, home: &Home) -> PathBuf {
        base_of(home, &self.kind).join(&self.dir).join(&self.below)
    }

    /// True if a path exists with other content: of a database, other rows.
    pub fn differs_from(&self, place: &Path) -> Result<bool, ArchiveError> {
        let database = self.database.as_ref();
        match database.and_then(|it| conversations::has_other_rows(place, it)) {
            Some(is_other) => Ok(is_other),
            None => Ok(differs(place, self.open()?)?),
        }
    }
}

/// The directory that files of a kind are below in a home.
fn base_of<'h>(home: &'h Home, kind: &FileKind) -> &'h Path {
    match kind {
        FileKind::Conversation { .. } | FileKind::ConversationFile { .. } => &home.root,
        _ => &home.sessions,
    }
}

/// The file or, if it was truncated, the version before that.
fn unless_cut_off(file: &FoundFile) -> FoundFile {
    let mut file = file.clone();
    let goes_on = |kept: &&Arc<dyn Kept>| {
        let is_start = || begins_with(kept.open()?, file.open()?);
        kept.bytes() > file.bytes && is_start().unwrap_or(false)
    };
    let longer = file.versions.earlier.iter().rev().find(goes_on).cloned();
    if let Some(kept) = longer {
        file.bytes = kept.bytes();
        file.versions.latest = Some(kept);
    }
    file
}

impl Library {
    /// The journals of a session and its subagents, in their current or last version.
    pub fn journals_of(&self, handle: &Handle) -> Vec<KeptFile> {
        let files = handle.files.iter();
        let files = files.chain(conversations::files_beside(self, handle));
        files
            .filter_map(|(home, file)| KeptFile::new(self, *home, file))
            .collect()
    }

    /// Files next to the journals of a session that Gemini CLI may need when it is resumed: its
    /// subagents' journals, outputs too long for a journal, and plans.
    pub fn companions_of(&self, handle: &Handle) -> Vec<KeptFile> {
        let Some(entry) = self.projects().get(handle.project) else {
            return Vec::new();
        };
        let id = Some(handle.key.id.as_str());
        let is_its = |kind: &FileKind| match kind {
            FileKind::Subagent { parent } => Some(parent.as_str()) == id,
            FileKind::ToolOutput { session } | FileKind::Plan { session } => {
                session.as_deref() == id
            }
            _ => false,
        };
        let files = entry.files().iter().filter(|(_, file)| is_its(&file.kind));
        files
            .filter_map(|(home, file)| KeptFile::new(self, *home, &unless_cut_off(file)))
            .collect()
    }
}

impl Archive {
    /// The journals of a session and its subagents, each in its last complete version.
    pub fn journals_of(
        &self,
        library: &Library,
        handle: &Handle,
    ) -> Result<Vec<KeptFile>, ArchiveError> {
        let mut files = Vec::new();
        for (home, file) in conversations::files_beside(library, handle) {
            files.extend(KeptFile::new(library, *home, file));
        }
        for (home, file) in &handle.files {
            if file.kind.is_conversation() {
                files.extend(KeptFile::new(library, *home, file));
                continue;
            }
            let versions = self.pool.with(|it| versions_of(&self.pool, it, file))?;
            let (chosen, lost) = choose(&versions, &handle.key).unwrap_or((file, None));
            let kept = KeptFile::new(library, *home, chosen);
            files.extend(kept.map(|kept| KeptFile { lost, ..kept }));
        }
        Ok(files)
    }

    /// The journals of a session as of the last sync before a time, in milliseconds since 1970.
    /// Journals not seen by then are left out.
    pub fn journals_at(
        &self,
        library: &Library,
        handle: &Handle,
        time: i64,
    ) -> Result<Vec<KeptFile>, ArchiveError> {
        let files = files_at(&self.pool, handle, time)?;
        let kept = files.iter();
        Ok(kept
            .filter_map(|(home, file)| KeptFile::new(library, *home, file))
            .collect())
    }

    /// The session as of the last sync before a time.
    pub fn session_at(
        &self,
        library: &Library,
        handle: &Handle,
        time: i64,
    ) -> Result<Option<Session>, ArchiveError> {
        let Some(entry) = library.projects().get(handle.project) else {
            return Ok(None);
        };
        let files = files_at(&self.pool, handle, time)?;
        let files: Vec<&(usize, FoundFile)> = files.iter().collect();
        let read = library.catalog.assemble(entry, &files, &[], Depth::Words);
        let mut sessions = read.sessions.into_iter();
        Ok(sessions.find(|session| session.reference == handle.reference))
    }
}

/// The files of a session with the bytes of their last versions at that time.
fn files_at(
    pool: &Arc<Pool>,
    handle: &Handle,
    time: i64,
) -> Result<Vec<(usize, FoundFile)>, ArchiveError> {
    pool.with(|connection| {
        let mut statement = connection.prepare_cached(
            "SELECT id, bytes, modified FROM version WHERE file = ?1 AND seen <= ?2
             ORDER BY id DESC LIMIT 1",
        )?;
        let mut files = Vec::new();
        for (home, file) in &handle.files {
            let Some(archived) = file.versions.archived else {
                continue;
            };
            let mut rows = statement.query((archived.file, time))?;
            if let Some(row) = rows.next()? {
                let kept = stored::version(pool, row.get(0)?, row.get(1)?);
                files.push((*home, as_it_was(file, kept, row.get(2)?)));
            }
        }
        Ok(files)
    })
}

/// A file with the bytes and the modification time of one of its versions.
fn as_it_was(file: &FoundFile, kept: Arc<dyn Kept>, modified: i64) -> FoundFile {
    FoundFile {
        bytes: kept.bytes(),
        modified: tree::time(modified),
        versions: Versions {
            latest: Some(kept),
            earlier: Vec::new(),
            archived: file.versions.archived,
            session: file.versions.session.clone(),
        },
        ..file.clone()
    }
}

/// The current and former versions of a file, newest first, without those that a later one repeats.
fn versions_of(
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

/// The part of a session that a version has.
struct Held {
    /// Ids of all messages that were ever recorded.
    ids: HashSet<String>,
    /// The ids of messages that are shown.
    messages: Vec<String>,
    /// True if it is append-only, so that anything it lacks was lost.
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

/// True if a version is only the remainder of an older one.
fn is_rest((file, held): (&FoundFile, &Held), (older, more): (&FoundFile, &Held)) -> bool {
    let adds_nothing = held.is_log && held.ids.is_subset(&more.ids);
    is_prefix(file, older) || adds_nothing && !is_prefix(older, file)
}

/// True if a version names a session other than the restored one and its subagents.
fn is_of_another(version: &FoundFile, journal: &SourceJournal, key: &SessionKey) -> bool {
    let Some(id) = journal.recorded_id() else {
        return false;
    };
    let named = SessionKey::known(&version.kind, id.to_owned(), &journal.path);
    named != *key && named.parent.as_deref() != Some(key.id.as_str())
}

/// True if a version is a prefix of another.
fn is_prefix(version: &FoundFile, other: &FoundFile) -> bool {
    let compare = || -> io::Result<bool> { begins_with(other.open()?, version.open()?) };
    version.bytes < other.bytes && compare().unwrap_or(false)
}
