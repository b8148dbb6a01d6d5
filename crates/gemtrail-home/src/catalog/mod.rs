//! Everything found in some homes, by project, and how files become sessions.

mod assemble;
mod conversations;
mod key;
mod unread;

use std::path::Path;
use std::sync::OnceLock;

use gemtrail_core::LogEntry;
use gemtrail_core::model::{Diagnostic, Origin, Session, SessionRef};

use crate::Hints;
use crate::discover::Found;
use crate::project::{self, ProjectEntry, Registry};

pub use assemble::by_session;
pub use key::key_of;
use unread::Unread;

/// Homes, their projects, and the files of these.
#[derive(Debug, Default)]
pub struct Catalog {
    homes: Vec<Found>,
    projects: Vec<ProjectEntry>,
    /// The prompt log of each project.
    prompts: Vec<OnceLock<Vec<LogEntry>>>,
    learned: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// The machine of each home that is not on this one.
    foreign: Vec<Option<String>>,
    unread: Unread,
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

impl Catalog {
    /// Groups what was found into projects.
    pub fn of(found: Vec<Found>, hints: &Hints) -> Self {
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
            learned,
            diagnostics,
            ..Self::of_projects(found, projects)
        }
    }

    /// A catalog of projects that are fully resolved.
    pub fn of_projects(homes: Vec<Found>, projects: Vec<ProjectEntry>) -> Self {
        Self {
            prompts: projects.iter().map(|_| OnceLock::new()).collect(),
            homes,
            projects,
            ..Self::default()
        }
    }

    /// The same, read on the machine of this name: homes of other machines are foreign.
    #[must_use]
    pub fn seen_from(mut self, here: Option<&str>) -> Self {
        let is_foreign = |host: &String| here != Some(host.as_str());
        let hosts = self.homes.iter().map(|found| found.host.clone());
        self.foreign = hosts.map(|host| host.filter(is_foreign)).collect();
        self
    }

    /// Adds projects of the same homes.
    #[must_use]
    pub fn with_projects(mut self, more: Self) -> Self {
        self.projects.extend(more.projects);
        self.prompts.extend(more.prompts);
        self.learned.extend(more.learned);
        self.diagnostics.extend(more.diagnostics);
        self
    }

    /// Adds what was odd about the disk.
    #[must_use]
    pub fn with_diagnostics(mut self, more: Vec<Diagnostic>) -> Self {
        self.diagnostics.extend(more);
        self
    }

    /// The homes; without their files if these are in an archive.
    pub fn homes(&self) -> &[Found] {
        &self.homes
    }

    /// The projects of all homes.
    pub fn projects(&self) -> &[ProjectEntry] {
        &self.projects
    }

    /// Root paths worth remembering.
    pub fn learned(&self) -> &[String] {
        &self.learned
    }

    /// Findings about directories and names.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Identifies a project in the references of its sessions, on whatever machine it is read.
    pub fn identity_of(&self, entry: &ProjectEntry) -> String {
        if let Some(hash) = entry.known_hash() {
            return hash.clone();
        }
        // Two homes may have directories of the same name; only the same path makes them one
        // project.
        let Some((home, dir)) = entry.dirs.first() else {
            return String::new();
        };
        let root = self.homes.get(*home).map(|found| &found.home.root);
        let root = root.map(|root| std::fs::canonicalize(root).unwrap_or_else(|_| root.clone()));
        format!("{}/{dir}", root.unwrap_or_default().display())
    }

    /// A session's reference on this machine, given the one on its own machine.
    pub fn as_seen_here(&self, home: usize, reference: SessionRef) -> SessionRef {
        match self.foreign.get(home) {
            Some(Some(host)) => reference.on_machine(host),
            _ => reference,
        }
    }

    /// The home of a project, or the first of several.
    pub fn home_of(&self, project: usize) -> usize {
        let dirs = self.projects.get(project).map(|entry| &entry.dirs);
        dirs.and_then(|dirs| dirs.first())
            .map_or(0, |(home, _)| *home)
    }

    /// The machine that a project is on, if an archive knows.
    pub fn host_of(&self, project: usize) -> Option<&str> {
        self.homes.get(self.home_of(project))?.host.as_deref()
    }

    /// The prompt log of a project.
    pub fn prompts_of(&self, project: usize) -> &[LogEntry] {
        // No lock is held meanwhile: reading uses the thread pool, whose threads may need the log.
        if let Some(prompts) = self.prompts[project].get() {
            return prompts;
        }
        let read = Self::read_prompts(&self.projects[project]);
        self.prompts[project].get_or_init(|| read)
    }

    /// Where the sessions of a home come from.
    pub fn origin(&self, home: usize) -> Origin {
        match self.homes.get(home) {
            Some(found) => Origin {
                home: Some(found.home.root.to_string_lossy().into_owned()),
                host: found.host.clone(),
                user: found.user.clone(),
            },
            None => Origin::default(),
        }
    }

    /// The directories of the homes.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        self.homes.iter().map(|found| found.home.root.as_path())
    }
}
