//! A project and how much was done in it: one line of `projects --json`, schema
//! `gemtrail.projects/1`.

use serde::{Deserialize, Serialize};

use super::{Kind, PathSource, Project, SessionRow};
use crate::time;

/// The schema name of a line of `projects`.
pub const PROJECTS_SCHEMA: &str = "gemtrail.projects/1";

/// What is known about a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectRow {
    /// Always `gemtrail.projects/1`.
    pub schema: String,
    /// The directory below `tmp`: the slug if there is one, else the hash.
    pub dir: Option<String>,
    /// SHA-256 of the root path, in hex.
    pub hash: Option<String>,
    /// The root path, if known.
    pub path: Option<String>,
    /// How the path was found.
    pub path_source: PathSource,
    /// How many sessions `list` shows of it.
    pub sessions: u64,
    /// How many agents worked for these and other sessions.
    pub subagents: u64,
    /// The size of its session files.
    pub bytes: u64,
    /// When its first session started.
    pub first: Option<String>,
    /// When its last session was updated.
    pub last: Option<String>,
}

impl ProjectRow {
    /// Sums up the rows of a project.
    pub fn new(project: Project, rows: &[SessionRow]) -> Self {
        let count =
            |wanted: fn(&SessionRow) -> bool| rows.iter().filter(|row| wanted(row)).count() as u64;
        let (mut first, mut last) = (None, None);
        for row in rows {
            if let Some(started) = &row.started {
                time::keep_earliest(&mut first, started);
            }
            if let Some(updated) = &row.updated {
                time::keep_latest(&mut last, updated);
            }
        }
        Self {
            schema: PROJECTS_SCHEMA.to_owned(),
            sessions: count(SessionRow::is_listed),
            subagents: count(|row| row.kind == Kind::Subagent),
            bytes: rows
                .iter()
                .flat_map(|row| &row.journals)
                .map(|journal| journal.bytes)
                .sum(),
            first,
            last,
            dir: project.dir,
            hash: project.hash,
            path: project.path,
            path_source: project.path_source,
        }
    }

    /// The project alone.
    pub fn project(&self) -> Project {
        Project {
            dir: self.dir.clone(),
            hash: self.hash.clone(),
            path: self.path.clone(),
            path_source: self.path_source,
        }
    }

    /// When it was last used.
    pub fn last_used(&self) -> Option<jiff::Timestamp> {
        self.last.as_deref().and_then(time::parse)
    }
}
