//! From what a person calls a session to the session.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use gemtrail_core::model::{Diagnostic, Place, Session, SessionRef};
use gemtrail_store::{Candidate, Library, ListRow, Named, ReadDetail, ResolveError, SessionFilter};

use crate::error::{Choice, CliError};
use crate::text::{self, Clean};

/// At most this many homes are named when nothing is found in them.
const MOST_HOMES: usize = 3;

/// Finds and reads what has that name: a session, a checkpoint, or a file from anywhere.
pub(super) fn read(library: &Library, name: &str) -> Result<Session, CliError> {
    let named = resolve(library, name)?;
    Ok(library.read_named(&named, ReadDetail::Document)?)
}

/// The same for a name that may be followed by a place, which must be there.
pub(super) fn read_at(library: &Library, text: &str) -> Result<(Session, Option<Place>), CliError> {
    let named = library.resolve_address(text);
    let (named, place) = named.map_err(|error| failure(library, error))?;
    let session = library.read_named(&named, ReadDetail::Document)?;
    if let Some(place) = place
        && session.at(place).is_none()
    {
        let id = Clean::line(session.id.short());
        let error = CliError::nothing("not-found", format!("{id} has nothing at {place}"));
        return Err(match session.last_place() {
            Some(last) => error.hint(format!(
                "its last place is {last}; gemtrail show {id} --outline lists the prompts"
            )),
            None => error.hint("there are no messages in it"),
        });
    }
    Ok((session, place))
}

/// Finds what has that name.
pub(super) fn resolve(library: &Library, name: &str) -> Result<Named, CliError> {
    let named = library.resolve(name);
    named.map_err(|error| failure(library, error))
}

/// Finds the session of that name without reading it.
pub(super) fn find(library: &Library, name: &str) -> Result<SessionRef, CliError> {
    let unknown = || ResolveError::Unknown(name.to_owned());
    match library.resolve(name) {
        Ok(Named::Session(reference)) => Ok(reference),
        Ok(_) => Err(failure(library, unknown())),
        Err(error) => Err(failure(library, error)),
    }
}

/// Why a name means nothing, with what may help.
fn failure(library: &Library, error: ResolveError) -> CliError {
    match error {
        ResolveError::Unknown(name) => unknown(library, &name),
        ResolveError::NotANumber(name) => CliError::cannot(
            "bad-name",
            format!("{name} is not a valid row; rows start at @1"),
        )
        .hint("@1 is the newest session of `gemtrail list`"),
        ResolveError::AmbiguousCheckpoint { .. } => {
            CliError::cannot("ambiguous", error).hint("name its file by its whole path")
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
        what = format!("{what}, as far as could be read ({})", at(unread));
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
        .hint("start a conversation with `gemini`, or name another place with --home")
}

fn ambiguous(library: &Library, name: &str, candidates: &[Candidate]) -> CliError {
    let hosts: HashSet<&Option<String>> = candidates.iter().map(|it| &it.host).collect();
    let references: Vec<SessionRef> = candidates.iter().map(|it| it.reference).collect();
    let rows = library.rows_for(&references);
    let rows: HashMap<SessionRef, &ListRow> = rows.iter().map(|it| (it.reference, it)).collect();
    let choice = |candidate: &Candidate| {
        let row = rows.get(&candidate.reference);
        let host = candidate.host.clone().filter(|_| hosts.len() > 1);
        Choice {
            reference: candidate.reference,
            updated: row.and_then(|row| row.updated.clone()),
            project: match host {
                Some(host) => format!("{}@{host}", candidate.project),
                None => candidate.project.clone(),
            },
            title: row.and_then(|row| row.title.clone()),
        }
    };
    let count = text::plural(candidates.len(), "session");
    let message = format!("{name:?} is ambiguous; it matches {count}");
    let mut error = CliError::cannot("ambiguous", message)
        .hint("the first column names each of them and no other");
    error.choices = candidates.iter().map(choice).collect();
    error
}

/// Where was looked, for messages.
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
