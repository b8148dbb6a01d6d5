//! Everything in some homes and in an archive, and every question about it.
//!
//! A library has a [`Catalog`] of projects and files, and one or two indexes that know their sessions:
//! that of the archive, and one in memory, filled when asked, for projects that only the disk has. It
//! never changes; whoever wants to know what is new opens another one.

mod changes;
mod checkpoints;
mod editors;
mod filter;
mod marks;
mod metrics;
mod names;
mod open;
mod part;
mod query;
mod read;
mod resolve;
mod rows;
mod search;
mod stats;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gemtrail_core::Detail;
use gemtrail_core::model::Diagnostic;
use gemtrail_core::view::ProjectNames;
use gemtrail_home::catalog::{Catalog, ProjectSessions};
use gemtrail_home::discover::Found;
use gemtrail_home::source::{Damage, DamagedFile};

use crate::ProjectEntry;
use crate::raw::files::ArchivedFiles;

pub use changes::Changes;
pub use filter::{Kinds, SessionFilter};
pub use metrics::StampedRow;
pub use names::Handle;
pub use part::{SessionPart, Spot, WantedPart};
pub use query::QueryContext;
pub use read::{MessagePage, ReadDetail, ReadError};
pub use resolve::{Candidate, Named, ResolveError};
pub use rows::RowLine;

use marks::MarkedSessions;
use tables::Tables;

/// Everything found in all homes, by project.
#[derive(Debug, Default)]
pub struct Library {
    pub(crate) catalog: Catalog,
    tables: Vec<Tables>,
    archive: Option<PathBuf>,
    files: Option<Arc<ArchivedFiles>>,
    /// The state of the raw layer of the archive when this was opened.
    raw_state: i64,
    /// The reason why an index could not be queried, if so.
    degraded: OnceLock<String>,
    damage: Damage,
    marked: MarkedSessions,
}

impl Library {
    /// The reason why a question could not be answered in full, if that happened.
    pub fn degraded(&self) -> Option<&str> {
        let fault = self.files.as_ref().and_then(|files| files.fault());
        self.degraded.get().map(String::as_str).or(fault)
    }

    /// Files whose bytes turned out to be damaged in the archive, so far.
    pub fn damaged_files(&self) -> Vec<DamagedFile> {
        self.damage.files()
    }

    /// The archive that was used, if any.
    pub fn archive(&self) -> Option<&Path> {
        self.archive.as_deref()
    }

    /// Its homes, projects and files.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The homes; without their files if these are in an archive.
    pub fn homes(&self) -> &[Found] {
        self.catalog.homes()
    }

    /// The directories of the homes.
    pub fn home_roots(&self) -> impl Iterator<Item = &Path> {
        self.catalog.roots()
    }

    /// The projects of all homes.
    pub fn projects(&self) -> &[ProjectEntry] {
        self.catalog.projects()
    }

    /// What the projects are called, so that a name means the same in every list.
    pub fn project_names(&self) -> ProjectNames {
        ProjectNames::of(self.projects().iter().map(ProjectEntry::project))
    }

    /// Root paths worth remembering as [`Hints::taught`](crate::Hints::taught): the next scan may not
    /// find them again.
    pub fn learned(&self) -> &[String] {
        self.catalog.learned()
    }

    /// Findings about directories and names.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.catalog.diagnostics()
    }

    /// Files and directories that could not be read so far, by path.
    pub fn unread(&self) -> Vec<Diagnostic> {
        self.catalog.unread()
    }

    /// The journals that cannot be read, and whose names may be those of a session of that name.
    pub fn unread_journals(&self, name: &str) -> Vec<Diagnostic> {
        self.catalog.unread_journals(name)
    }

    /// The machine that a project is on, if the archive was told.
    pub fn host_of(&self, project: usize) -> Option<&str> {
        self.catalog.host_of(project)
    }

    /// Reads all sessions of one project.
    pub fn read_project(&self, entry: &ProjectEntry, detail: Detail) -> ProjectSessions {
        self.catalog.read_project(entry, detail)
    }
}
