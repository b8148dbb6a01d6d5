//! Journals byte for byte: where they were, or into a directory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gemtrail_core::model::Kind;
use gemtrail_doctor::Standing;
use gemtrail_store::archive::ArchiveError;
use gemtrail_store::archive::restore::{self, KeptFile, Place, Put, PutError, Written};
use jiff::Timestamp;

use super::listed::standing;
use super::{
    How, Manner, RestoreRequest, Restored, RestoredFile, antigravity_line, has_target,
    may_be_written,
};
use crate::error::CliError;
use crate::text::plural;

/// Puts the journals of a session where they were.
pub(super) fn exactly(wanted: &RestoreRequest<'_>, manner: Manner) -> Result<Restored, CliError> {
    let mut files = journals(wanted)?;
    files.extend(tidied(wanted, &files)?);
    let target = has_target(wanted.context)
        .then(|| wanted.home())
        .transpose()?;
    let place = |file: &KeptFile| match &target {
        Some(home) => Ok(file.place_in(home)),
        None => own_place(wanted, file),
    };
    let places: Vec<PathBuf> = files.iter().map(place).collect::<Result<_, _>>()?;
    let mut restored = Restored::new(wanted, How::Exact);
    write(wanted, &files, &places, manner, &mut restored)?;
    if wanted.is_of_antigravity() {
        restored.command = antigravity_line(wanted.context, &wanted.handle.key.id, &restored);
    } else if !manner.dry_run {
        tell_standing(wanted, &mut restored)?;
    }
    Ok(restored)
}

/// What `tidy` removed besides the journals and is not there again: long outputs, plans.
fn tidied(wanted: &RestoreRequest<'_>, known: &[KeptFile]) -> Result<Vec<KeptFile>, CliError> {
    let Some(archive) = wanted.archive.as_ref().filter(|_| wanted.at.is_none()) else {
        return Ok(Vec::new());
    };
    let removed = archive.tidied(Some(wanted.handle.reference));
    let removed = removed.map_err(|error| wanted.failure(error))?;
    let removed: HashSet<PathBuf> = removed.into_iter().map(|it| it.path.into()).collect();
    let mut files = wanted.library.companions_of(&wanted.handle);
    files.retain(|file| {
        let is_known = known.iter().any(|it| it.path == file.path);
        !is_known && removed.contains(&file.path) && !file.path.exists()
    });
    Ok(files)
}

/// Puts a conversation of Antigravity where it was, unless the disk has it, in whatever state.
pub(in crate::cli) fn put_conversation(
    wanted: &RestoreRequest<'_>,
    dry_run: bool,
) -> Result<Restored, CliError> {
    if wanted.handle.key.parent.is_some() {
        let what = format!("{} is a subagent of another session", wanted.handle.key.id);
        return Err(CliError::cannot("subagent", what));
    }
    let own = wanted.library.journals_of(&wanted.handle);
    let manner = Manner {
        force: false,
        dry_run,
    };
    let mut restored = if own.iter().any(|file| file.path.is_file()) {
        let mut restored = Restored::new(wanted, How::Exact);
        let id = &wanted.handle.key.id;
        restored.command = antigravity_line(wanted.context, id, &restored);
        restored
    } else {
        exactly(wanted, manner)?
    };
    restored.dry_run = dry_run;
    Ok(restored)
}

/// A place on this machine; another machine's may be anything here.
fn own_place(wanted: &RestoreRequest<'_>, file: &KeptFile) -> Result<PathBuf, CliError> {
    let found = &wanted.library.homes()[file.home];
    let hint = "--home restores it into a home on this machine, -o into a directory";
    if found.host.is_none() || found.host == wanted.context.environment.host {
        let homes = super::homes(wanted.context)?;
        if may_be_written(&found.home, &homes) {
            return Ok(file.path.clone());
        }
        let what = format!("{} is in no home", file.path.display());
        return Err(CliError::cannot("no-home", what).hint(hint));
    }
    let host = found.host.as_deref().unwrap_or_default();
    let what = format!("{} was on another machine ({host})", file.path.display());
    Err(CliError::cannot("other-machine", what).hint(hint))
}

/// Writes the journals of a session into a directory: its own beside each other, those of agents
/// in directories of their own, as they lie in a home.
pub(super) fn into_directory(
    wanted: &RestoreRequest<'_>,
    dir: &Path,
    manner: Manner,
) -> Result<Restored, CliError> {
    if dir.exists() && !dir.is_dir() {
        let what = format!("{} is not a directory", dir.display());
        return Err(CliError::cannot("exists", what).hint("-o takes a directory"));
    }
    let mut files = Vec::new();
    let mut places: Vec<PathBuf> = Vec::new();
    for file in journals(wanted)? {
        let below = file.below.strip_prefix("chats").unwrap_or(&file.below);
        let mut place = dir.join(below);
        if let Some(at) = places.iter().position(|known| *known == place) {
            // Homes and directories are copied; the same bytes are written once.
            if is_same(&files[at], &file)? {
                continue;
            }
            place = dir
                .join(format!("{}-{}", file.dir.display(), file.home))
                .join(&file.below);
        }
        places.push(place);
        files.push(file);
    }
    let mut restored = Restored::new(wanted, How::Directory);
    write(wanted, &files, &places, manner, &mut restored)?;
    Ok(restored)
}

fn is_same(a: &KeptFile, b: &KeptFile) -> Result<bool, CliError> {
    Ok(a.bytes() == b.bytes() && restore::is_same(a.open()?, b.open()?)?)
}

fn journals(wanted: &RestoreRequest<'_>) -> Result<Vec<KeptFile>, CliError> {
    let (library, handle) = (&wanted.library, &wanted.handle);
    let files = match (wanted.at, &wanted.archive) {
        (Some(at), Some(archive)) => archive.journals_at(library, handle, at),
        (None, Some(archive)) => archive.journals_of(library, handle),
        (_, None) => Ok(library.journals_of(handle)),
    };
    let files = files.map_err(|error| wanted.failure(error))?;
    if !files.is_empty() {
        return Ok(files);
    }
    if wanted.at.is_some() {
        return Err(wanted.unknown_then());
    }
    let id = &handle.key.id;
    let what = format!("only the prompts of session {id} are left, so it cannot be restored");
    Err(CliError::nothing("no-journal", what))
}

/// Writes all files or, if one of them may not be replaced, none.
fn write(
    wanted: &RestoreRequest<'_>,
    files: &[KeptFile],
    places: &[PathBuf],
    manner: Manner,
    restored: &mut Restored,
) -> Result<(), CliError> {
    let failed = |error: ArchiveError| wanted.failure(error);
    let put_failed = |error: PutError| wanted.failure(error);
    let force = manner.force;
    let mut outcomes = Vec::new();
    for (file, place) in files.iter().zip(places) {
        let is_there = place.symlink_metadata().is_ok();
        let is_other = is_there && file.differs_from(place).map_err(failed)?;
        if is_other && (!force || place.is_dir()) {
            let path = place.clone();
            return Err(failed(ArchiveError::Exists { path }));
        }
        outcomes.push(match (is_there, is_other) {
            (_, true) => Put::Replaced,
            (true, false) => Put::Identical,
            (false, false) => Put::Written,
        });
    }
    if manner.dry_run {
        for ((file, place), outcome) in files.iter().zip(places).zip(outcomes) {
            restored.warnings.extend(loss(wanted, file));
            let file = RestoredFile::new(place, file.bytes(), outcome);
            restored.files.push(file);
        }
        return Ok(());
    }
    let mut written = Vec::new();
    for ((file, place), outcome) in files.iter().zip(places).zip(outcomes) {
        // The rows of a database may be the same in other bytes.
        let is_new = outcome != Put::Identical;
        let beside = is_new.then(|| Written::beside(place, || file.open(), file.modified, force));
        written.push(beside.transpose().map_err(put_failed)?);
    }
    for ((file, place), written) in files.iter().zip(places).zip(written) {
        let outcome = written.map_or(Ok(Put::Identical), Written::put);
        let outcome = outcome.map_err(put_failed)?;
        restored.warnings.extend(loss(wanted, file));
        let file = RestoredFile::new(place, file.bytes(), outcome);
        restored.files.push(file);
    }
    Ok(())
}

/// Says if a file lost something or was tampered with, and these are the bytes from before.
fn loss(wanted: &RestoreRequest<'_>, file: &KeptFile) -> Option<String> {
    let what = match file.lost? {
        0 => "was changed".to_owned(),
        messages => format!("lost {}", plural(messages, "message")),
    };
    let time = file
        .modified
        .and_then(|time| Timestamp::try_from(time).ok());
    let version = time.map_or_else(
        || "an earlier version".to_owned(),
        |time| {
            let time = time.to_zoned(wanted.context.ui.zone.clone());
            time.strftime("the version of %Y-%m-%d %H:%M:%S")
                .to_string()
        },
    );
    let path = file.path.display();
    Some(format!("{path} {what} since; this is {version}"))
}

/// Says what Gemini CLI makes of the files where they are now.
fn tell_standing(wanted: &RestoreRequest<'_>, restored: &mut Restored) -> Result<(), CliError> {
    let Some(root) = restored.project.clone() else {
        return Ok(());
    };
    let home = wanted.home()?;
    restored.home = Some(home.root.to_string_lossy().into_owned());
    let place = Place::of(&home, &root);
    if wanted.handle.kind == Kind::Subagent {
        // Gemini CLI lists none, and it goes with its parent.
        return Ok(());
    }
    let what = match standing(wanted, &place) {
        Standing::Listed => {
            restored.tell_command(wanted, &home, &root);
            return Ok(());
        }
        Standing::Endangered(_) => "the next start of Gemini CLI deletes it",
        Standing::Missing => "Gemini CLI does not list it",
    };
    let again = "`gemtrail restore` without --exact puts it back for good";
    restored.warnings.push(format!("{what}; {again}"));
    Ok(())
}
