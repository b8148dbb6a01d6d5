//! The inputs for indexing one project.

use std::borrow::Cow;
use std::collections::HashMap;

use gemtrail_core::LogEntry;
use gemtrail_core::model::{Kind, Session};
use gemtrail_home::catalog::Catalog;
use gemtrail_home::discover::FoundFile;
use gemtrail_home::load::Depth;
use gemtrail_home::outputs::Outputs;
use gemtrail_home::paths::text_of;
use gemtrail_home::project::ProjectEntry;

use super::project;
use super::scope::Extent;
use crate::db::ids::ProjectRowId;
use crate::db::pool::Pool;
use crate::raw::options::Interrupt;

/// A project that is indexed.
pub(super) struct ProjectWork<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) entry: &'a ProjectEntry,
    /// Reads what is stored; `None` for files on disk.
    pub(super) pool: Option<&'a Pool>,
    /// The project's row.
    pub(super) row: ProjectRowId,
    pub(super) prompts: Vec<LogEntry>,
    pub(super) outputs: Outputs<'a>,
    pub(super) extent: Extent,
    /// From how many bytes on a session is long.
    pub(super) long_from: u64,
    /// True if statistics may be asked for.
    pub(super) with_facts: bool,
    pub(super) interrupt: Interrupt,
}

impl<'a> ProjectWork<'a> {
    /// A project of files that no archive has.
    pub(super) fn of_files(catalog: &'a Catalog, at: usize) -> Self {
        Self {
            catalog,
            entry: &catalog.projects()[at],
            pool: None,
            row: project::row_of(catalog, at),
            prompts: catalog.prompts_of(at).to_vec(),
            outputs: Outputs::default(),
            extent: Extent::Whole,
            long_from: u64::MAX,
            with_facts: false,
            interrupt: Interrupt::default(),
        }
    }

    /// The depth to which files are read to find out what changed.
    pub(super) fn depth(&self) -> Depth {
        Depth::Survey {
            long_from: self.long_from,
        }
    }

    /// Its files by their paths.
    pub(super) fn files(&self) -> Files<'a> {
        let files = self.entry.files().iter();
        files.map(|file| (text_of(&file.1.path), file)).collect()
    }
}

/// The files of a project by their paths.
pub(super) type Files<'a> = HashMap<Cow<'a, str>, &'a (usize, FoundFile)>;

/// Identifies a session within a project: id, parent, first file.
pub(super) type Key = (String, String, String);

pub(super) fn key_of(session: &Session) -> Key {
    let parent = session.parent.as_ref().map(ToString::to_string);
    let first = session.journals.first().map(|journal| journal.path.clone());
    let kind = if session.kind == Kind::Log { "log" } else { "" };
    (
        session.id.to_string(),
        parent.unwrap_or_default(),
        first.unwrap_or_else(|| kind.to_owned()),
    )
}
