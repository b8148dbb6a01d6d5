//! What the archive has of what is on disk, and of what is not.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Report;
use super::when;
use crate::archive::{Archive, ArchiveError, WatchLock, Whereabouts};
use crate::discover::Found;
use crate::library::Library;
use crate::spelled::text_of;
use jiff::Timestamp;

/// The archive, as far as the doctor is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchiveReport {
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Sessions that it has, without subagents.
    pub sessions: u64,
    /// Subagents that it has.
    pub subagents: u64,
    /// When it was last brought up to date; null if that is not known.
    pub last_sync: Option<String>,
    /// Whether a process keeps it up to date all the time.
    pub watched: bool,
    /// Files on disk that it lacks, or has in an earlier state.
    pub files_behind: u64,
    /// How much of them it lacks.
    pub bytes_behind: u64,
}

/// What the archive has.
pub(super) struct Kept {
    pub(super) report: ArchiveReport,
    /// Files on disk that it has as they are.
    files: HashSet<PathBuf>,
    /// The ids of sessions of which it has a journal.
    sessions: HashSet<String>,
}

impl Kept {
    /// Compares an archive with what was found on disk.
    fn of(path: &Path, disk: &Library, at: &Whereabouts) -> Result<Self, ArchiveError> {
        let archive = Archive::open(path)?;
        let mut found: Vec<Found> = disk.homes().to_vec();
        archive.adopt(&mut found, at)?;
        let info = archive.info()?;
        let snapshot = archive.snapshot()?;
        let behind = snapshot.behind(&found, at).unwrap_or_default();
        let last = info
            .last_sync
            .and_then(|it| Timestamp::from_millisecond(it).ok());
        let report = ArchiveReport {
            path: text_of(path).into_owned(),
            bytes: info.bytes,
            sessions: info.sessions.saturating_sub(info.subagents),
            subagents: info.subagents,
            last_sync: last.map(when),
            watched: WatchLock::is_held(path),
            files_behind: behind.files as u64,
            bytes_behind: behind.bytes,
        };
        Ok(Self {
            report,
            files: snapshot.has_as_they_are(&found, at),
            sessions: archive.sessions_with_journals()?,
        })
    }
}

impl Report {
    /// Adds what the archive at a path has of all this.
    pub fn add_archive(
        &mut self,
        path: &Path,
        disk: &Library,
        at: &Whereabouts,
    ) -> Result<(), ArchiveError> {
        let kept = Kept::of(path, disk, at)?;
        for risk in &mut self.retention.at_risk {
            let mut journals = risk.journals.iter();
            risk.archived =
                Some(journals.all(|journal| kept.files.contains(Path::new(&journal.path))));
        }
        for lost in &mut self.lost {
            let id = lost.session.as_ref();
            lost.archived = Some(id.is_some_and(|id| kept.sessions.contains(id.as_str())));
        }
        self.archive = Some(kept.report);
        Ok(())
    }
}
