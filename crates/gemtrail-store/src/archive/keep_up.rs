//! Keeping an archive continuously up to date.

use std::path::Path;
use std::time::Duration;

use gemtrail_home::discover::{Found, discover};
use gemtrail_home::home::Home;

use super::open::{Archive, ArchiveWriter};
use crate::db::ArchiveError;
use crate::raw::options::SyncOptions;
use crate::raw::options::{Progress, SyncReport};

/// The time to wait before retrying while another process writes the archive.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// One look at the homes for an archive that is kept up to date.
pub struct KeepUp<'a> {
    /// The archive.
    pub path: &'a Path,
    /// The homes.
    pub homes: &'a [Home],
    /// The parameters of the sync.
    pub options: &'a SyncOptions,
    /// True if homes that the archive knows from another machine remain attributed to it.
    pub adopt: bool,
    /// Waits this long for another writer; returns whether to give up.
    pub pause: &'a dyn Fn(Duration) -> bool,
}

impl KeepUp<'_> {
    /// True if there is nothing to take in. Most scheduled looks end here, and this needs no lock.
    pub fn is_up_to_date(&self) -> Result<bool, ArchiveError> {
        match Archive::open(self.path) {
            Ok(archive) => {
                let mut found = self.found();
                let machine = &self.options.machine;
                if self.adopt {
                    archive.adopt(&mut found, machine)?;
                }
                archive.is_up_to_date(&found, self.options)
            }
            Err(
                ArchiveError::Missing { .. } | ArchiveError::Empty | ArchiveError::Older { .. },
            ) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Takes in what is new, once any other writer is done. `None` if waiting was given up.
    pub fn take_in(
        &self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<SyncReport>, ArchiveError> {
        let Some(mut writer) = self.writer()? else {
            return Ok(None);
        };
        // Only once the lock is held: the previous writer may have seen more, and what changed
        // meanwhile would not be reported again.
        let mut found = self.found();
        if self.adopt {
            writer.adopt(&mut found, &self.options.machine)?;
        }
        writer.sync(&found, self.options, progress).map(Some)
    }

    fn found(&self) -> Vec<Found> {
        self.homes.iter().map(discover).collect()
    }

    fn writer(&self) -> Result<Option<ArchiveWriter>, ArchiveError> {
        loop {
            match ArchiveWriter::try_open(self.path) {
                Err(ArchiveError::Busy) if (self.pause)(BUSY_PAUSE) => return Ok(None),
                Err(ArchiveError::Busy) => {}
                opened => return opened.map(Some),
            }
        }
    }
}
