//! How commands use the archive.

use std::path::{Path, PathBuf};

use gemtrail_store::archive::{
    Archive, ArchiveError, ArchiveWriter, Snapshot, SyncOptions, Whereabouts,
};
use gemtrail_store::{Found, Hints, Home, Library, discover};

use super::context::Context;
use crate::error::{CliError, Failure};
use crate::text::plural;

/// More than this is not taken in on the way: it would take longer than anybody likes to wait for
/// another command.
const QUICK_BYTES: u64 = 4 << 20;
const QUICK_FILES: usize = 200;

/// Codes of errors after which the disk alone is read.
const EMPTY: &str = "empty-archive";
const BUSY: &str = "archive-busy";

/// Everything that archive and disk have, or nothing if there is no archive to be used.
pub(super) fn open(context: &Context<'_>, hints: &Hints) -> Result<Option<Library>, CliError> {
    use crate::config::Source;
    let settings = context.settings;
    let Some(path) = settings.archive.value.as_deref() else {
        return Ok(None);
    };
    // Somebody who names an archive wants that one.
    let must_exist = matches!(settings.archive.source, Source::Option(_));
    if !settings.uses_archive || !must_exist && !path.exists() {
        return Ok(None);
    }
    match open_always(context, hints) {
        // It has just been made.
        Err(error) if matches!(error.code, EMPTY | BUSY) => {
            let what = error.error.root_cause();
            context
                .ui
                .note(&format!("{what}; the disk alone is read (gemtrail sync)"));
            Ok(None)
        }
        opened => opened.map(Some),
    }
}

/// Whether there could be an archive, and is none.
pub(super) fn is_worth_making(context: &Context<'_>) -> bool {
    let settings = context.settings;
    let path = settings.archive.value.as_deref();
    settings.uses_archive && path.is_some_and(|path| !path.exists())
}

/// Everything that archive and disk have.
pub(super) fn open_always(context: &Context<'_>, hints: &Hints) -> Result<Library, CliError> {
    let (_, library) = open_both(context, hints)?;
    Ok(library)
}

/// The same with the archive itself.
pub(super) fn open_both(
    context: &Context<'_>,
    hints: &Hints,
) -> Result<(Archive, Library), CliError> {
    let path = path(context)?;
    let archive = match Archive::open(path) {
        Ok(archive) => archive,
        // Nobody may write it now, and its views cannot be read.
        Err(ArchiveError::Older { .. }) if context.may_sync => match upgrade(path) {
            Ok(archive) => archive,
            Err(error) => return Err(failure(error, path)),
        },
        Err(error) => return Err(failure(error, path)),
    };
    if context.lists {
        archive.read_ahead(context.ui.json);
    }
    // The disk is looked through while the archive is read.
    let (snapshot, found) = std::thread::scope(|scope| {
        let snapshot = scope.spawn(|| archive.snapshot());
        let found = found(context);
        (snapshot.join(), found)
    });
    let mut found = found?;
    let snapshot = snapshot
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        .map_err(|error| failure(error, path))?;
    let whereabouts = here(context);
    archive
        .adopt(&mut found, &whereabouts)
        .map_err(|error| failure(error, path))?;
    let library = up_to_date(context, &archive, snapshot, &found, &whereabouts, hints)
        .and_then(|snapshot| archive.library(snapshot, found, &whereabouts, hints))
        .map_err(|error| failure(error, path))?;
    Ok((archive, library))
}

fn upgrade(path: &Path) -> Result<Archive, ArchiveError> {
    drop(ArchiveWriter::try_open(path)?);
    Archive::open(path)
}

/// What the archive knows after it took in what is new, if that is quick and nobody else is at it.
fn up_to_date(
    context: &Context<'_>,
    archive: &Archive,
    mut snapshot: Snapshot,
    found: &[Found],
    whereabouts: &Whereabouts,
    hints: &Hints,
) -> Result<Snapshot, ArchiveError> {
    let behind = |snapshot: &Snapshot, found: &[Found]| {
        let behind = snapshot.behind(found, whereabouts).unwrap_or_default();
        let is_due = behind.is_due() || !snapshot.knows_paths(hints);
        (behind, is_due)
    };
    let is_fresh = archive.is_fresh()?;
    let (_, is_due) = behind(&snapshot, found);
    if is_fresh && !is_due {
        return Ok(snapshot);
    }
    // Whoever looks into an archive does not mean to add another home to it.
    let is_known = |found: &&Found| snapshot.knows_home(found, whereabouts);
    let known: Vec<Found> = found.iter().filter(is_known).cloned().collect();
    let (news, is_due) = if is_fresh {
        behind(&snapshot, &known)
    } else {
        // A run was interrupted, or this is another version of gemtrail.
        (snapshot.everything(), true)
    };
    let is_quick = news.bytes <= QUICK_BYTES && news.files <= QUICK_FILES;
    if context.may_sync && is_due && is_quick {
        let options = SyncOptions {
            hints: hints.clone(),
            ..options(context, whereabouts)
        };
        let taken = ArchiveWriter::try_open(archive.path())
            .and_then(|mut writer| writer.sync(&known, &options, &mut |_| {}));
        match taken {
            Ok(_) => snapshot = archive.snapshot()?,
            Err(error) => context.ui.detail(&format!("nothing was taken in: {error}")),
        }
    }
    let (behind, is_due) = behind(&snapshot, found);
    if !is_due && archive.is_fresh()? {
        return Ok(snapshot);
    }
    let lacks = match behind.files {
        0 => "is not up to date".to_owned(),
        files => format!("lacks what is new in {}", plural(files, "file")),
    };
    context.ui.note(&format!(
        "the archive {lacks}; the disk is read as well (gemtrail sync)"
    ));
    Ok(snapshot)
}

/// What a run of `sync` needs to know.
pub(super) fn options(context: &Context<'_>, whereabouts: &Whereabouts) -> SyncOptions {
    let exclude = &context.settings.archive_exclude.value;
    SyncOptions {
        now: context.environment.now.as_millisecond(),
        whereabouts: whereabouts.clone(),
        exclude: exclude
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect(),
        keep_days: context.settings.archive_keep_days.value,
        ..SyncOptions::default()
    }
}

/// This machine and account.
pub(super) fn here(context: &Context<'_>) -> Whereabouts {
    Whereabouts {
        host: context.environment.host.clone(),
        user: context.environment.user.clone(),
    }
}

/// What is on disk.
pub(super) fn found(context: &Context<'_>) -> Result<Vec<Found>, CliError> {
    Ok(homes(context)?.iter().map(discover).collect())
}

/// The homes by absolute paths: the archive outlives the current directory.
pub(super) fn homes(context: &Context<'_>) -> Result<Vec<Home>, CliError> {
    let homes = context.settings.places(context.environment).homes()?;
    // However it is called, it is the same home.
    let absolute = |path: PathBuf| {
        let real = match std::fs::canonicalize(&path) {
            // There, real names are not those that people use.
            Ok(real) if !cfg!(windows) => Ok(real),
            _ => std::path::absolute(&path),
        };
        real.unwrap_or(path)
    };
    let homes = homes.into_iter().map(|home| Home {
        root: absolute(home.root),
        sessions: absolute(home.sessions),
    });
    Ok(homes.collect())
}

/// The archive that commands about it work on.
pub(super) fn path<'a>(context: &'a Context<'_>) -> Result<&'a Path, CliError> {
    if context.settings.is_archive_off {
        let what = "this command works on the archive, and --no-archive leaves the archive out";
        return Err(CliError::usage(what).hint("leave out --no-archive; --archive names a file"));
    }
    let path = context.settings.archive.value.as_deref();
    path.ok_or_else(|| {
        CliError::cannot("no-archive", "this platform has no place for an archive")
            .hint("name a file with --archive")
    })
}

/// An error about an archive, with what may help.
pub(super) fn failure(error: ArchiveError, path: &Path) -> CliError {
    let shown = path.display();
    let (code, hint) = match &error {
        ArchiveError::Missing { .. } => ("no-archive", "`gemtrail sync` makes one".to_owned()),
        ArchiveError::NotAnArchive => (
            "not-an-archive",
            format!("{shown} is something else; name another file with --archive"),
        ),
        ArchiveError::Newer { .. } => (
            "newer-archive",
            "update gemtrail, or read the disk only with --no-archive".to_owned(),
        ),
        ArchiveError::Empty => (EMPTY, "`gemtrail sync` fills it".to_owned()),
        ArchiveError::Older { .. } => (
            "older-archive",
            "`gemtrail sync` brings it up to date".to_owned(),
        ),
        ArchiveError::Busy => (
            BUSY,
            "another gemtrail is writing; try again when it is done".to_owned(),
        ),
        ArchiveError::DiskFull => (
            "disk-full",
            "make room and run `gemtrail sync` again; it goes on where it ended".to_owned(),
        ),
        ArchiveError::NotWritten(_) => (
            "archive-not-written",
            format!(
                "check the disk of {shown}, its quota and limits, and run `gemtrail sync` again"
            ),
        ),
        ArchiveError::ReadOnly => (
            "archive-read-only",
            format!("check the permissions of {shown} and of its directory"),
        ),
        ArchiveError::Damaged { .. } => (
            "damaged-archive",
            format!(
                "put a backup in place of {shown}, or move it away and run `gemtrail sync`; --no-archive reads the disk only"
            ),
        ),
        _ => ("archive", String::new()),
    };
    let what = anyhow::Error::from(error).context(format!("cannot use the archive {shown}"));
    let error = CliError::new(Failure::CannotDo, code, what);
    if hint.is_empty() {
        error
    } else {
        error.hint(hint)
    }
}
