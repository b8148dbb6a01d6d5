//! What the doctor needs to know about each journal, collected before journals are joined into
//! sessions.

use std::path::PathBuf;

use gemtrail_core::model::{CleanUpFacts, Format};
use gemtrail_core::time;
use gemtrail_home::discover::FileKind;
use gemtrail_home::versions::LoadedJournal;
use jiff::Timestamp;

use super::fate::ListedFile;

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
    pub(super) clean_up: CleanUpFacts,
    pub(super) has_checkpoints: bool,
    pub(super) may_name_outputs: bool,
    /// The number of processes that started writing to it.
    pub(super) starts: usize,
}

impl JournalFacts {
    pub(super) fn of(loaded: &LoadedJournal<'_>) -> Self {
        let (file, log) = (loaded.file, &loaded.journal.log);
        let metadata = log.metadata();
        let instant = |text: &Option<String>| text.as_deref().and_then(time::parse);
        let changed = file.modified.and_then(|at| Timestamp::try_from(at).ok());
        let clean_up = log.clean_up();
        Self {
            home: loaded.home,
            path: file.path.clone(),
            kind: file.kind.clone(),
            bytes: loaded.journal.bytes,
            format: log.format(),
            session: loaded.key().id,
            project_hash: metadata.project_hash.clone(),
            started: instant(&metadata.started),
            clean_up: CleanUpFacts {
                updated: clean_up.updated.or(changed),
                ..clean_up
            },
            has_checkpoints: log.has_checkpoints(),
            may_name_outputs: loaded.may_name_outputs,
            starts: log.starts(),
        }
    }

    /// The file as Gemini CLI's clean-up sees it.
    pub(super) fn listed(&self) -> ListedFile<'_> {
        ListedFile {
            path: &self.path,
            session: &self.session,
            facts: self.clean_up,
        }
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
}
