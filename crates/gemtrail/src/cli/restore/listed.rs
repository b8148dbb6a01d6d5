//! A session as Gemini CLI lists and resumes it.

use gemtrail_core::model::{Kind, Session};
use gemtrail_core::time;
use gemtrail_export::native::{self, NativeOptions};
use gemtrail_store::archive::ArchiveError;
use gemtrail_store::archive::restore::{Place, Put, put, safe_name};
use gemtrail_store::doctor::{self, DoctorOptions, Standing, is_listable};
use gemtrail_store::{ReadDetail, project_hash};
use jiff::Timestamp;

use super::{How, Restored, RestoredFile, Wanted};
use crate::environment;
use crate::error::CliError;

/// More copies of one session than anybody needs.
const MOST_NAMES: usize = 1000;

/// Puts a session where Gemini CLI lists it, unless it does so anyway.
pub(in crate::cli) fn put_back(wanted: &Wanted<'_>, force: bool) -> Result<Restored, CliError> {
    let mut session = read(wanted)?;
    let root = root_of(&session)?;
    let home = wanted.home()?;
    let place = Place::of(&home, &root);
    let id = session.id.to_string();
    let mut restored = Restored {
        home: Some(home.root.to_string_lossy().into_owned()),
        project: Some(root.clone()),
        ..Restored::new(wanted, How::Listed)
    };
    restored.tell_command(wanted, &home, &root);
    if !std::path::Path::new(&root).is_dir() {
        let what = format!("{root} is not there; Gemini CLI must be started in it");
        restored.warnings.push(what);
    }
    if !force && standing(wanted, &place) == Standing::Listed {
        restored.already_listed = true;
        return Ok(restored);
    }
    if session.is_damaged() {
        let what = "a part of the session is damaged in the archive; this is the rest";
        restored.warnings.push(what.to_owned());
    }
    session
        .project
        .hash
        .get_or_insert_with(|| project_hash(&root));
    let now = environment::now();
    let journal = journal(&session, now)?;
    place.make().map_err(|error| wanted.failure(error))?;
    let started = session.started.as_deref().and_then(time::parse);
    let minute = started
        .unwrap_or(now)
        .strftime("%Y-%m-%dT%H-%M")
        .to_string();
    // What is there under this name is not listed, or will be deleted.
    let path = (0..MOST_NAMES)
        .map(|number| place.chats().join(safe_name(&id, &minute, number)))
        .find(|path| force || path.symlink_metadata().is_err())
        .ok_or_else(|| CliError::cannot("cannot-write", "it was put back too often"))?;
    // First what the journal needs: once it is there, the session counts as put back.
    put_companions(wanted, &place, &mut restored)?;
    let outcome = put(&path, || Ok(journal.as_slice()), None, force)
        .map_err(|error| wanted.failure(error))?;
    let journal = RestoredFile {
        path: path.to_string_lossy().into_owned(),
        bytes: journal.len() as u64,
        outcome,
    };
    restored.files.insert(0, journal);
    Ok(restored)
}

/// The session with a root path and words to go on from.
fn read(wanted: &Wanted<'_>) -> Result<Session, CliError> {
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
            let what = format!("{id} is what an agent did for another session");
            let hint = match &session.parent {
                Some(parent) => {
                    format!("`gemtrail restore {parent}` puts that one back with its agents")
                }
                None => "-o DIR writes its files".to_owned(),
            };
            Err(CliError::cannot("subagent", what).hint(hint))
        }
        Kind::Log => {
            let what = format!("session {id} has no journal, only logged prompts");
            Err(CliError::nothing("no-journal", what))
        }
    }
}

fn root_of(session: &Session) -> Result<String, CliError> {
    session.project.path.clone().ok_or_else(|| {
        let what = format!(
            "nobody knows in which directory session {} took place, so Gemini CLI would not find it",
            session.id
        );
        CliError::cannot("unknown-project", what)
            .hint("`gemtrail projects add PATH` teaches the directory; --exact and -o do without")
    })
}

/// The journal for Gemini CLI. It claims to be of now, since old ones are deleted.
fn journal(session: &Session, now: Timestamp) -> Result<Vec<u8>, CliError> {
    let options = NativeOptions {
        last_updated: Some(now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()),
        ..NativeOptions::default()
    };
    let mut journal = Vec::new();
    native::write(session, &options, &mut journal)?;
    if !is_listable(&journal)? {
        if session.is_damaged() {
            let what = format!(
                "session {} is damaged in the archive, and nothing is left that could be resumed",
                session.id
            );
            return Err(CliError::cannot("damaged-archive", what)
                .hint("put a backup of the archive in its place"));
        }
        let what = format!("nothing in session {} can be resumed", session.id);
        return Err(CliError::cannot("nothing-to-resume", what)
            .hint("--exact and -o write its files as they were"));
    }
    Ok(journal)
}

/// Puts back what lies beside the journal, where nothing is in the way.
fn put_companions(
    wanted: &Wanted<'_>,
    place: &Place,
    restored: &mut Restored,
) -> Result<(), CliError> {
    for file in wanted.library.companions_of(&wanted.handle) {
        let path = place.dir().join(&file.below);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let outcome = match put(&path, || file.open(), file.modified, false) {
            // The session itself is worth more than what lies beside it.
            Err(error @ ArchiveError::Damaged { .. }) => {
                let what = format!("{} was left out: {error}", file.path.display());
                restored.warnings.push(what);
                continue;
            }
            outcome => outcome.map_err(|error| wanted.failure(error))?,
        };
        if outcome == Put::Written {
            restored.files.push(RestoredFile {
                path: path.to_string_lossy().into_owned(),
                bytes: file.bytes(),
                outcome,
            });
        }
    }
    Ok(())
}

/// How the session stands where Gemini CLI looks.
pub(super) fn standing(wanted: &Wanted<'_>, place: &Place) -> Standing {
    let options = DoctorOptions {
        now: environment::now(),
        system: wanted.context.environment.system_settings.clone(),
        archive: Vec::new(),
    };
    doctor::standing(&place.home, &place.slug, &wanted.handle.key.id, &options)
}
