//! The files of a session in earlier versions.

use std::io::{self, Read};
use std::path::{Component, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use gemtrail_core::model::Session;
use rusqlite::OptionalExtension as _;

use crate::db::ArchiveError;
use crate::db::ids::VersionRowId;
use crate::db::pool::Pool;
use crate::discover::{FileKind, FoundFile};
use crate::library::{Handle, Library};
use crate::load::Depth;
use crate::raw::{stored, versions};
use crate::source::begins_with;
use crate::source::{Kept, Versions};

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
    /// When it was last modified.
    pub modified: Option<SystemTime>,
    /// How many messages the file has lost since, if it was damaged or changed and this is an
    /// earlier version.
    pub lost: Option<usize>,
    bytes: u64,
    file: FoundFile,
}

impl KeptFile {
    pub(super) fn new(library: &Library, home: usize, file: &FoundFile) -> Option<Self> {
        let sessions = &library.homes().get(home)?.home.sessions;
        let inside = file.path.strip_prefix(sessions).ok()?;
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
            bytes: file.bytes,
            file: file.clone(),
        })
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads the bytes from the start.
    pub fn open(&self) -> io::Result<impl Read + use<>> {
        self.file.open()
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

/// The journals of a session as of the last sync before a time, in milliseconds since 1970.
/// Journals not seen by then are left out.
pub(crate) fn journals_at(
    pool: &Arc<Pool>,
    library: &Library,
    handle: &Handle,
    time: i64,
) -> Result<Vec<KeptFile>, ArchiveError> {
    let mut files = Vec::new();
    for (home, file) in &handle.files {
        let Some(then) = file_at(pool, file, time)? else {
            continue;
        };
        files.extend(KeptFile::new(library, *home, &then));
    }
    Ok(files)
}

/// The session as of the last sync before a time.
pub(crate) fn session_at(
    pool: &Arc<Pool>,
    library: &Library,
    handle: &Handle,
    time: i64,
) -> Result<Option<Session>, ArchiveError> {
    let Some(entry) = library.projects().get(handle.project) else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for (home, file) in &handle.files {
        files.extend(file_at(pool, file, time)?.map(|file| (*home, file)));
    }
    let files: Vec<&(usize, FoundFile)> = files.iter().collect();
    let read = library.catalog.assemble(entry, &files, &[], Depth::Words);
    let sessions = read.sessions;
    let is_it = |session: &Session| session.reference == handle.reference;
    Ok(sessions.into_iter().find(is_it))
}

/// A file with the bytes of its last version at that time.
fn file_at(
    pool: &Arc<Pool>,
    file: &FoundFile,
    time: i64,
) -> Result<Option<FoundFile>, ArchiveError> {
    let Some(archived) = file.versions.archived else {
        return Ok(None);
    };
    let version: Option<(VersionRowId, u64, i64)> = pool.with(|connection| {
        let mut statement = connection.prepare_cached(
            "SELECT id, bytes, modified FROM version WHERE file = ?1 AND seen <= ?2
             ORDER BY id DESC LIMIT 1",
        )?;
        let row = statement.query_row((archived.file, time), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        });
        Ok::<_, ArchiveError>(row.optional()?)
    })?;
    Ok(version.map(|(version, bytes, modified)| {
        as_it_was(file, stored::version(pool, version, bytes), modified)
    }))
}

/// A file with the bytes and the modification time of one of its versions.
pub(super) fn as_it_was(file: &FoundFile, kept: Arc<dyn Kept>, modified: i64) -> FoundFile {
    FoundFile {
        bytes: kept.bytes(),
        modified: versions::time(modified),
        versions: Versions {
            latest: Some(kept),
            earlier: Vec::new(),
            archived: file.versions.archived,
            session: file.versions.session.clone(),
        },
        ..file.clone()
    }
}
