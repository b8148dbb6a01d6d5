//! From what a person calls a session to the session.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use gemtrail_core::model::{Diagnostic, Project, Session, SessionRef};
use gemtrail_store::{Candidate, Library, Named, ReadDetail, ResolveError};

use crate::error::CliError;
use crate::text::{self, Clean};

/// At most this many candidates are listed when a name is ambiguous.
const MOST_CANDIDATES: usize = 10;

/// At most this many homes are named when nothing is found in them.
const MOST_HOMES: usize = 3;

/// Finds and reads what has that name: a session, a checkpoint, or a file from anywhere.
pub(super) fn read(library: &Library, name: &str) -> Result<Session, CliError> {
    let named = resolve(library, name)?;
    Ok(library.read_named(&named, ReadDetail::Document)?)
}

/// Finds what has that name.
pub(super) fn resolve(library: &Library, name: &str) -> Result<Named, CliError> {
    let named = library.resolve(name);
    named.map_err(|error| failure(library, error))
}

/// Finds the session of that name without reading it.
pub(super) fn find(library: &Library, name: &str) -> Result<SessionRef, CliError> {
    match library.resolve(name) {
        Ok(Named::Session(reference)) => Ok(reference),
        Ok(_) => Err(failure(library, ResolveError::Unknown(name.to_owned()))),
        Err(error) => Err(failure(library, error)),
    }
}

/// Why a name means nothing, with what may help.
fn failure(library: &Library, error: ResolveError) -> CliError {
    match error {
        ResolveError::Unknown(name) => unknown(library, &name),
        ResolveError::NotANumber(_) => {
            CliError::cannot("bad-name", error).hint("@1 is the newest session of `gemtrail list`")
        }
        ResolveError::AmbiguousCheckpoint { .. } => {
            CliError::cannot("ambiguous", error).hint("name its file by its whole path")
        }
        ResolveError::Ambiguous { name, candidates } => ambiguous(&name, &candidates),
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
        return CliError::cannot("unreadable", what);
    }
    let mut what = format!("no session is called {name:?} in {}", places(library));
    if let Some(unread) = library.unread().into_iter().next() {
        what = format!("{what}, as far as could be read ({})", at(unread));
    }
    CliError::nothing("not-found", what).hint("gemtrail list shows the sessions; a name is an id, 4 or more characters of one, a file name, `latest` or @N")
}

fn ambiguous(name: &str, candidates: &[Candidate]) -> CliError {
    let count = text::plural(candidates.len(), "session");
    let mut lines = vec![format!("{name:?} may mean {count}:")];
    let hosts: HashSet<&Option<String>> = candidates.iter().map(|it| &it.host).collect();
    for candidate in candidates.iter().take(MOST_CANDIDATES) {
        let host = candidate.host.as_deref().filter(|_| hosts.len() > 1);
        let host = host.map(|host| format!("@{host}")).unwrap_or_default();
        let stem = candidate.stem.as_deref().unwrap_or_default();
        let Candidate {
            reference,
            id,
            project,
            ..
        } = candidate;
        let line = format!("{reference}  {id}{host}  {project}  {stem}");
        lines.push(Clean::line(&line).replace('\n', " "));
    }
    if candidates.len() > MOST_CANDIDATES {
        let more = candidates.len() - MOST_CANDIDATES;
        lines.push(format!("… and {more} more"));
    }
    CliError::cannot("ambiguous", lines.join("\n  "))
        .hint("the first column names each of them and no other")
}

/// The name of a project, with the machine if that is said.
pub(in crate::cli) fn project_at(project: &Project, host: Option<&str>) -> String {
    let host = host.map(|host| format!("@{host}")).unwrap_or_default();
    Clean::line(format!("{}{host}", project.name())).into()
}

/// Where was looked, for messages.
pub(super) fn places(library: &Library) -> String {
    let homes = library.homes().iter();
    // Several machines have homes at the same path.
    let homes: BTreeSet<&Path> = homes.map(|found| found.home.sessions.as_path()).collect();
    let named = homes.iter().take(MOST_HOMES);
    let mut places: Vec<String> = named.map(|path| path.display().to_string()).collect();
    if let Some(archive) = library.archive() {
        places.insert(0, format!("the archive {}", archive.display()));
    }
    if places.is_empty() {
        return "no home directory".to_owned();
    }
    let places = places.join(", ");
    match homes.len().saturating_sub(MOST_HOMES) {
        0 => places,
        more => format!("{places} and {more} more"),
    }
}
