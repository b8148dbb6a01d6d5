//! A project: all directories in all homes that share one root path.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use gemtrail_core::Fingerprint;
use gemtrail_core::model::{Diagnostic, PathSource, Project, is_hash};

use super::prove::{Prover, Wanted};
use super::registry::{Registry, identify};
use super::search::{Limits, search};
use crate::antigravity::is_conversation_dir;
use crate::conversations;
use crate::discover::{Found, FoundFile};
use crate::source::FileRowId;

/// Files with the indices of their homes.
pub type Files = Vec<(usize, FoundFile)>;

/// A project with its files in all homes.
#[derive(Clone, Debug)]
pub struct ProjectEntry {
    /// The project as known without reading its files in full.
    pub(super) known: Project,
    settled: OnceLock<Arc<Project>>,
    files: FilesOf,
    /// Its directories, each with the index of its home.
    pub dirs: Vec<(usize, String)>,
}

#[derive(Clone, Debug)]
enum FilesOf {
    /// They were found on disk, or are known already.
    Known(Files),
    /// They are loaded when asked for: an archive may have a hundred thousand.
    Lazy {
        loader: FileLoader,
        all: OnceLock<Files>,
        besides: OnceLock<Files>,
    },
}

/// The files of a project to load.
#[derive(Clone, Copy, Debug)]
pub enum Load<'a> {
    /// All of them.
    All,
    /// Those that are not journals.
    Besides,
    /// Those with these rows.
    Rows(&'a [FileRowId]),
}

type Loading = dyn Fn(&[(usize, String)], Load<'_>) -> Files + Send + Sync;

/// Loads files of the project in these directories.
#[derive(Clone)]
pub struct FileLoader(pub Arc<Loading>);

impl fmt::Debug for FileLoader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FileLoader")
    }
}

impl ProjectEntry {
    /// A project with files that were found.
    pub fn new(known: Project, files: Vec<(usize, FoundFile)>, dirs: Vec<(usize, String)>) -> Self {
        Self {
            known,
            settled: OnceLock::new(),
            files: FilesOf::Known(files),
            dirs,
        }
    }

    /// A project that is fully resolved, and whose files are loaded when asked for.
    pub fn lazy(known: Project, dirs: Vec<(usize, String)>, loader: FileLoader) -> Self {
        Self {
            settled: OnceLock::from(Arc::new(known.clone())),
            known,
            files: FilesOf::Lazy {
                loader,
                all: OnceLock::new(),
                besides: OnceLock::new(),
            },
            dirs,
        }
    }

    /// Its files, each with the index of its home.
    pub fn files(&self) -> &[(usize, FoundFile)] {
        match &self.files {
            FilesOf::Known(files) => files,
            FilesOf::Lazy { loader, all, .. } => {
                all.get_or_init(|| loader.0(&self.dirs, Load::All))
            }
        }
    }

    /// Its files that are not journals: logs, checkpoints, outputs.
    pub fn besides(&self) -> impl Iterator<Item = &(usize, FoundFile)> {
        let files = match &self.files {
            FilesOf::Known(files) => files,
            FilesOf::Lazy {
                loader, besides, ..
            } => besides.get_or_init(|| loader.0(&self.dirs, Load::Besides)),
        };
        files.iter().filter(|(_, file)| !file.kind.is_journal())
    }

    /// The state of its files, as a number; 0 if they are in an archive.
    pub fn state(&self) -> u64 {
        let FilesOf::Known(files) = &self.files else {
            return 0;
        };
        let files = files.iter();
        let files =
            files.map(|(home, file)| format!("{home} {} {:?}", file.path.display(), file.stat));
        Fingerprint::of_parts(files).short()
    }

    /// Its files with these rows.
    pub fn files_with(&self, rows: &[FileRowId]) -> Files {
        match &self.files {
            FilesOf::Known(files) => {
                let is_it = |file: &&(usize, FoundFile)| rows.contains(&file.1.rows().0);
                files.iter().filter(is_it).cloned().collect()
            }
            FilesOf::Lazy { loader, .. } => loader.0(&self.dirs, Load::Rows(rows)),
        }
    }

    /// What is known about it. If the root path cannot be found otherwise, the first call reads all
    /// its files, so call this only for projects that matter.
    pub fn project(&self) -> &Project {
        self.shared()
    }

    /// The same, for rows: all sessions of a project share it.
    pub fn shared(&self) -> &Arc<Project> {
        self.settled.get_or_init(|| {
            Arc::new(match &self.known {
                Project {
                    hash: Some(hash),
                    path: None,
                    ..
                } => self.search_all_files(hash),
                known => known.clone(),
            })
        })
    }

    /// True if its root path can only be found, if at all, by reading its files in full.
    pub fn needs_search(&self) -> bool {
        self.known.hash.is_some() && self.known.path.is_none()
    }

    /// The hash of its root path, if that is known.
    pub fn known_hash(&self) -> Option<&String> {
        self.known.hash.as_ref()
    }

    /// Freezes the project as resolved so far.
    pub fn settle(&self) {
        self.settled.get_or_init(|| Arc::new(self.known.clone()));
    }

    fn search_all_files(&self, hash: &str) -> Project {
        let wanted = Wanted::new([(0, hash)]);
        let mut prover = Prover::new(&wanted, Limits::MOST.tries);
        search(&mut prover, self.files(), Some(0), Limits::MOST);
        let mut project = self.known.clone();
        if let Some(proof) = prover.into_proofs().pop() {
            project.path = Some(proof.path);
            project.path_source = PathSource::Hash;
        }
        project
    }
}

/// Merges the directories of all homes into projects; each home comes with its registry.
pub(crate) fn join(
    found: &[Found],
    registries: &[Registry],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ProjectEntry> {
    let mut entries: Vec<ProjectEntry> = Vec::new();
    let mut by_hash: HashMap<String, usize> = HashMap::new();
    let workspaces = conversations::projects(found);
    // What Gemini CLI says about its projects comes first.
    for is_second in [false, true] {
        let homes = found.iter().zip(registries).enumerate();
        let dirs = homes.flat_map(|(at, (found, registry))| {
            let dirs = found.projects.iter();
            dirs.map(move |dir| (at, found, registry, dir))
        });
        let dirs = dirs.filter(|it| is_conversation_dir(&it.3.name) == is_second);
        for (home_index, found, registry, dir) in dirs {
            let project = if is_second {
                let known = conversations::id_of(dir).and_then(|id| workspaces.get(id));
                known.cloned().unwrap_or_default()
            } else {
                identify(dir, registry, diagnostics)
            };
            let files = dir.files.iter().map(|file| (home_index, file.clone()));
            // The same path on another machine is another project.
            let host = found.host.as_deref().unwrap_or_default();
            let key = match &project.hash {
                Some(hash) => format!("{host}/{hash}"),
                // All that tell nothing are one project.
                None if is_second => format!("{home_index}/"),
                None => format!("{home_index}/{}", dir.name),
            };
            if let Some(&at) = by_hash.get(&key) {
                if let FilesOf::Known(known) = &mut entries[at].files {
                    known.extend(files);
                }
                entries[at].dirs.push((home_index, dir.name.clone()));
                if !is_second {
                    better(&mut entries[at].known, project);
                }
            } else {
                by_hash.insert(key, entries.len());
                let dirs = vec![(home_index, dir.name.clone())];
                entries.push(ProjectEntry::new(project, files.collect(), dirs));
            }
        }
    }
    entries
}

/// Fills in what another directory of the same project knows better.
fn better(known: &mut Project, other: Project) {
    let is_slug = |project: &Project| project.dir.as_deref().is_some_and(|dir| !is_hash(dir));
    if !is_slug(known) && is_slug(&other) {
        known.dir = other.dir;
    }
    let rank = |source: PathSource| match source {
        PathSource::Marker => 0,
        PathSource::Registry => 1,
        _ => 2,
    };
    if rank(other.path_source) < rank(known.path_source) {
        known.path = other.path;
        known.path_source = other.path_source;
    }
}
