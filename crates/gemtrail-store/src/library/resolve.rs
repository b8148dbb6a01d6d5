//! Resolves what users call a session.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gemtrail_core::internal::short_id_of;
use gemtrail_core::model::{Kind, Place, Session, SessionRef};
use gemtrail_core::{Detail, stem_of};
use gemtrail_home::load::Depth;
use gemtrail_home::paths::text_of;
use gemtrail_query::Address;
use gemtrail_query::starts_with;

use super::filter::SessionFilter;
use super::names::is_uuid;
use super::{Handle, Library, ReadDetail, ReadError};

/// The shortest id prefix that names a session.
const SHORTEST_PREFIX: usize = 4;

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// A session of the library.
    Session(SessionRef),
    /// A file that does not belong to any session of the library.
    File(PathBuf),
    /// A saved checkpoint: not a session, but readable like one.
    Checkpoint(PathBuf),
}

/// Why a name has no meaning, or no unique one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Nothing has this name.
    #[error("no session matches {0:?}")]
    Unknown(String),
    /// What follows the `@` is not a row number.
    #[error("{0} is not a valid row")]
    NotANumber(String),
    /// Several sessions match.
    #[error("{name:?} is ambiguous; it matches {} sessions", candidates.len())]
    Ambiguous {
        /// The name.
        name: String,
        /// The sessions.
        candidates: Vec<Candidate>,
    },
    /// Several checkpoints match.
    #[error("{name:?} is ambiguous; it matches {} checkpoints", files.len())]
    AmbiguousCheckpoint {
        /// The name.
        name: String,
        /// Their files.
        files: Vec<PathBuf>,
    },
}

/// One of several sessions that a name may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its unique reference.
    pub reference: SessionRef,
    /// Its id.
    pub id: String,
    /// The name of its project.
    pub project: String,
    /// The machine it is on, if the archive knows.
    pub host: Option<String>,
    /// The name of its first file, without extension.
    pub stem: Option<String>,
}

impl Library {
    /// Resolves a name: a reference, `latest`, `@N`, a path, an id or a prefix of one, a file name,
    /// or a line of a list. Where several machines have a session, `NAME@HOST` picks one.
    pub fn resolve(&self, name: &str) -> Result<Named, ResolveError> {
        let name = of_line(name);
        if let Ok(reference) = name.parse()
            && let Some(handle) = self.locate(reference)
        {
            // A former reference is as good as the current one.
            let is_former = reference == handle.local_ref;
            let reference = if is_former {
                handle.reference
            } else {
                reference
            };
            return Ok(Named::Session(reference));
        }
        if name == "latest" {
            return self.numbered(name, "1").map(Named::Session);
        }
        if let Some(number) = name.strip_prefix('@') {
            return self.numbered(name, number).map(Named::Session);
        }
        let is_path = name.contains(['/', std::path::MAIN_SEPARATOR]);
        let handles = self.find(name);
        let path = Path::new(name);
        if (is_path || handles.is_empty() && path.is_file())
            && let Some(named) = self.at_path(path)
        {
            return Ok(named);
        }
        match handles.as_slice() {
            [] => self.checkpoint_called(name),
            [handle] => Ok(Named::Session(self.narrowed(handle, name))),
            several => Err(ResolveError::Ambiguous {
                name: name.to_owned(),
                candidates: several.iter().map(|it| self.candidate(it)).collect(),
            }),
        }
    }

    /// Resolves a name with or without a place: `2f1e0a52`, `@3:17`, `latest:2.5`. Whether the
    /// session has that place is left open.
    pub fn resolve_address(&self, text: &str) -> Result<(Named, Option<Place>), ResolveError> {
        let text = of_line(text);
        let address = Address::parse(text);
        if address.place.is_none() || self.is_whole_name(text, &address.name) {
            return Ok((self.resolve(text)?, None));
        }
        Ok((self.resolve(&address.name)?, address.place))
    }

    /// True if something has exactly this name, though it ends like a place.
    fn is_whole_name(&self, text: &str, before: &str) -> bool {
        // What reads like an id, or the start of one, is looked up without knowing all sessions.
        let is_of_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        let is_fixed = before == "latest"
            || before.starts_with('@')
            || before.len() >= SHORTEST_PREFIX && before.bytes().all(is_of_id)
            || before.parse::<SessionRef>().is_ok();
        let has_it = |handle: &&Handle| {
            handle.key.id == text || handle.stems.iter().any(|stem| stem == text)
        };
        let has_it = |handles: Vec<Handle>| handles.iter().any(|it| has_it(&it));
        !is_fixed
            && (Path::new(text).is_file()
                || has_it(self.handles_by_name(text))
                || has_it(self.handles_by_id(text, false)))
    }

    /// Reads whatever a name means.
    pub fn read_named(&self, named: &Named, detail: ReadDetail) -> Result<Session, ReadError> {
        match named {
            Named::Session(reference) => self.read(*reference, detail),
            Named::Checkpoint(path) => Ok(self.read_checkpoint(path)?),
            Named::File(path) => Ok(Self::read_file(path, Detail::Full)?),
        }
    }

    /// The session at a row of the plain list.
    fn numbered(&self, name: &str, number: &str) -> Result<SessionRef, ResolveError> {
        let Some(index) = number
            .parse::<usize>()
            .ok()
            .and_then(|it| it.checked_sub(1))
        else {
            return Err(ResolveError::NotANumber(name.to_owned()));
        };
        let rows = self.sessions(&SessionFilter {
            limit: Some(index + 1),
            ..SessionFilter::default()
        });
        let row = rows.get(index);
        row.map(|row| row.reference)
            .ok_or_else(|| ResolveError::Unknown(name.to_owned()))
    }

    /// Resolves a path. A file that is gone may still be known by its former path.
    fn at_path(&self, path: &Path) -> Option<Named> {
        let real = |path: &Path| {
            let real = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
            real.unwrap_or_else(|_| path.to_owned())
        };
        let wanted = real(path);
        let has_it = |handle: &&Handle| {
            handle
                .files
                .iter()
                .any(|(_, file)| file.path == wanted || real(&file.path) == wanted)
        };
        let stem = stem_of(&text_of(path)).to_owned();
        let called = self.find(&stem);
        let mut found: Vec<Handle> = called.iter().filter(has_it).cloned().collect();
        if found.is_empty() {
            // Links have names of their own.
            let all = self.handles();
            found = all.into_iter().filter(|handle| has_it(&handle)).collect();
        }
        if found.is_empty() {
            return path.is_file().then(|| Named::File(path.to_owned()));
        }
        // The file may have held another session before.
        let now = Self::read_file(path, Detail::Counts).map(|now| now.id);
        let is_now = |handle: &&Handle| now.as_ref().is_ok_and(|id| id.as_str() == handle.key.id);
        let handle = found.iter().find(is_now).or_else(|| found.first())?;
        let own = handle
            .files
            .iter()
            .find(|(_, file)| real(&file.path) == wanted);
        let own = own.map_or(stem, |(_, file)| stem_of(&text_of(&file.path)).to_owned());
        Some(Named::Session(self.narrowed(handle, &own)))
    }

    /// Checkpoints are not sessions, but they turn up in searches and can be shown.
    fn checkpoint_called(&self, name: &str) -> Result<Named, ResolveError> {
        let mut files = self.checkpoints_called(name);
        match files.len() {
            0 => Err(ResolveError::Unknown(name.to_owned())),
            1 => Ok(Named::Checkpoint(files.swap_remove(0))),
            _ => Err(ResolveError::AmbiguousCheckpoint {
                name: name.to_owned(),
                files,
            }),
        }
    }

    /// Before 0.37 a subagent's file has its parent's id: the file name decides which one is meant.
    fn narrowed(&self, handle: &Handle, name: &str) -> SessionRef {
        let (name, _) = self.split_host(name);
        let stem = stem_of(name);
        let is_shared = handle.kind == Kind::Main && handle.stems.len() > 1;
        if !is_shared || !handle.stems.iter().any(|known| known == stem) {
            return handle.reference;
        }
        let has_stem = |session: &&Session| session.stems.iter().any(|known| known == stem);
        let session = self.read_as_found(handle, Depth::Counts);
        let session = session.filter(|session| !has_stem(&session));
        let subagent = session
            .as_ref()
            .and_then(|it| it.subagents.iter().find(has_stem));
        subagent.map_or(handle.reference, |it| it.reference)
    }

    /// All sessions that this name matches; more than one if it is ambiguous.
    fn find(&self, name: &str) -> Vec<Handle> {
        let (name, host) = self.split_host(name);
        let mut found = self.find_anywhere(name);
        if host.is_some() {
            found.retain(|handle| self.host_of(handle.project) == host);
        }
        found
    }

    fn find_anywhere(&self, name: &str) -> Vec<Handle> {
        if is_uuid(name) {
            let found = find_in(&self.handles_by_id(name, true), name);
            if !found.is_empty() {
                return found;
            }
        }
        let mut handles = self.handles_by_id(name, false);
        handles.extend(self.handles_by_name(stem_of(name)));
        let mut seen = HashSet::new();
        handles.retain(|handle| seen.insert((handle.project, handle.key.clone())));
        find_in(&handles, name)
    }

    /// Splits a trailing machine off a name.
    fn split_host<'n>(&self, name: &'n str) -> (&'n str, Option<&'n str>) {
        let is_host = |host: &str| {
            let mut homes = self.homes().iter();
            homes.any(|found| found.host.as_deref() == Some(host))
        };
        match name.rsplit_once('@') {
            Some((before, host)) if !before.is_empty() && is_host(host) => (before, Some(host)),
            _ => (name, None),
        }
    }

    fn candidate(&self, handle: &Handle) -> Candidate {
        Candidate {
            reference: handle.reference,
            id: handle.key.id.clone(),
            project: self.projects()[handle.project].project().name(),
            host: self.host_of(handle.project).map(str::to_owned),
            stem: handle.stems.first().cloned(),
        }
    }
}

/// The name in a whole line of a list or of hits, as programs that pick lines return it.
fn of_line(text: &str) -> &str {
    let is_reference = |name: &str| name.parse::<SessionRef>().is_ok();
    let mut columns = text.split('\t');
    match (columns.next(), columns.next()) {
        (Some(row), Some(reference))
            if (row == "-" || row.starts_with('@')) && is_reference(reference) =>
        {
            reference
        }
        (Some(address), Some(_)) if is_reference(&Address::parse(address).name) => address,
        _ => text,
    }
}

fn find_in(handles: &[Handle], name: &str) -> Vec<Handle> {
    let pick = |wanted: &dyn Fn(&Handle) -> bool| -> Vec<Handle> {
        let wanted = handles.iter().filter(|handle| wanted(handle));
        wanted.cloned().collect()
    };
    let mut by_id = pick(&|handle| handle.key.id.eq_ignore_ascii_case(name));
    // Only made-up ids differ in case alone.
    if by_id.iter().any(|handle| handle.key.id == name) {
        by_id.retain(|handle| handle.key.id == name);
    }
    if !by_id.is_empty() {
        // A subagent may have its parent's id.
        let mains: Vec<Handle> = by_id
            .iter()
            .filter(|handle| handle.kind != Kind::Subagent)
            .cloned()
            .collect();
        return if mains.is_empty() { by_id } else { mains };
    }
    let stem = stem_of(name);
    let by_stem = pick(&|handle| handle.stems.iter().any(|known| known == stem));
    if !by_stem.is_empty() {
        return by_stem;
    }
    if name.chars().count() < SHORTEST_PREFIX {
        return Vec::new();
    }
    let by_prefix = pick(&|handle| starts_with(&handle.key.id, name));
    if !by_prefix.is_empty() {
        return by_prefix;
    }
    let is_named = |stem: &String| short_id_of(stem).is_some_and(|short| starts_with(short, name));
    pick(&|handle| handle.stems.iter().any(is_named))
}
