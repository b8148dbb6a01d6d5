//! Opens a library: from the archive, once it is up to date, or from the disk.

use std::sync::Arc;
use std::time::Duration;

use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::{Found, discover};
use gemtrail_home::load::unreadable;
use gemtrail_home::source::why_unreadable;

use super::{ArchiveNeed, ArchiveOptions, Notice, Trail, TrailError};
use crate::archive::{Archive, ArchiveError, ArchiveWriter, SyncOptions};
use crate::raw::changes::Lacking;
use crate::{Hints, Home, Library};

/// The pause between two tries while another process writes the archive.
const PAUSE: Duration = Duration::from_millis(50);
/// The number of tries: two seconds in all.
const TRIES: usize = 40;

impl Trail {
    /// Reads what the archive has if that is enough at first, or else everything, at the time in the
    /// options.
    pub(super) fn first_look(&self, notices: &mut Vec<Notice>) -> Result<Library, TrailError> {
        let archive = self.options.archive.as_ref();
        let archive = archive.filter(|it| self.options.shows_archive_first && it.path.exists());
        if let Some(options) = archive
            && let Ok(archive) = Archive::open(&options.path)
            && archive.has_index()
        {
            let homes = self.options.places.homes()?;
            let mut found: Vec<Found> = homes.iter().map(Found::unseen).collect();
            let library = archive
                .adopt(&mut found, &options.machine)
                .and_then(|()| archive.library(&found, &options.machine, &self.hints()));
            if let Ok(library) = library {
                return Ok(library);
            }
        }
        // Whatever is wrong with the archive is said here.
        self.read_with(&self.hints(), None, notices)
    }

    /// Reads everything, with these hints for finding root paths.
    pub(super) fn read_with(
        &self,
        hints: &Hints,
        now: Option<i64>,
        notices: &mut Vec<Notice>,
    ) -> Result<Library, TrailError> {
        if let Some(mut options) = self.options.archive.clone() {
            options.now = now.unwrap_or(options.now);
            options.may_sync &= !self.options.read_only;
            if options.need != ArchiveNeed::IfThere || options.path.exists() {
                let homes = self.options.places.homes()?;
                let mut opened = open(&options, &homes, hints, notices);
                if let Err(ArchiveError::Damaged { .. }) = opened
                    && options.may_sync
                    && let Ok(report) = options.repair()
                {
                    notices.push(Notice::Repaired(report));
                    opened = open(&options, &homes, hints, notices);
                }
                match opened {
                    // It has just been created, or there is no room even to read it.
                    Err(
                        error @ (ArchiveError::Empty
                        | ArchiveError::Busy
                        | ArchiveError::DiskFull
                        | ArchiveError::NotWritten(_)),
                    ) if options.need != ArchiveNeed::Always => {
                        notices.push(Notice::DiskOnly(error));
                    }
                    opened => return opened.map_err(|error| options.failed(error)),
                }
            }
        }
        let found = self.options.places.homes()?.iter().map(discover).collect();
        let memory = self.memory().map(Arc::clone);
        Ok(Library::of_files(Catalog::of(found, hints), memory))
    }
}

fn open(
    options: &ArchiveOptions,
    homes: &[Home],
    hints: &Hints,
    notices: &mut Vec<Notice>,
) -> Result<Library, ArchiveError> {
    let mut found: Vec<Found> = homes.iter().map(discover).collect();
    let sync = SyncOptions {
        hints: hints.clone(),
        ..options.sync_options()
    };
    let machine = &options.machine;
    let (mut archive, mut lacking) = compare(options, &mut found)?;
    let is_due = match (&archive, &lacking) {
        // A damaged index is made anew.
        (Some(archive), Some(lacking)) => !archive.is_settled(lacking, &sync).unwrap_or(false),
        _ => true,
    };
    if is_due && options.may_sync {
        drop(archive);
        match catch_up(options, &mut found, &sync) {
            Err(error @ ArchiveError::Damaged { .. }) => return Err(error),
            Err(error) => notices.push(Notice::NotUpdated(error)),
            Ok(()) => {}
        }
        (archive, lacking) = compare(options, &mut found)?;
    }
    let archive = match archive {
        Some(archive) => archive,
        None => Archive::open(&options.path)?,
    };
    let library = archive.library(&found, machine, hints)?;
    // What could not be taken in because it cannot be read is missing from every answer.
    let unread = lacking.into_iter().flat_map(|lacking| lacking.to_take);
    let unread = unread.filter_map(|path| {
        let error = why_unreadable(&path)?;
        Some(unreadable(&path, &error))
    });
    Ok(library.with_diagnostics(unread.collect()))
}

/// Compares the archive with the homes that it knows; `None` if it has to be brought to the current
/// schema first.
fn compare(
    options: &ArchiveOptions,
    found: &mut [Found],
) -> Result<(Option<Archive>, Option<Lacking>), ArchiveError> {
    let archive = match Archive::open(&options.path) {
        Err(ArchiveError::Older { .. }) if options.may_sync => return Ok((None, None)),
        opened => opened?,
    };
    archive.adopt(found, &options.machine)?;
    let lacking = archive.lacking(found, &options.machine)?;
    Ok((Some(archive), Some(lacking)))
}

/// Brings the archive up to date with the homes that it knows.
fn catch_up(
    options: &ArchiveOptions,
    found: &mut [Found],
    sync: &SyncOptions,
) -> Result<(), ArchiveError> {
    let mut writer = ArchiveWriter::try_open(&options.path);
    for _ in 0..TRIES {
        if !matches!(writer, Err(ArchiveError::Busy)) {
            break;
        }
        std::thread::sleep(PAUSE);
        writer = ArchiveWriter::try_open(&options.path);
    }
    let mut writer = writer?;
    writer.adopt(found, &options.machine)?;
    // Opening an archive must not add another home to it.
    let known = writer.known_homes(found, &options.machine)?;
    writer.sync(&known, sync, &mut |progress| {
        if let Some(on_progress) = &options.on_progress {
            (on_progress.0)(progress);
        }
    })?;
    Ok(())
}
