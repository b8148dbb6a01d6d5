//! What updating the views of one project needs.

use std::borrow::Cow;
use std::collections::HashMap;

use gemtrail_core::LogEntry;

use super::due::Extent;
use crate::archive::db::ids::ProjectRowId;
use crate::archive::db::pool::Pool;
use crate::discover::FoundFile;
use crate::library::Library;
use crate::load::Depth;
use crate::outputs::Outputs;
use crate::project::ProjectEntry;

/// A project whose views are updated.
pub(super) struct ProjectWork<'a> {
    pub(super) library: &'a Library,
    pub(super) entry: &'a ProjectEntry,
    /// Reads what is stored.
    pub(super) pool: &'a Pool,
    /// The project's row.
    pub(super) row: ProjectRowId,
    pub(super) prompts: Vec<LogEntry>,
    pub(super) outputs: Outputs<'a>,
    pub(super) extent: Extent,
    /// From how many bytes on a session is long.
    pub(super) long_from: u64,
}

impl ProjectWork<'_> {
    /// How much of its files is read to find out what changed.
    pub(super) fn depth(&self) -> Depth {
        Depth::Survey {
            long_from: self.long_from,
        }
    }
}

/// The files of a project by their paths.
pub(super) type Files<'a> = HashMap<Cow<'a, str>, &'a (usize, FoundFile)>;
