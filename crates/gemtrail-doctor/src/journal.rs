//! What the doctor needs to know about each journal, collected before journals are joined into
//! sessions.

use std::path::{Path, PathBuf};

use gemtrail_core::SourceJournal;
use gemtrail_core::model::{Code, Format};
use gemtrail_core::time;
use gemtrail_home::discover::FileKind;
use gemtrail_home::versions::LoadedJournal;
use jiff::Timestamp;

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
    /// The time of its last update, by Gemini CLI's rules.
    pub(super) updated: Option<Timestamp>,
    /// True if anything was ever said in it.
    pub(super) has_conversation: bool,
    pub(super) has_checkpoints: bool,
    pub(super) may_name_outputs: bool,
    /// The number of processes that started writing to it.
    pub(super) starts: usize,
    /// The reason why Gemini CLI would not list it, if so.
    pub(super) rejection: Option<Rejection>,
}

impl JournalFacts {
    pub(super) fn of(loaded: &LoadedJournal<'_>) -> Self {
        let (file, log) = (loaded.file, &loaded.journal.log);
        let metadata = log.metadata();
        let instant = |text: &Option<String>| text.as_deref().and_then(time::parse);
        let changed = file.modified.and_then(|at| Timestamp::try_from(at).ok());
        let started = instant(&metadata.started);
        Self {
            home: loaded.home,
            path: file.path.clone(),
            kind: file.kind.clone(),
            bytes: loaded.journal.bytes,
            format: log.format(),
            session: loaded.key().id,
            project_hash: metadata.project_hash.clone(),
            started,
            updated: instant(&metadata.updated).or(started).or(changed),
            has_conversation: log.has_conversation(),
            has_checkpoints: log.has_checkpoints(),
            may_name_outputs: loaded.may_name_outputs,
            starts: log.starts(),
            rejection: rejection(&loaded.journal),
        }
    }

    /// The directory of its project, for a journal directly in `chats`.
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

    /// The releases that last wrote to it, as far as its content shows.
    pub(super) fn era(&self) -> Option<&'static str> {
        match self.format {
            Format::Json => Some("0.4-0.38"),
            Format::Jsonl if self.has_checkpoints => Some("0.44+"),
            Format::Jsonl => Some("0.39-0.43"),
            _ => None,
        }
    }

    /// True if a resume may have left it: nothing was ever said in it.
    pub(super) fn is_stray(&self) -> bool {
        self.rejection == Some(Rejection::NothingToResume) && !self.has_conversation
    }
}

/// A reason why Gemini CLI does not list a file. Unlisted files are deleted at the next start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// It cannot be loaded.
    Damaged,
    /// It does not say which session it is.
    NoSession,
    /// A subagent's file next to the main ones, as written by 0.31 to 0.36.
    Subagent,
    /// Nothing in it is worth resuming.
    NothingToResume,
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

/// The listing rules of 0.47 and later.
pub(super) fn rejection(journal: &SourceJournal) -> Option<Rejection> {
    let log = &journal.log;
    let metadata = log.metadata();
    let says = |wanted: &[Code]| {
        let mut codes = log.diagnostics().iter().map(|diagnostic| diagnostic.code);
        codes.any(|code| wanted.contains(&code))
    };
    // The mark breaks the first line, or all of a plain JSON record.
    let damaged = says(&[Code::ByteOrderMark])
        || match log.format() {
            Format::Json => says(&[Code::TruncatedFile, Code::BadJson, Code::TrailingBytes]),
            Format::Jsonl => false,
            _ => true,
        };
    if damaged {
        Some(Rejection::Damaged)
    } else if metadata.session_id.is_none()
        || (log.format() == Format::Jsonl && metadata.project_hash.is_none())
    {
        Some(Rejection::NoSession)
    } else if metadata.kind.as_deref() == Some("subagent") {
        Some(Rejection::Subagent)
    } else if !log.is_resumable() {
        Some(Rejection::NothingToResume)
    } else {
        None
    }
}
