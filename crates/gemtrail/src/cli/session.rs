//! From what a person calls a session to the session.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use gemtrail_core::Detail;
use gemtrail_core::model::{Project, Session, SessionRow};
use gemtrail_store::{Handle, Library};

use crate::error::CliError;
use crate::text;

/// At most this many candidates are named when a name is ambiguous.
const MOST_CANDIDATES: usize = 10;

/// At most this many homes are named when nothing is found in them.
const MOST_HOMES: usize = 3;

/// Names that mean each of the wanted sessions and no other of all these: a subagent may have its
/// parent's id, and several machines may have one session.
pub(super) fn exact_names(
    rows: &[SessionRow],
    is_wanted: impl Fn(&SessionRow) -> bool,
) -> Vec<String> {
    fn name(row: &SessionRow) -> &str {
        row.stems.first().map_or(row.id.as_str(), String::as_str)
    }
    let mut hosts: HashMap<&str, HashSet<Option<&str>>> = HashMap::new();
    for row in rows {
        let of_name = hosts.entry(name(row)).or_default();
        of_name.insert(row.origin.host.as_deref());
    }
    let exact = |row: &SessionRow| match &row.origin.host {
        Some(host) if hosts[name(row)].len() > 1 => format!("{}@{host}", name(row)),
        _ => name(row).to_owned(),
    };
    rows.iter()
        .filter(|row| is_wanted(row))
        .map(exact)
        .collect()
}

/// Finds and reads the session of that name.
pub(super) fn read(library: &Library, name: &str) -> Result<Session, CliError> {
    if let Some(row) = row_of(library, name).transpose()? {
        return library
            .find_row(&row)
            .and_then(|handle| library.read(&handle))
            .ok_or_else(|| gone(name));
    }
    let mut handles = library.find(name);
    // A file elsewhere may bear the name of a session here.
    let is_path = name.contains(['/', std::path::MAIN_SEPARATOR]);
    if (handles.is_empty() || is_path) && Path::new(name).is_file() {
        handles = library.find(gemtrail_core::stem_of(name));
        let Ok(wanted) = std::fs::canonicalize(name) else {
            return Err(gone(name));
        };
        let inside = |handle: &Handle| {
            library.read(handle).filter(|session| {
                session.journals.iter().any(|journal| {
                    std::fs::canonicalize(&journal.path).is_ok_and(|path| path == wanted)
                })
            })
        };
        let mut found: Vec<Session> = handles.iter().filter_map(inside).collect();
        if found.is_empty() {
            return Ok(Library::read_file(Path::new(name), Detail::Full)?);
        }
        // The file may have held another session before.
        let now = Library::read_file(Path::new(name), Detail::Counts).map(|now| now.id);
        let is_now = |session: &Session| now.as_ref().is_ok_and(|id| *id == session.id);
        let at = found.iter().position(is_now).unwrap_or_default();
        return Ok(found.swap_remove(at));
    }
    match handles.as_slice() {
        [] => checkpoint(library, name),
        [handle] => read_handle(library, handle, name),
        several => Err(ambiguous(library, name, several)),
    }
}

/// Checkpoints are no sessions, but they are found, and whoever found one wants to see it.
fn checkpoint(library: &Library, name: &str) -> Result<Session, CliError> {
    let mut found = library.checkpoints(name);
    match found.len() {
        0 => Err(unknown(library, name)),
        1 => Ok(found.swap_remove(0)),
        many => {
            let many = text::plural(many, "checkpoint");
            let message = format!("{name:?} may mean {many}");
            Err(CliError::cannot("ambiguous", message).hint("name its file by its whole path"))
        }
    }
}

fn read_handle(library: &Library, handle: &Handle, name: &str) -> Result<Session, CliError> {
    found(library, handle, name, library.read(handle))
}

fn found(
    library: &Library,
    handle: &Handle,
    name: &str,
    session: Option<Session>,
) -> Result<Session, CliError> {
    let (bare, _) = library.split_host(name);
    session
        .map(|session| narrow(session, gemtrail_core::stem_of(bare)))
        .ok_or_else(|| match library.why_unreadable(handle) {
            Some(error) => error.into(),
            None => gone(name),
        })
}

/// Finds the session of that name without reading it.
pub(super) fn find(library: &Library, name: &str) -> Result<Handle, CliError> {
    if let Some(row) = row_of(library, name).transpose()? {
        return library.find_row(&row).ok_or_else(|| gone(name));
    }
    let mut handles = library.find(name);
    if name.contains(['/', std::path::MAIN_SEPARATOR]) {
        handles = library.find(gemtrail_core::stem_of(name));
        // The file may be gone, its directory is probably not.
        let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let wanted = full(Path::new(name));
        let has_it = |handle: &Handle| {
            let journals = library.journals_of(handle);
            journals.iter().any(|journal| journal.path == wanted)
        };
        if handles.iter().any(&has_it) {
            handles.retain(has_it);
        }
    }
    match handles.as_slice() {
        [] => Err(unknown(library, name)),
        [handle] => Ok(handle.clone()),
        several => Err(ambiguous(library, name, several)),
    }
}

/// Sessions by their file names, for reading many of them.
pub(super) struct ByStem<'l> {
    library: &'l Library,
    /// `None` where a name may mean several things.
    handles: HashMap<&'l str, Option<&'l Handle>>,
}

impl<'l> ByStem<'l> {
    pub(super) fn new(library: &'l Library) -> Self {
        let all = library.handles();
        let mut handles: HashMap<&str, Option<&Handle>> = HashMap::new();
        for (handle, stem) in all
            .iter()
            .flat_map(|handle| handle.stems.iter().map(move |stem| (handle, stem.as_str())))
        {
            let place = handles.entry(stem).or_insert(Some(*handle));
            if place.is_some_and(|known| known != *handle) {
                *place = None;
            }
        }
        for handle in all {
            // An id goes before a file name.
            handles.remove(handle.key.id.as_str());
        }
        Self { library, handles }
    }

    /// Reads the session of that exact name; the digests of its files only if they are wanted.
    pub(super) fn read(&self, name: &str, digests: bool) -> Result<Session, CliError> {
        match self.handles.get(name) {
            Some(Some(handle)) if !digests => {
                let read = self.library.read_words(handle);
                found(self.library, handle, name, read)
            }
            Some(Some(handle)) => read_handle(self.library, handle, name),
            _ => read(self.library, name),
        }
    }
}

/// Before 0.37 a subagent's file bears its parent's id: the file name tells which one is meant.
fn narrow(mut session: Session, stem: &str) -> Session {
    let has_stem = |session: &Session| session.stems.iter().any(|known| known == stem);
    match session.subagents.iter().position(has_stem) {
        Some(at) if !has_stem(&session) => session.subagents.swap_remove(at),
        _ => session,
    }
}

/// The row that `latest` or `@N` names; nothing for other names.
pub(super) fn row_of(library: &Library, name: &str) -> Option<Result<SessionRow, CliError>> {
    match name.strip_prefix('@') {
        Some(number) => Some(nth(library, number)),
        None if name == "latest" => Some(nth(library, "1")),
        None => None,
    }
}

fn nth(library: &Library, number: &str) -> Result<SessionRow, CliError> {
    let Some(index) = number
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1))
    else {
        return Err(
            CliError::cannot("bad-name", format!("@{number} is no row number"))
                .hint("@1 is the newest session of `gemtrail list`"),
        );
    };
    let mut rows = library
        .brief_rows()
        .into_iter()
        .filter(SessionRow::is_listed);
    rows.nth(index)
        .ok_or_else(|| unknown(library, &format!("@{number}")))
}

fn gone(name: &str) -> CliError {
    CliError::nothing("not-found", format!("the session {name} has just gone"))
}

fn unknown(library: &Library, name: &str) -> CliError {
    let error = CliError::nothing(
        "not-found",
        format!("no session is called {name:?} in {}", places(library)),
    );
    error.hint("gemtrail list shows the sessions; a name is an id, 4 or more characters of one, a file name, `latest` or @N")
}

fn ambiguous(library: &Library, name: &str, handles: &[Handle]) -> CliError {
    let mut lines = vec![format!(
        "{name:?} may mean {}:",
        text::plural(handles.len(), "session")
    )];
    let hosts: HashSet<Option<&str>> = handles.iter().map(|it| library.host_of(it)).collect();
    for handle in handles.iter().take(MOST_CANDIDATES) {
        let project = library.projects()[handle.project].project().name();
        let stem = handle.stems.first().map(String::as_str).unwrap_or_default();
        let host = library.host_of(handle).filter(|_| hosts.len() > 1);
        let host = host.map(|host| format!("@{host}")).unwrap_or_default();
        let line = format!("{}{host}  {project}  {stem}", handle.key.id);
        lines.push(text::clean_line(&line).replace('\n', " "));
    }
    if handles.len() > MOST_CANDIDATES {
        lines.push(format!("… and {} more", handles.len() - MOST_CANDIDATES));
    }
    let ids: HashSet<&str> = handles.iter().map(|it| it.key.id.as_str()).collect();
    let hint = if hosts.len() > 1 {
        "several machines have it: add @ and the name of one"
    } else if ids.len() == 1 {
        "they have the same id: @N of `gemtrail list` or the path of a file tells them apart"
    } else {
        "give more of the id, or the file name"
    };
    CliError::cannot("ambiguous", lines.join("\n  ")).hint(hint)
}

/// The name of a project, with the machine if that is said.
pub(in crate::cli) fn project_at(project: &Project, host: Option<&str>) -> String {
    let host = host.map(|host| format!("@{host}")).unwrap_or_default();
    text::clean_line(&format!("{}{host}", project.name()))
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
