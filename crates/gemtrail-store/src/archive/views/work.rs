//! What updating the views of one project needs.

use std::borrow::Cow;
use std::collections::HashMap;

use gemtrail_core::LogEntry;

use super::due::Extent;
use crate::archive::db::ids::ProjectRowId;
use crate::discover::FoundFile;
use crate::library::Library;
use crate::outputs::Outputs;
use crate::project::ProjectEntry;

/// A project whose views are updated.
pub(super) struct ProjectWork<'a> {
    pub(super) library: &'a Library,
    pub(super) entry: &'a ProjectEntry,
    /// The project's row.
    pub(super) row: ProjectRowId,
    pub(super) prompts: Vec<LogEntry>,
    pub(super) outputs: Outputs<'a>,
    pub(super) extent: Extent,
}

/// The files of a project by their paths.
pub(super) type Files<'a> = HashMap<Cow<'a, str>, &'a (usize, FoundFile)>;
