//! Which sessions there are and which files they have.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use gemtrail_core::model::{Kind, Logged, SessionId};
use gemtrail_core::{Detail, LogEntry, Metadata, stem_of};
use rayon::prelude::*;

use crate::discover::{FileKind, FoundFile};
use crate::find::Handle;
use crate::group::{SessionKey, group};
use crate::library::{Library, is_journal};
use crate::load::load_found;
use crate::peek::peek_file;
use crate::project::ProjectEntry;

/// What the log alone has of a session: its id, its stems, the prompts.
pub(crate) type LoggedOf = (SessionId, Vec<String>, Vec<Logged>);

/// Made when the first session is looked up, and kept.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) handles: Vec<Handle>,
    /// The prompt log of each project, once somebody asked.
    prompts: Vec<OnceLock<Vec<LogEntry>>>,
    /// What only the log has, by project, once somebody asked.
    pub(crate) logged: Vec<OnceLock<Vec<LoggedOf>>>,
}

/// How much of a file is read to tell its session.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    /// The header, which names the session in all files that Gemini CLI made and left alone.
    Header,
    /// All of it: a later record may give the session another id.
    Everything,
}

impl Index {
    pub(crate) fn of(projects: &[ProjectEntry], look: Look) -> Self {
        let mut index = Self::with(projects, Vec::new());
        index.handles = (0..projects.len())
            .into_par_iter()
            .flat_map_iter(|at| {
                let prompts = index.prompts(at, &projects[at]);
                handles(at, &projects[at], prompts, look)
            })
            .collect();
        index
    }

    /// Sessions that are known already.
    pub(crate) fn with(projects: &[ProjectEntry], handles: Vec<Handle>) -> Self {
        Self {
            handles,
            prompts: projects.iter().map(|_| OnceLock::new()).collect(),
            logged: projects.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The prompt log of a project.
    pub(crate) fn prompts(&self, at: usize, project: &ProjectEntry) -> &[LogEntry] {
        self.prompts[at].get_or_init(|| Library::read_prompts(project))
    }
}

fn handles(project: usize, entry: &ProjectEntry, prompts: &[LogEntry], look: Look) -> Vec<Handle> {
    let journals: Vec<(usize, &FoundFile)> = entry
        .files
        .iter()
        .enumerate()
        .filter(|(_, (_, file))| is_journal(&file.kind))
        .map(|(at, (_, file))| (at, file))
        .collect();
    let keyed: Vec<(SessionKey, (usize, &FoundFile))> = journals
        .par_iter()
        .map(|&(at, file)| (key_of(file, look), (at, file)))
        .collect();
    let mut logged: Vec<&str> = prompts
        .iter()
        .map(|prompt| prompt.session_id.as_str())
        .collect();
    logged.sort_unstable();
    logged.dedup();
    handles_of(project, keyed, logged)
}

/// The sessions that these files make, and those of these ids that are known from the log only.
pub(crate) fn handles_of(
    project: usize,
    files: Vec<(SessionKey, (usize, &FoundFile))>,
    mut logged: Vec<&str>,
) -> Vec<Handle> {
    let groups = group(files);
    let mut subagents: HashMap<&str, Vec<&(usize, &FoundFile)>> = HashMap::new();
    for (key, files) in &groups {
        if let Some(parent) = &key.parent {
            subagents.entry(parent).or_default().extend(files);
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
                key: key.clone(),
                project,
                stems: stems(own),
                kind: if key.parent.is_some() {
                    Kind::Subagent
                } else {
                    Kind::Main
                },
                files: own.iter().chain(subagents).map(|(at, _)| *at).collect(),
            }
        })
        .collect();
    let known: HashSet<&str> = groups.iter().map(|(key, _)| key.id.as_str()).collect();
    logged.retain(|id| !known.contains(id));
    handles.extend(logged.into_iter().map(|id| Handle {
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

fn stems(files: &[(usize, &FoundFile)]) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for (_, file) in files
        .iter()
        .filter(|(_, file)| file.kind != FileKind::UnreadableJournal)
    {
        let stem = stem_of(&file.path.to_string_lossy()).to_owned();
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}

/// The session that a file belongs to; a file whose header does not tell is read.
fn key_of(file: &FoundFile, look: Look) -> SessionKey {
    let mut metadata = match look {
        Look::Header => peek_file(file).unwrap_or_default(),
        Look::Everything => Metadata::default(),
    };
    if metadata.session_id.is_none()
        && let Ok(journal) = load_found(file, Detail::Counts)
    {
        metadata = journal.log.metadata().clone();
    }
    SessionKey::of(&file.kind, &metadata, &file.path.to_string_lossy())
}
