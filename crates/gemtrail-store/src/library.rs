//! All homes as one library of sessions.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gemtrail_core::model::{Diagnostic, Session, SessionRow};

use crate::discover::{FileKind, Found, discover};
use crate::find::Handle;
use crate::index::{Look, Shelf};
use crate::listing::KeptLine;
use crate::project::{self, Hints, ProjectEntry, Registry};
use crate::search::{Answer, Echoes, Page, Query};
use crate::{Places, StoreError};

/// What was found in all homes, by project.
#[derive(Debug)]
pub struct Library {
    found: Vec<Found>,
    projects: Vec<ProjectEntry>,
    learned: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// One for each project.
    pub(crate) shelves: Vec<Shelf>,
    exact_index: OnceLock<Vec<Handle>>,
    pub(crate) prepared: Option<Box<dyn Prepared>>,
    archive: Option<PathBuf>,
}

/// Somebody who knows the sessions already.
pub(crate) trait Prepared: std::fmt::Debug + Send + Sync {
    /// The row of every session, with its project by position. Whether it is on disk is left open.
    fn rows(&self) -> std::io::Result<Vec<(usize, SessionRow)>>;

    /// The same without what lists do not show; with the whole lines if they are wanted.
    fn briefs(&self, lines: bool) -> std::io::Result<Vec<(usize, SessionRow, Option<KeptLine>)>>;

    /// The sessions of a project, exactly.
    fn handles(&self, project: usize, entry: &ProjectEntry) -> std::io::Result<Vec<Handle>>;

    /// The prints of what only the log has of a session, see [`print_of`].
    fn logged(&self, handle: &Handle) -> Option<HashSet<u64>>;

    /// Looks for a query, and listens for texts that checkpoints have. Sessions are read from the
    /// library.
    fn search(
        &self,
        library: &Library,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> std::io::Result<Answer>;
}

/// The sessions of one project.
#[derive(Debug, Default)]
pub struct ProjectSessions {
    /// Main sessions with their subagents, subagents whose parent is gone, and sessions known only
    /// from the prompt log.
    pub sessions: Vec<Session>,
    /// Files that could not be read at all.
    pub diagnostics: Vec<Diagnostic>,
}

impl Library {
    /// Looks through the homes. Reads names and headers, and the starts of files in projects whose
    /// root path stands neither in a marker nor in a registry.
    pub fn open(places: &Places) -> Result<Self, StoreError> {
        Self::open_with(places, &Hints::default())
    }

    /// The same with help for finding root paths.
    pub fn open_with(places: &Places, hints: &Hints) -> Result<Self, StoreError> {
        let found = places.homes()?.iter().map(discover).collect();
        Ok(Self::of(found, hints))
    }

    /// Makes projects of what was found.
    pub(crate) fn of(found: Vec<Found>, hints: &Hints) -> Self {
        let mut diagnostics: Vec<Diagnostic> = found
            .iter()
            .flat_map(|found| found.diagnostics.clone())
            .collect();
        let registries: Vec<Registry> = found
            .iter()
            .map(|found| Registry::read(found.registry.as_ref(), &mut diagnostics))
            .collect();
        let mut projects = project::join(&found, &registries, &mut diagnostics);
        let learned = project::resolve(&mut projects, &found, &registries, hints);
        Self {
            shelves: projects.iter().map(|_| Shelf::default()).collect(),
            found,
            projects,
            learned,
            diagnostics,
            exact_index: OnceLock::new(),
            prepared: None,
            archive: None,
        }
    }

    /// A library of sessions that are known already.
    #[cfg(feature = "archive")]
    pub(crate) fn prepared(
        found: Vec<Found>,
        projects: Vec<ProjectEntry>,
        prepared: Box<dyn Prepared>,
    ) -> Self {
        Self {
            prepared: Some(prepared),
            ..Self::of_projects(found, projects)
        }
    }

    /// A library of projects about which all is known.
    pub(crate) fn of_projects(found: Vec<Found>, projects: Vec<ProjectEntry>) -> Self {
        Self {
            shelves: projects.iter().map(|_| Shelf::default()).collect(),
            found,
            projects,
            learned: Vec::new(),
            diagnostics: Vec::new(),
            exact_index: OnceLock::new(),
            prepared: None,
            archive: None,
        }
    }

    /// The same, and from which archive it comes.
    #[cfg(feature = "archive")]
    pub(crate) fn with_archive(self, path: &Path) -> Self {
        Self {
            archive: Some(path.to_owned()),
            ..self
        }
    }

    /// The archive that was asked besides the disk, if one was.
    pub fn archive(&self) -> Option<&Path> {
        self.archive.as_deref()
    }

    /// All sessions, by the headers of their files.
    pub(crate) fn index(&self) -> Vec<&Handle> {
        // The files of each project are read on several threads.
        let projects = 0..self.projects.len();
        projects.flat_map(|at| self.handles_of(at)).collect()
    }

    /// The same after reading every file to its end.
    pub(crate) fn exact_index(&self) -> &[Handle] {
        let look_up = |at| self.look_up(at, Look::Everything);
        self.exact_index.get_or_init(|| {
            if self.prepared.is_some() {
                return self.index().into_iter().cloned().collect();
            }
            (0..self.projects.len()).flat_map(look_up).collect()
        })
    }

    /// What was found, home by home.
    pub fn homes(&self) -> &[Found] {
        &self.found
    }

    /// The projects of all homes.
    pub fn projects(&self) -> &[ProjectEntry] {
        &self.projects
    }

    /// Root paths that are worth remembering as [`Hints::taught`]: the next look may not find them
    /// again.
    pub fn learned(&self) -> &[String] {
        &self.learned
    }

    /// What was odd about directories and names.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether the rows are known without reading any session.
    pub fn knows_rows(&self) -> bool {
        self.prepared.is_some()
    }

    /// The sessions of a project, if they are known.
    pub(crate) fn prepared_handles(&self, project: usize) -> Option<Vec<Handle>> {
        let prepared = self.prepared.as_ref()?;
        prepared.handles(project, &self.projects[project]).ok()
    }

    /// Which logged prompts stand in no session of the project, if that is known.
    pub(crate) fn prepared_logged(&self, handle: &Handle) -> Option<HashSet<u64>> {
        self.prepared.as_ref()?.logged(handle)
    }

    /// The answer of somebody who has an index.
    pub(crate) fn search_prepared(
        &self,
        query: &Query,
        page: &Page,
        echoes: &Echoes,
    ) -> Option<std::io::Result<Answer>> {
        let prepared = self.prepared.as_ref()?;
        Some(prepared.search(self, query, page, echoes))
    }

    /// The same files, for somebody who trusts nothing else.
    pub(crate) fn without_index(&self) -> Self {
        Self {
            archive: self.archive.clone(),
            ..Self::of_projects(self.found.clone(), self.projects.clone())
        }
    }
}

/// Files that hold messages.
pub(crate) fn is_journal(kind: &FileKind) -> bool {
    matches!(
        kind,
        FileKind::Journal | FileKind::Subagent { .. } | FileKind::UnreadableJournal
    )
}
