//! A session as Gemini CLI lists and resumes it.

use std::path::{Path, PathBuf};

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::project_hash;
use gemtrail_core::time;
use gemtrail_doctor::{self as doctor, DoctorOptions, Standing, is_listable};
use gemtrail_export::{FormatOptions, native};
use gemtrail_store::ReadDetail;
use gemtrail_store::archive::ArchiveError;
use gemtrail_store::archive::restore::{KeptFile, Missing, Place, Put, put, safe_name};
use jiff::Timestamp;

use super::{How, RestoreRequest, Restored, RestoredFile};
use crate::environment;
use crate::error::CliError;

/// More copies of one session than anybody needs.
const MOST_NAMES: usize = 1000;

/// A session that can be put back: everything is known and nothing is written yet.
pub(in crate::cli) struct Planned {
    pub(in crate::cli) restored: Restored,
    /// Nothing if Gemini CLI lists it as it is.
    journal: Option<ListedJournal>,
}

/// The journal that Gemini CLI will list.
struct ListedJournal {
    place: Place,
    missing: Missing,
    path: PathBuf,
    bytes: Vec<u8>,
    companions: Vec<(KeptFile, PathBuf)>,
    force: bool,
}

/// Finds out what it takes to put a session where Gemini CLI lists it.
pub(in crate::cli) fn plan(
    wanted: &RestoreRequest<'_>,
    root: Option<&Path>,
    force: bool,
) -> Result<Planned, CliError> {
    let mut session = read(wanted)?;
    let root = match root {
        Some(root) => {
            let root = moved_to(root)?;
            session.project.hash = Some(project_hash(&root));
            root
        }
        None => root_of(&session)?,
    };
    let home = wanted.home()?;
    let place = Place::of(&home, &root);
    let mut restored = Restored {
        home: Some(home.root.to_string_lossy().into_owned()),
        project: Some(root.clone()),
        ..Restored::new(wanted, How::Listed)
    };
    restored.tell_command(wanted, &home, &root);
    if !Path::new(&root).is_dir() {
        let what = format!("{root} does not exist; Gemini CLI must be started in it");
        let what = format!("{what} (--in names another directory)");
        restored.warnings.push(what);
    }
    if !force && standing(wanted, &place) == Standing::Listed {
        restored.already_listed = true;
        let journal = None;
        return Ok(Planned { restored, journal });
    }
    if session.is_damaged() {
        let what = "a part of the session is damaged in the archive; this is the rest";
        restored.warnings.push(what.to_owned());
    }
    let hash = session.project.hash.take();
    session.project.hash = hash.or_else(|| Some(project_hash(&root)));
    let now = environment::now();
    let bytes = journal(&session, now)?;
    let path = free_path(&session, &place, now, force)?;
    let missing = place.missing().map_err(|error| wanted.failure(error))?;
    restored.project_files = project_files(&place, &missing);
    let outcome = if path.exists() {
        Put::Replaced
    } else {
        Put::Written
    };
    let main = RestoredFile::new(&path, bytes.len() as u64, outcome);
    let companions = companions(wanted, &place, &missing);
    let beside = companions.iter();
    let beside = beside.map(|(file, path)| RestoredFile::new(path, file.bytes(), Put::Written));
    restored.files.push(main);
    restored.files.extend(beside);
    let journal = Some(ListedJournal {
        place,
        missing,
        path,
        bytes,
        companions,
        force,
    });
    Ok(Planned { restored, journal })
}

impl Planned {
    /// Puts the session back, and says what was written.
    pub(in crate::cli) fn write(self, wanted: &RestoreRequest<'_>) -> Result<Restored, CliError> {
        let mut restored = self.restored;
        let Some(journal) = self.journal else {
            return Ok(restored);
        };
        let made = journal.place.make(&journal.missing);
        made.map_err(|error| wanted.failure(error))?;
        // First what the journal needs: once it is there, the session counts as put back.
        restored.files.truncate(1);
        for (file, path) in &journal.companions {
            match put(path, || file.open(), file.modified, false).map_err(ArchiveError::from) {
                Ok(outcome) => {
                    let file = RestoredFile::new(path, file.bytes(), outcome);
                    restored.files.push(file);
                }
                // The session itself is worth more than what is beside it.
                Err(error @ ArchiveError::Damaged { .. }) => {
                    let what = format!("{} was left out: {error}", file.path.display());
                    restored.warnings.push(what);
                }
                Err(other) => return Err(wanted.failure(other)),
            }
        }
        let bytes = journal.bytes.as_slice();
        let outcome = put(&journal.path, || Ok(bytes), None, journal.force)
            .map_err(|error| wanted.failure(error))?;
        if let Some(first) = restored.files.first_mut() {
            first.outcome = outcome;
        }
        Ok(restored)
    }
}

/// The directory that a project was moved to, as Gemini CLI would call it.
fn moved_to(root: &Path) -> Result<String, CliError> {
    let real = root.canonicalize().ok().filter(|real| real.is_dir());
    let Some(real) = real else {
        let what = format!("{} is not a directory", root.display());
        return Err(CliError::cannot("no-directory", what)
            .hint("--in takes the directory where the project is now"));
    };
    Ok(real.to_string_lossy().into_owned())
}

/// A name that Gemini CLI lists and does not clean up. What is there under such a name is not
/// listed, or will be deleted.
fn free_path(
    session: &Session,
    place: &Place,
    now: Timestamp,
    force: bool,
) -> Result<PathBuf, CliError> {
    let started = session.started.as_deref().and_then(time::parse);
    let minute = started
        .unwrap_or(now)
        .strftime("%Y-%m-%dT%H-%M")
        .to_string();
    (0..MOST_NAMES)
        .map(|number| {
            place
                .chats()
                .join(safe_name(session.id.as_str(), &minute, number))
        })
        .find(|path| force || path.symlink_metadata().is_err())
        .ok_or_else(|| CliError::cannot("cannot-write", "it was restored too often"))
}

/// Returns the other files that the project's directory needs.
fn project_files(place: &Place, missing: &Missing) -> Vec<RestoredFile> {
    let copies = missing.copies.iter().map(|copy| (&copy.to, copy.bytes));
    let marker = missing
        .marker
        .iter()
        .map(|marker| (marker, place.root.len() as u64));
    let files = copies.chain(marker);
    files
        .map(|(path, bytes)| RestoredFile::new(path, bytes, Put::Written))
        .collect()
}

/// Returns the files that go beside the journal, where nothing is in the way.
fn companions(
    wanted: &RestoreRequest<'_>,
    place: &Place,
    missing: &Missing,
) -> Vec<(KeptFile, PathBuf)> {
    let files = wanted.library.companions_of(&wanted.handle).into_iter();
    let files = files.map(|file| {
        let path = place.dir().join(&file.below);
        (file, path)
    });
    let is_copied = |path: &PathBuf| missing.copies.iter().any(|copy| copy.to == *path);
    files
        .filter(|(_, path)| path.symlink_metadata().is_err() && !is_copied(path))
        .collect()
}

/// The session with a root path and words to go on from.
fn read(wanted: &RestoreRequest<'_>) -> Result<Session, CliError> {
    let (library, handle) = (&wanted.library, &wanted.handle);
    let session = match (wanted.at, &wanted.archive) {
        (Some(at), Some(archive)) => archive
            .session_at(library, handle, at)
            .map_err(|error| wanted.failure(error))?
            .ok_or_else(|| wanted.unknown_then())?,
        _ => library.read(wanted.reference, ReadDetail::Document)?,
    };
    let id = &session.id;
    match session.kind {
        Kind::Main => Ok(session),
        Kind::Subagent => {
            let what = format!("{id} is a subagent of another session");
            let hint = match &session.parent {
                Some(parent) => {
                    format!("`gemtrail restore {parent}` restores that session with its subagents")
                }
                None => "-o DIR writes its files".to_owned(),
            };
            Err(CliError::cannot("subagent", what).hint(hint))
        }
        Kind::Log => {
            let what =
                format!("only the prompts of session {id} are left, so it cannot be restored");
            Err(CliError::nothing("no-journal", what))
        }
        Kind::Sealed => {
            let what = format!("session {id} is encrypted; --exact restores its file");
            Err(CliError::cannot("sealed", what))
        }
    }
}

fn root_of(session: &Session) -> Result<String, CliError> {
    session.project.path.clone().ok_or_else(|| {
        let what = format!(
            "the directory of session {} is unknown, so Gemini CLI would not find it",
            session.id
        );
        CliError::cannot("unknown-project", what)
            .hint("name it with --in DIR, or once and for all with `gemtrail projects add PATH`; --exact and -o work without it")
    })
}

/// The journal for Gemini CLI. It claims to be of now, since old ones are deleted.
fn journal(session: &Session, now: Timestamp) -> Result<Vec<u8>, CliError> {
    let options = FormatOptions {
        last_updated: Some(now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()),
        ..FormatOptions::default()
    };
    let mut journal = Vec::new();
    native::write(session, &options, &mut journal)?;
    if !is_listable(&journal)? {
        let id = &session.id;
        if session.is_damaged() {
            let what = format!(
                "session {id} is damaged in the archive, and nothing that is left can be resumed"
            );
            return Err(CliError::cannot("damaged-archive", what).hint(
                "`gemtrail archive repair` saves what can be read; a backup may have the rest",
            ));
        }
        let what = format!("nothing in session {id} can be resumed");
        return Err(CliError::cannot("nothing-to-resume", what)
            .hint("--exact and -o restore its files as they were"));
    }
    Ok(journal)
}

/// The standing of the session where Gemini CLI looks.
pub(super) fn standing(wanted: &RestoreRequest<'_>, place: &Place) -> Standing {
    let options = DoctorOptions {
        now: environment::now(),
        system: wanted.context.environment.system_settings.clone(),
        archive: Vec::new(),
    };
    doctor::standing(&place.home, &place.slug, &wanted.handle.key.id, &options)
}
