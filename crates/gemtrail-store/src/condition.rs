//! The condition of a journal: what a check-up wants to know of its content.

use gemtrail_core::SourceJournal;
use gemtrail_core::model::{Code, Format};

use crate::versions::LoadedJournal;

/// What a journal says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The session that it belongs to.
    pub(crate) session: String,
    pub(crate) format: Format,
    /// `projectHash`, as recorded.
    pub(crate) project_hash: Option<String>,
    /// When it was started, as recorded.
    pub(crate) started: Option<String>,
    /// When it was last updated, as recorded.
    pub(crate) updated: Option<String>,
    /// Whether anything was ever said in it.
    pub(crate) has_conversation: bool,
    pub(crate) has_checkpoints: bool,
    /// Whether it may name files with outputs.
    pub(crate) may_name_outputs: bool,
    /// How many processes started writing to it.
    pub(crate) starts: usize,
    /// Why Gemini CLI would not list it, if so.
    pub(crate) rejection: Option<Rejection>,
}

/// Why Gemini CLI does not list a file. Unlisted files are deleted at the next start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It cannot be loaded.
    Damaged,
    /// It does not say which session it is.
    NoSession,
    /// A subagent's file next to the main ones, as written by 0.31 to 0.36.
    Subagent,
    /// Nothing in it is worth resuming.
    NothingToResume,
}

impl Condition {
    pub(crate) fn of(loaded: &LoadedJournal<'_>) -> Self {
        let log = &loaded.journal.log;
        let metadata = log.metadata();
        Self {
            session: loaded.key().id,
            format: log.format(),
            project_hash: metadata.project_hash.clone(),
            started: metadata.started.clone(),
            updated: metadata.updated.clone(),
            has_conversation: log.has_conversation(),
            has_checkpoints: log.has_checkpoints(),
            may_name_outputs: loaded.may_name_outputs,
            starts: log.starts(),
            rejection: rejection(&loaded.journal),
        }
    }
}

/// The listing rules of 0.47 and later.
pub(crate) fn rejection(journal: &SourceJournal) -> Option<Rejection> {
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
