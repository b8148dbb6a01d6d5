//! Combines homes and archive into one library.

use super::{ArchiveNeed, ArchiveOptions, Notice, Trail, TrailError};
use crate::archive::{
    Archive, ArchiveError, ArchiveWriter, Compared, Sight, Snapshot, SyncOptions,
};
use crate::discover::{Found, discover};
use crate::{Hints, Home, Library};

/// Larger changes are not taken in on the way: that would delay the command too much.
const QUICK_BYTES: u64 = 4 << 20;
const QUICK_FILES: usize = 200;

/// What was opened.
pub(super) struct Opened {
    pub(super) archive: Option<Archive>,
    pub(super) library: Library,
}

impl Trail {
    /// Reads everything at the time in the options, or what the archive has if that is enough.
    pub(super) fn first_look(&self, notices: &mut Vec<Notice>) -> Result<Opened, TrailError> {
        let archive = self.options.archive.as_ref();
        let archive = archive.filter(|it| self.options.shows_archive_first && it.path.exists());
        if let Some(options) = archive
            && let Ok(Some(opened)) = archived(options, &self.options.places.homes()?)
        {
            return Ok(opened);
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
    ) -> Result<Opened, TrailError> {
        if let Some(mut options) = self.options.archive.clone() {
            if let Some(now) = now {
                options.now = now;
                // What was needed at first is there.
                options.prefetch = None;
            }
            options.may_sync &= !self.options.read_only;
            if options.need != ArchiveNeed::IfThere || options.path.exists() {
                let homes = self.options.places.homes()?;
                match open(&options, &homes, hints, notices) {
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
        Ok(Opened {
            archive: None,
            library: Library::open_with(&self.options.places, hints)?,
        })
    }
}

/// What the archive has, if its views are up to date with its files.
fn archived(options: &ArchiveOptions, homes: &[Home]) -> Result<Option<Opened>, ArchiveError> {
    let archive = Archive::open(&options.path)?;
    let mut found: Vec<Found> = homes.iter().map(Found::unseen).collect();
    archive.adopt(&mut found, &options.machine)?;
    let library = archive.as_it_was(found, &options.machine)?;
    Ok(library.map(|library| Opened {
        archive: Some(archive),
        library,
    }))
}

fn open(
    options: &ArchiveOptions,
    homes: &[Home],
    hints: &Hints,
    notices: &mut Vec<Notice>,
) -> Result<Opened, ArchiveError> {
    let path = &options.path;
    let archive = match Archive::open(path) {
        // Its views cannot be read, so it is upgraded if that is allowed.
        Err(ArchiveError::Older { .. }) if options.may_sync => {
            drop(ArchiveWriter::try_open(path)?);
            Archive::open(path)?
        }
        opened => opened?,
    };
    if let Some(what) = options.prefetch {
        archive.prefetch(what);
    }
    let sights: Vec<Sight> = homes.iter().map(Sight::of).collect();
    let is_whole = sights.iter().all(|sight| sight.is_whole);
    let (mut found, digests): (Vec<Found>, Vec<Vec<u8>>) =
        sights.into_iter().map(|it| (it.found, it.digest)).unzip();
    archive.adopt(&mut found, &options.machine)?;
    let looked_up = |found: &[Found]| {
        let homes = found.iter().zip(digests.iter().map(Vec::as_slice));
        archive.looked_up(&homes.collect::<Vec<_>>(), &options.machine, hints)
    };
    let library = if let Some(library) = looked_up(&found)? {
        library
    } else {
        if !is_whole {
            found = homes.iter().map(discover).collect();
            archive.adopt(&mut found, &options.machine)?;
        }
        let compared = up_to_date(&archive, &found, options, hints, notices)?;
        // What was taken in just now can be looked up from now on.
        match looked_up(&found)? {
            Some(library) => library,
            None => archive.library(compared, found, &options.machine, hints)?,
        }
    };
    Ok(Opened {
        archive: Some(archive),
        library,
    })
}

/// The snapshot after taking in what is new, if that is quick and no other process is writing.
fn up_to_date(
    archive: &Archive,
    found: &[Found],
    options: &ArchiveOptions,
    hints: &Hints,
    notices: &mut Vec<Notice>,
) -> Result<Compared, ArchiveError> {
    let current = |snapshot| Compared {
        snapshot,
        is_current: true,
    };
    let behind = |snapshot: &Snapshot, found: &[Found]| {
        let behind = snapshot.behind(found, &options.machine).unwrap_or_default();
        let is_due = behind.is_due() || !snapshot.knows_paths(hints);
        (behind, is_due)
    };
    let mut snapshot = archive.snapshot()?;
    let is_fresh = archive.is_fresh()?;
    let (mut news, is_due) = behind(&snapshot, found);
    if is_fresh && !is_due {
        return Ok(current(snapshot));
    }
    if options.may_sync {
        // Opening an archive must not add another home to it.
        let is_known = |found: &&Found| snapshot.knows_home(found, &options.machine);
        let known: Vec<Found> = found.iter().filter(is_known).cloned().collect();
        let (of_known, is_due) = if is_fresh {
            behind(&snapshot, &known)
        } else {
            // A run was interrupted, or another version of gemtrail wrote it.
            (snapshot.everything(), true)
        };
        let is_quick = of_known.bytes <= QUICK_BYTES && of_known.files <= QUICK_FILES;
        if is_due && is_quick {
            let sync = SyncOptions {
                hints: hints.clone(),
                ..options.sync_options()
            };
            let taken = ArchiveWriter::try_open(archive.path())
                .and_then(|mut writer| writer.sync(&known, &sync, &mut |_| {}));
            match taken {
                Ok(_) => {
                    snapshot = archive.snapshot()?;
                    let is_due;
                    (news, is_due) = behind(&snapshot, found);
                    if !is_due && archive.is_fresh()? {
                        return Ok(current(snapshot));
                    }
                }
                Err(error) => notices.push(Notice::NotTakenIn(error)),
            }
        }
    }
    notices.push(match news.files {
        0 => Notice::OutOfDate,
        files => Notice::Behind(files),
    });
    Ok(Compared {
        snapshot,
        is_current: false,
    })
}
