//! The contents of a home: project directories and their files.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use gemtrail_core::Fingerprint;
use gemtrail_core::model::{Code, Diagnostic};

use crate::home::Home;
use crate::paths::text_of;
use crate::source::{
    FileRowId, Opened, Stat, VersionRowId, Versions, is_hollow, open_regular, read_kept, read_small,
};

/// The kind of a file, by its location and name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `chats/session-*.json[l]`.
    Journal,
    /// `chats/<parent>/*.json[l]`.
    Subagent {
        /// The parent's session id, from the directory's name.
        parent: String,
    },
    /// `chats/*.jsonl.unreadable-*`: old bytes that Gemini CLI set aside.
    UnreadableJournal,
    /// `checkpoint-<tag>.json` and `checkpoint.json` of `/chat save`.
    Checkpoint {
        /// The tag, decoded; empty for `checkpoint.json`.
        tag: String,
    },
    /// `checkpoints/*.json` of `/restore`.
    RestorePoint,
    /// `logs.json`.
    PromptLog,
    /// `logs.json.*.bak`.
    PromptLogBackup,
    /// `shell_history`.
    ShellHistory,
    /// `tool-outputs/**` and the older `<callId>.output` and `<tool>_<callId>.txt`.
    ToolOutput {
        /// The session, if the path names it.
        session: Option<String>,
    },
    /// Plan mode documents.
    Plan {
        /// The session, if the path names it.
        session: Option<String>,
    },
    /// `.project_root`, in a project directory or in its namesake below `history`.
    Marker,
    /// `projects.json`.
    Registry,
    /// `trustedFolders.json`.
    TrustedFolders,
    /// What a conversation of Antigravity is read from.
    Conversation {
        /// The directory of the program that held it.
        application: String,
        /// Its id.
        id: String,
    },
    /// Another file of such a conversation.
    ConversationFile {
        /// The directory of the program that held it.
        application: String,
        /// Its id.
        id: String,
    },
}

impl FileKind {
    /// True if such a file holds messages of a session.
    pub fn is_journal(&self) -> bool {
        matches!(
            self,
            Self::Journal
                | Self::Subagent { .. }
                | Self::UnreadableJournal
                | Self::Conversation { .. }
        )
    }

    /// True for a file of Gemini CLI.
    pub fn is_of_gemini_cli(&self) -> bool {
        !matches!(
            self,
            Self::Conversation { .. } | Self::ConversationFile { .. }
        )
    }

    /// True for what a conversation of Antigravity is read from.
    pub fn is_conversation(&self) -> bool {
        matches!(self, Self::Conversation { .. })
    }
}

/// One file that belongs to a project directory.
#[derive(Clone, Debug)]
pub struct FoundFile {
    /// Its path.
    pub path: PathBuf,
    /// Its kind.
    pub kind: FileKind,
    /// Its size.
    pub bytes: u64,
    /// The time of its last change.
    pub modified: Option<std::time::SystemTime>,
    /// True if it exists now.
    pub on_disk: bool,
    /// Its state when it was found.
    pub stat: Stat,
    /// What an archive has of it.
    pub versions: Versions,
}

/// An entry as its directory shows it.
pub(super) struct Seen {
    pub(super) is_file: bool,
    pub(super) is_dir: bool,
    modified: Option<std::time::SystemTime>,
    stat: Stat,
}

impl Seen {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            is_file: metadata.is_file() && !is_hollow(metadata),
            is_dir: metadata.is_dir(),
            modified: metadata.modified().ok(),
            stat: Stat::of(metadata),
        }
    }
}

impl FoundFile {
    pub(super) fn new(path: PathBuf, kind: FileKind, seen: &Seen) -> Self {
        Self {
            path,
            kind,
            bytes: seen.stat.bytes,
            modified: seen.modified,
            on_disk: true,
            stat: seen.stat,
            versions: Versions::default(),
        }
    }

    /// Takes the log of a database for a part of it.
    pub(super) fn add_log(&mut self, log: &Metadata) {
        self.stat = self.stat.with_log(&Stat::of(log));
        self.bytes = self.stat.bytes;
        self.modified = self.modified.max(log.modified().ok());
    }

    /// The rows of the file and of its last version in an index: those of the archive, or else ones
    /// made from its path and its state.
    pub fn rows(&self) -> (FileRowId, VersionRowId) {
        if let Some(archived) = self.versions.archived {
            return (archived.file, archived.version);
        }
        let path = self.path.as_os_str().as_encoded_bytes();
        let stat = format!("{:?}", self.stat);
        // Rows of an archive are positive.
        let row = |bytes: &[u8]| -(Fingerprint::of(bytes).short() >> 1).cast_signed() - 1;
        (FileRowId(row(path)), VersionRowId(row(stat.as_bytes())))
    }

    /// A file at a fixed path, if it exists.
    pub fn at(path: &Path, kind: FileKind) -> Option<Self> {
        let seen = Seen::of(&fs::metadata(path).ok()?);
        seen.is_file
            .then(|| Self::new(path.to_owned(), kind, &seen))
    }

    /// Opens the current file, or its last version.
    pub fn open(&self) -> io::Result<Opened> {
        match &self.versions.latest {
            None => open_regular(&self.path),
            Some(kept) => kept.open().map(Opened::Kept),
        }
    }

    /// Reads a small file in full.
    pub fn read_small(&self) -> io::Result<Vec<u8>> {
        match &self.versions.latest {
            None => read_small(&self.path),
            Some(kept) => read_kept(kept.as_ref()),
        }
    }

    /// Reads a small file and its earlier versions, oldest first. Unreadable versions are left out.
    pub(crate) fn read_small_versions(&self) -> Vec<Vec<u8>> {
        let earlier = self.versions.earlier.iter();
        let earlier = earlier.filter_map(|kept| read_kept(kept.as_ref()).ok());
        earlier.chain(self.read_small().ok()).collect()
    }
}

/// One directory below `tmp`.
#[derive(Clone, Debug)]
pub struct ProjectDir {
    /// Its name: a hash or a slug.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// The files in it that gemtrail recognises.
    pub files: Vec<FoundFile>,
    /// The files that name its root path, the authoritative one first.
    pub markers: Vec<FoundFile>,
}

/// Everything found in one home.
#[derive(Clone, Debug)]
pub struct Found {
    /// The home.
    pub home: Home,
    /// Its project directories, by name.
    pub projects: Vec<ProjectDir>,
    /// Its registry of projects.
    pub registry: Option<FoundFile>,
    /// Its list of trusted folders.
    pub trusted_folders: Option<FoundFile>,
    /// Anything unusual.
    pub diagnostics: Vec<Diagnostic>,
    /// Its machine, if an archive knows it.
    pub host: Option<String>,
    /// Its account, if an archive knows it.
    pub user: Option<String>,
    /// True if an archive attributes this home on disk to that machine and account.
    pub is_adopted: bool,
}

impl Found {
    /// A home that nobody has looked into.
    pub fn unseen(home: &Home) -> Self {
        Self {
            home: home.clone(),
            projects: Vec::new(),
            registry: None,
            trusted_folders: None,
            diagnostics: Vec::new(),
            host: None,
            user: None,
            is_adopted: false,
        }
    }

    /// The home itself.
    #[must_use]
    pub fn without_projects(&self) -> Self {
        Self {
            registry: self.registry.clone(),
            trusted_folders: self.trusted_folders.clone(),
            diagnostics: self.diagnostics.clone(),
            host: self.host.clone(),
            user: self.user.clone(),
            is_adopted: self.is_adopted,
            ..Self::unseen(&self.home)
        }
    }

    /// All files, each with the name of its project directory.
    pub fn files(&self) -> impl Iterator<Item = (Option<&str>, &FoundFile)> {
        let of_home = self.registry.iter().chain(&self.trusted_folders);
        let of_projects = self.projects.iter().flat_map(|project| {
            let name = Some(project.name.as_str());
            let files = project.files.iter().chain(&project.markers);
            files.map(move |file| (name, file))
        });
        of_home.map(|file| (None, file)).chain(of_projects)
    }

    /// A path below the home, without that of the home.
    pub fn below<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.home.root).unwrap_or(path)
    }

    /// The project directory with this name that a file is in. Its name may be no text.
    pub fn project_dir(&self, name: &str, file: &Path) -> PathBuf {
        let sessions = &self.home.sessions;
        let below = file.strip_prefix(sessions).ok();
        let first = below.and_then(|below| below.components().next());
        let own = first.map(|first| sessions.join(first));
        let own = own.filter(|dir| dir.file_name().is_some_and(|it| text_of(it) == name));
        own.unwrap_or_else(|| sessions.join(name))
    }

    /// Directories and files that could not be accessed, links that could not be followed.
    pub fn unreadable(&self) -> impl Iterator<Item = &Diagnostic> {
        let diagnostics = self.diagnostics.iter();
        diagnostics.filter(|it| matches!(it.code, Code::Unreadable | Code::SymlinkLoop))
    }

    /// True if a file that was not found is really gone: it may be in an unreadable directory, or
    /// have appeared since.
    pub fn is_gone(&self, path: &Path) -> bool {
        let mut hidden = self.unreadable().filter_map(|it| it.journal.as_deref());
        !hidden.any(|place| path.starts_with(place)) && !path.is_file()
    }
}
