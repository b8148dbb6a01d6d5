//! From what a person calls a session to the session.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use gemtrail_core::model::{Code, Diagnostic, Format, Kind, Place, Session, SessionRef};
use gemtrail_export::exporter;
use gemtrail_query::Address;
use gemtrail_store::{Candidate, Library, ListRow, Named, ReadDetail, ResolveError, SessionFilter};

use super::formats;
use crate::error::{Choice, CliError};
use crate::text::{self, Clean};

/// At most this many homes are named when nothing is found in them.
const MOST_HOMES: usize = 3;

/// Finds and reads what has that name: a session, a checkpoint, or a file from anywhere.
pub(super) fn read(library: &Library, name: &str) -> Result<Session, CliError> {
    let named = resolve(library, name)?;
    let session = library.read_named(&named, ReadDetail::Document)?;
    refuse_other_file(&named, &session)?;
    Ok(session)
}

/// The same for a name that may be followed by a place, which must be there.
pub(super) fn read_at(
    library: &Library,
    text: &str,
    detail: ReadDetail,
) -> Result<(Session, Option<Place>), CliError> {
    let (named, place) = resolve_at(library, text)?;
    Ok((read_with(library, &named, place, detail)?, place))
}

/// Reads what was found, with the place that must be there.
pub(super) fn read_with(
    library: &Library,
    named: &Named,
    place: Option<Place>,
    detail: ReadDetail,
) -> Result<Session, CliError> {
    let session = library.read_named(named, detail)?;
    refuse_other_file(named, &session)?;
    if let Some(place) = place {
        refuse_missing(&session, place)?;
    }
    Ok(session)
}

/// Refuses a place that a session does not have.
pub(super) fn refuse_missing(session: &Session, place: Place) -> Result<(), CliError> {
    if session.at(place).is_some() {
        return Ok(());
    }
    let id = Clean::line(session.id.short());
    let error = CliError::nothing("not-found", format!("{id} has no place {place}"));
    Err(match session.last_place() {
        Some(last) => error.hint(format!(
            "its last place is {last}; gemtrail show {id} --outline lists the prompts"
        )),
        None => error.hint("it has no messages"),
    })
}

/// Refuses a file that is not a session: it would become a plausible, empty document.
pub(super) fn refuse_other_file(named: &Named, session: &Session) -> Result<(), CliError> {
    match named {
        Named::File(path) => refuse_without_session(session, path),
        Named::Session(_) | Named::Checkpoint(_) => Ok(()),
    }
}

/// Refuses what was read of a file if there was nothing in it that could be read.
pub(super) fn refuse_without_session(session: &Session, file: &Path) -> Result<(), CliError> {
    let (journals, found) = (&session.journals, &session.diagnostics);
    // A bare history without entries names no session either.
    let is_bare = |format| matches!(format, Format::Unknown | Format::History);
    let is_unknown = journals.iter().all(|it| is_bare(it.format));
    let is_empty = found.iter().any(|it| it.code == Code::EmptyFile);
    let is_nothing = !journals.is_empty() && (is_unknown || is_empty);
    if !is_nothing || session.counts.messages > 0 || !session.logged.is_empty() {
        return Ok(());
    }
    let message = format!("{} is not a Gemini CLI session", file.display());
    let error = CliError::cannot("no-session", message);
    // The first line that cannot be read explains more than a count of them.
    let found = &session.diagnostics;
    let reason = found.iter().find(|it| it.line.is_some()).or(found.last());
    Err(match reason {
        Some(reason) => error.hint(said(reason)),
        None => error,
    })
}

/// Refuses a session of which only the prompt log knows, in a format that has nothing of that.
pub(super) fn refuse_logged(session: &Session, format: &exporter::Format) -> Result<(), CliError> {
    if session.kind != Kind::Log || formats::has_logged(format) {
        return Ok(());
    }
    let id = Clean::line(session.id.short());
    let what = format!(
        "only the prompts of {id} are left, and {} does not contain any",
        format.name
    );
    let error = CliError::cannot("only-prompts", what);
    Err(error.hint("use md, html, txt, json or jsonl"))
}

/// A diagnostic with its line.
pub(super) fn said(diagnostic: &Diagnostic) -> String {
    match diagnostic.line {
        Some(line) => format!("line {line}: {}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

/// Finds what has that name.
pub(super) fn resolve(library: &Library, name: &str) -> Result<Named, CliError> {
    let named = library.resolve(name);
    named.map_err(|error| no_place(library, name).unwrap_or_else(|| failure(library, error)))
}

/// Finds what has that name, and the place that follows it. Whether that is there is left open.
pub(super) fn resolve_at(
    library: &Library,
    text: &str,
) -> Result<(Named, Option<Place>), CliError> {
    let error = match library.resolve_address(text) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    if let Some((name, place)) = text.rsplit_once(':')
        && Address::parse(text).place.is_none()
        && library.resolve(name).is_ok()
    {
        let error = CliError::usage(format!("{place:?} is not a place in a session"));
        return Err(error.hint(format!(
            "{name}:17 is the 17th prompt, {name}:17.5 the fifth item after it"
        )));
    }
    Err(failure(library, error))
}

/// Finds the session of that name without reading it.
pub(super) fn find(library: &Library, name: &str) -> Result<SessionRef, CliError> {
    match resolve(library, name)? {
        Named::Session(reference) => Ok(reference),
        Named::File(_) | Named::Checkpoint(_) => Err(unknown(library, name)),
    }
}

/// A place in a session is named where a whole session is needed.
fn no_place(library: &Library, text: &str) -> Option<CliError> {
    let address = Address::parse(text);
    address.place?;
    library.resolve(&address.name).ok()?;
    let name = address.name;
    let error = CliError::usage(format!(
        "{text} is a place in a session, and this command needs a session"
    ));
    Some(error.hint(format!(
        "the session is {name}; gemtrail show {text} opens the place"
    )))
}

/// The error for a name that means nothing, with what may help.
fn failure(library: &Library, error: ResolveError) -> CliError {
    match error {
        ResolveError::Unknown(name) => unknown(library, &name),
        ResolveError::NotANumber(name) => CliError::cannot(
            "bad-name",
            format!("{name} is not a valid row; rows start at @1"),
        )
        .hint("@1 is the newest session of `gemtrail list`"),
        ResolveError::AmbiguousCheckpoint { .. } => {
            CliError::cannot("ambiguous", error).hint("use the full path of its file")
        }
        ResolveError::Ambiguous { name, candidates } => ambiguous(library, &name, &candidates),
        error => CliError::cannot("bad-name", error),
    }
}

/// Nothing that could be read has that name.
fn unknown(library: &Library, name: &str) -> CliError {
    let at = |unread: Diagnostic| {
        let path = unread.journal.unwrap_or_default();
        format!("{path}: {}", unread.message)
    };
    if let Some(unread) = library.unread_journals(name).into_iter().next() {
        let what = format!(
            "{name:?} may be a session that cannot be read: {}",
            at(unread)
        );
        return CliError::cannot("unreadable", what).naming_places();
    }
    let sessions = library.sessions(&SessionFilter::default()).len();
    if sessions == 0 && (name == "latest" || name.starts_with('@')) {
        return no_sessions(library);
    }
    let mut what = format!("no session matches {name:?} in {}", places(library));
    if let Some(unread) = library.unread().into_iter().next() {
        what = format!("{what}; some files could not be read ({})", at(unread));
    }
    let error = CliError::nothing("not-found", what).naming_places();
    let row = name.strip_prefix('@').unwrap_or(name).parse::<usize>();
    error.hint(match row {
        Ok(_) if name.starts_with('@') => {
            format!("the last row of `gemtrail list` is @{sessions}")
        }
        Ok(row) if (1..=sessions).contains(&row) => format!("did you mean @{row}?"),
        _ => "gemtrail list shows the sessions; a name is an id, 4 or more characters of one, a \
              file name, `latest` or @N"
            .to_owned(),
    })
}

/// There is nothing at all to name, list or search.
pub(super) fn no_sessions(library: &Library) -> CliError {
    let what = format!("no sessions in {}", places(library));
    CliError::nothing("nothing-found", what)
        .naming_places()
        .hint("start a conversation with `gemini`, or name another directory with --home")
}

fn ambiguous(library: &Library, name: &str, candidates: &[Candidate]) -> CliError {
    let hosts: HashSet<&Option<String>> = candidates.iter().map(|it| &it.host).collect();
    let references: Vec<SessionRef> = candidates.iter().map(|it| it.reference).collect();
    let rows = library.rows_for(&references);
    let rows: HashMap<SessionRef, &ListRow> = rows.iter().map(|it| (it.reference, it)).collect();
    let names = library.project_names();
    let choice = |candidate: &Candidate| {
        let row = rows.get(&candidate.reference);
        let project = row.map(|row| names.name(&row.project));
        let project = project.unwrap_or_else(|| candidate.project.clone());
        let host = candidate.host.clone().filter(|_| hosts.len() > 1);
        Choice {
            reference: candidate.reference,
            updated: row.and_then(|row| row.updated.clone()),
            project: match host {
                Some(host) => format!("{project}@{host}"),
                None => project,
            },
            title: row.and_then(|row| row.title.clone()),
        }
    };
    let count = text::plural(candidates.len(), "session");
    let message = format!("{name:?} is ambiguous; it matches {count}");
    let mut error = CliError::cannot("ambiguous", message)
        .hint("use one of the full names in the first column");
    error.choices = candidates.iter().map(choice).collect();
    error
}

/// The places that were searched, for messages.
pub(super) fn places(library: &Library) -> String {
    // What is on disk is in the archive, too.
    if let Some(archive) = library.archive() {
        return format!("the archive {}", archive.display());
    }
    let homes = library.homes().iter();
    // Several machines have homes at the same path.
    let homes: BTreeSet<&Path> = homes.map(|found| found.home.sessions.as_path()).collect();
    let named = homes.iter().take(MOST_HOMES);
    let places: Vec<String> = named.map(|path| path.display().to_string()).collect();
    if places.is_empty() {
        return "no home directory".to_owned();
    }
    let places = places.join(", ");
    match homes.len().saturating_sub(MOST_HOMES) {
        0 => places,
        more => format!("{places} and {more} more"),
    }
}
