//! Which sessions exist, and which files they have.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use gemtrail_core::model::{Kind, Logged, SessionRef};
use gemtrail_core::{LogEntry, short_id_of, stem_of};
use rayon::prelude::*;

use super::{Handle, Library, Views, computed};
use crate::discover::{FileKind, FoundFile};
use crate::group::{SessionKey, group};
use crate::load::{Depth, load_earlier, load_found};
use crate::peek::peek_file;
use crate::project::ProjectEntry;
use crate::spelled::text_of;
use crate::versions::id_without_name;

/// What the log alone has of a session.
pub(crate) type LoggedOf = (SessionRef, Vec<Logged>);

/// Cache of what was read of a project so far.
#[derive(Debug, Default)]
pub(crate) struct ProjectCache {
    /// Its sessions, by the headers of their files.
    handles: OnceLock<Vec<Handle>>,
    /// Its prompt log.
    prompts: OnceLock<Vec<LogEntry>>,
    /// What only the log has.
    pub(crate) logged: OnceLock<Vec<LoggedOf>>,
}

/// How much of a file to read to identify its session.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    /// The header, which names the session in all files that Gemini CLI wrote and nobody edited.
    Header,
    /// All of it: a later record may give the session another id.
    Everything,
}

impl Library {
    /// The sessions of a project, by the headers of their files.
    pub(crate) fn handles_of(&self, project: usize) -> &[Handle] {
        computed(&self.caches[project].handles, || {
            let entry = &self.projects()[project];
            let known = |views: &dyn Views| views.handles(project, entry);
            let is_covered = self.is_covered(project);
            match is_covered.then(|| self.ask_views(known)).flatten() {
                Some(handles) => self.referred(handles),
                None => self.look_up(project, Look::Header),
            }
        })
    }

    /// The sessions of a project, reading its files to this extent.
    pub(crate) fn look_up(&self, project: usize, look: Look) -> Vec<Handle> {
        let entry = &self.projects()[project];
        self.referred(handles(project, entry, self.prompts_of(project), look))
    }

    /// Fills in the references of sessions of one project.
    pub(super) fn referred(&self, mut handles: Vec<Handle>) -> Vec<Handle> {
        if let Some(project) = handles.first().map(|handle| handle.project) {
            let identity = self.identity_of(&self.projects()[project]);
            let home = self.home_of(project);
            for handle in &mut handles {
                handle.local_ref = handle.key.reference(&identity);
                handle.reference = self.as_seen_here(home, handle.local_ref);
                let parent = handle.key.parent_reference(&identity);
                handle.parent_ref = parent.map(|parent| self.as_seen_here(home, parent));
            }
        }
        handles
    }

    /// The prompt log of a project.
    pub(crate) fn prompts_of(&self, project: usize) -> &[LogEntry] {
        let read = || Self::read_prompts(&self.projects()[project]);
        computed(&self.caches[project].prompts, read)
    }

    /// The sessions of projects in which a file has an id in its header, as all do, and in its own
    /// name, as almost all do. Looks at few files: those that Gemini CLI named after another
    /// session are skipped.
    ///
    /// `short` is the part of the id that file names contain; `is_it` checks the full id.
    pub(crate) fn find_by_file_name(
        &self,
        short: &str,
        is_it: impl Fn(&str) -> bool + Sync,
    ) -> Vec<&Handle> {
        let has_it = |(_, file): &(usize, FoundFile)| {
            file.kind.is_journal()
                && short_id_of(&stem(file)).is_none_or(|named| named.eq_ignore_ascii_case(short))
                && keys_of(file, Look::Header).iter().any(|key| is_it(&key.id))
        };
        let projects = (0..self.projects().len()).into_par_iter();
        let projects: Vec<usize> = projects
            .filter(|&project| self.projects()[project].files().iter().any(has_it))
            .collect();
        projects
            .into_iter()
            .flat_map(|project| self.handles_of(project))
            .collect()
    }
}

/// How many characters of a session's id its file names contain.
pub(crate) const SHORT_ID: usize = 8;

pub(crate) fn is_uuid(id: &str) -> bool {
    let is_part = |(part, length): (&str, usize)| {
        part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit())
    };
    id.len() == 36 && id.split('-').zip([8, 4, 4, 4, 12]).all(is_part)
}

fn stem(file: &FoundFile) -> String {
    stem_of(&text_of(&file.path)).to_owned()
}

fn handles(project: usize, entry: &ProjectEntry, prompts: &[LogEntry], look: Look) -> Vec<Handle> {
    let files = entry.files().par_iter();
    let journals = files.filter(|(_, file)| file.kind.is_journal());
    let keyed = journals.flat_map_iter(|located| {
        let keys = keys_of(&located.1, look).into_iter();
        keys.map(move |key| (key, located))
    });
    let keyed: Vec<(SessionKey, &(usize, FoundFile))> = keyed.collect();
    let mut logged: Vec<&str> = prompts
        .iter()
        .map(|prompt| prompt.session_id.as_str())
        .collect();
    logged.sort_unstable();
    logged.dedup();
    sessions_of(project, keyed, logged)
}

/// The sessions of these files, and those of these ids that are only in the log.
pub(crate) fn sessions_of(
    project: usize,
    files: Vec<(SessionKey, &(usize, FoundFile))>,
    mut logged: Vec<&str>,
) -> Vec<Handle> {
    let groups = group(files);
    let mut subagents: HashMap<&str, Vec<&(usize, FoundFile)>> = HashMap::new();
    for (key, files) in &groups {
        if let Some(parent) = &key.parent {
            subagents
                .entry(parent)
                .or_default()
                .extend(files.iter().copied());
        }
    }
    let mut handles: Vec<Handle> = groups
        .iter()
        .map(|(key, own)| {
            let subagents = key
                .parent
                .is_none()
                .then(|| subagents.get(key.id.as_str()))
                .flatten();
            let subagents = subagents.into_iter().flatten().copied();
            Handle {
                reference: SessionRef::default(),
                local_ref: SessionRef::default(),
                parent_ref: None,
                key: key.clone(),
                project,
                stems: stems(own),
                kind: if key.parent.is_some() {
                    Kind::Subagent
                } else {
                    Kind::Main
                },
                files: own.iter().copied().chain(subagents).cloned().collect(),
            }
        })
        .collect();
    let known: HashSet<&str> = groups.iter().map(|(key, _)| key.id.as_str()).collect();
    logged.retain(|id| !known.contains(id));
    handles.extend(logged.into_iter().map(|id| Handle {
        reference: SessionRef::default(),
        local_ref: SessionRef::default(),
        parent_ref: None,
        key: SessionKey {
            parent: None,
            id: id.to_owned(),
            apart: None,
        },
        project,
        stems: Vec::new(),
        kind: Kind::Log,
        files: Vec::new(),
    }));
    handles
}

fn stems(files: &[&(usize, FoundFile)]) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for (_, file) in files
        .iter()
        .filter(|(_, file)| file.kind != FileKind::UnreadableJournal)
    {
        let stem = stem(file);
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}

/// The session that a file belongs to; read in full if the header does not name it. If it was
/// emptied or damaged, or cannot be read, earlier versions decide.
pub(crate) fn key_of(file: &FoundFile, look: Look) -> SessionKey {
    let id = named_in(file, look).or_else(|| named_before(file, look).next());
    let known = || file.versions.session.as_deref().map(str::to_owned);
    let id = id.or_else(known).unwrap_or_else(|| made_up(file));
    SessionKey::known(&file.kind, id, &text_of(&file.path))
}

/// The session that a file belongs to, followed by those it belonged to before.
fn keys_of(file: &FoundFile, look: Look) -> Vec<SessionKey> {
    let mut keys = vec![key_of(file, look)];
    for id in named_before(file, look) {
        let key = SessionKey::known(&file.kind, id, &text_of(&file.path));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The sessions that earlier versions of a file name, newest first.
fn named_before(file: &FoundFile, look: Look) -> impl Iterator<Item = String> {
    file.versions.earlier.iter().rev().filter_map(move |kept| {
        let mut then = file.clone();
        then.versions.latest = Some(Arc::clone(kept));
        named_in(&then, look)
    })
}

/// The id of a session that its file does not name.
fn made_up(file: &FoundFile) -> String {
    let now = load_found(file, Depth::Counts).ok();
    let before = load_earlier(file, Depth::Counts).into_iter().rev();
    id_without_name(file, now.into_iter().chain(before))
}

fn named_in(file: &FoundFile, look: Look) -> Option<String> {
    let peeked = match look {
        Look::Header => peek_file(file).ok().and_then(|header| header.session_id),
        Look::Everything => None,
    };
    let id = peeked.or_else(|| {
        let journal = load_found(file, Depth::Counts).ok()?;
        journal.recorded_id().map(str::to_owned)
    });
    id.filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_by_their_form() {
        assert!(is_uuid("2f1e0a52-aaaa-4bbb-8ccc-0123456789ab"));
        assert!(!is_uuid("2f1e0a52-aaaa-4bbb-8ccc-0123456789-b"));
        assert!(!is_uuid("2f1e0a52"));
    }
}
