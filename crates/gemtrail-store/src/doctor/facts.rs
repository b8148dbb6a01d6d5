//! What the doctor needs to know about each journal, collected before journals are joined into
//! sessions.

use std::path::{Path, PathBuf};

use gemtrail_core::model::Format;
use gemtrail_core::time;
use jiff::Timestamp;

use crate::condition::{Condition, Rejection};
use crate::discover::{FileKind, FoundFile};
use crate::versions::LoadedJournal;

/// One journal.
#[derive(Debug)]
pub(super) struct JournalFacts {
    /// The index of its home.
    pub(super) home: usize,
    pub(super) path: PathBuf,
    pub(super) kind: FileKind,
    pub(super) bytes: u64,
    pub(super) format: Format,
    /// The session that it belongs to.
    pub(super) session: String,
    /// `projectHash`, as recorded.
    pub(super) project_hash: Option<String>,
    pub(super) started: Option<Timestamp>,
    /// When it was last updated, by Gemini CLI's rules.
    pub(super) updated: Option<Timestamp>,
    /// Whether anything was ever said in it.
    pub(super) has_conversation: bool,
    pub(super) has_checkpoints: bool,
    pub(super) may_name_outputs: bool,
    /// How many processes started writing to it.
    pub(super) starts: usize,
    /// Why Gemini CLI would not list it, if so.
    pub(super) rejection: Option<Rejection>,
}

impl Rejection {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Damaged => "Gemini CLI cannot load it",
            Self::NoSession => "it does not say which session and project it is of",
            Self::Subagent => "it is a subagent's file among the main ones",
            Self::NothingToResume => "Gemini CLI finds nothing in it that is worth resuming",
        }
    }
}

impl JournalFacts {
    pub(super) fn of(loaded: &LoadedJournal<'_>) -> Self {
        let (file, bytes) = (loaded.file, loaded.journal.bytes);
        Self::new(loaded.home, file, bytes, Condition::of(loaded))
    }

    /// A file of so many bytes in this condition.
    pub(super) fn new(home: usize, file: &FoundFile, bytes: u64, condition: Condition) -> Self {
        let instant = |text: &Option<String>| text.as_deref().and_then(time::parse);
        let changed = file.modified.and_then(|at| Timestamp::try_from(at).ok());
        let started = instant(&condition.started);
        Self {
            home,
            path: file.path.clone(),
            kind: file.kind.clone(),
            bytes,
            format: condition.format,
            started,
            updated: instant(&condition.updated).or(started).or(changed),
            session: condition.session,
            project_hash: condition.project_hash,
            has_conversation: condition.has_conversation,
            has_checkpoints: condition.has_checkpoints,
            may_name_outputs: condition.may_name_outputs,
            starts: condition.starts,
            rejection: condition.rejection,
        }
    }

    /// The name of its directory below `tmp`, for a journal directly in `chats`.
    pub(super) fn project_dir(&self) -> Option<&Path> {
        self.path.parent()?.parent()
    }

    /// The eight characters by which Gemini CLI groups files into sessions.
    pub(super) fn suffix(&self) -> Option<&str> {
        let stem = gemtrail_core::stem_of(self.path.to_str()?);
        let (_, suffix) = stem.rsplit_once('-')?;
        let is_short_id = suffix.len() == 8 && suffix.bytes().all(|b| b.is_ascii_alphanumeric());
        is_short_id.then_some(suffix)
    }

    /// Which releases last wrote to it, as far as its content shows.
    pub(super) fn era(&self) -> Option<&'static str> {
        match self.format {
            Format::Json => Some("0.4-0.38"),
            Format::Jsonl if self.has_checkpoints => Some("0.44+"),
            Format::Jsonl => Some("0.39-0.43"),
            _ => None,
        }
    }

    /// Whether it is where Gemini CLI lists sessions.
    pub(super) fn is_main(&self) -> bool {
        self.kind == FileKind::Journal
    }
}
