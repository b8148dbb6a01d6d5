//! What the archive has of what is on disk, and of what is not.

use std::path::Path;

use serde::Serialize;

use super::Report;
use super::when;
use crate::archive::{Archive, ArchiveError, Machine, WatchLock};
use crate::discover::Found;
use crate::library::Library;
use crate::paths::text_of;
use crate::raw::changes::Lacking;
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

impl ArchiveReport {
    fn of(archive: &Archive, lacking: &Lacking) -> Result<Self, ArchiveError> {
        let extent = archive.extent()?;
        let last = extent.last_sync;
        let last = last.and_then(|it| Timestamp::from_millisecond(it).ok());
        Ok(Self {
            path: text_of(archive.path()).into_owned(),
            bytes: extent.bytes,
            sessions: extent.sessions.saturating_sub(extent.subagents),
            subagents: extent.subagents,
            last_sync: last.map(when),
            watched: WatchLock::is_held(archive.path()),
            files_behind: lacking.to_take.len() as u64,
            bytes_behind: lacking.bytes,
        })
    }
}

impl Report {
    /// Adds what the archive at a path has of all this.
    pub fn add_archive(
        &mut self,
        path: &Path,
        disk: &Library,
        at: &Machine,
    ) -> Result<(), ArchiveError> {
        let archive = Archive::open(path)?;
        let mut found: Vec<Found> = disk.homes().to_vec();
        archive.adopt(&mut found, at)?;
        let lacking = archive.lacking(&found, at)?;
        let report = ArchiveReport::of(&archive, &lacking)?;
        if !self.lost.is_empty() {
            let sessions = archive.sessions_with_journals()?;
            for lost in &mut self.lost {
                let id = lost.session.as_ref();
                lost.archived = Some(id.is_some_and(|id| sessions.contains(id.as_str())));
            }
        }
        for risk in &mut self.retention.at_risk {
            let mut journals = risk.journals.iter();
            risk.archived = Some(journals.all(|it| !lacking.paths.contains(Path::new(&it.path))));
        }
        self.archive = Some(report);
        Ok(())
    }
}
