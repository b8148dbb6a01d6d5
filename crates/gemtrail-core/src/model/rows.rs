//! Sessions and projects as lines of `list --json` and `projects --json`.

use serde::{Deserialize, Serialize};

use crate::json::Fields;
use crate::time;

use super::{
    Counts, Journal, Kind, Marks, Money, Origin, PathSource, Project, Session, SessionId,
    SessionRef, SessionSource, Tokens,
};

/// The schema name of a list row.
pub const ROW_SCHEMA: &str = "gemtrail.list/1";

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRow {
    /// Always `gemtrail.list/1`.
    pub schema: String,
    /// Identifies exactly this session, permanently.
    #[serde(rename = "ref", default)]
    pub reference: SessionRef,
    /// The reference of the session that a subagent worked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_ref: Option<SessionRef>,
    /// True if at least one journal exists now.
    pub on_disk: bool,
    /// True if the archive has it.
    pub archived: bool,
    /// The marks that the person set; kept in the archive.
    #[serde(default)]
    pub marks: Marks,
    /// The session id on disk.
    pub id: SessionId,
    /// File names without their extension.
    pub stems: Vec<String>,
    /// The project.
    pub project: Project,
    /// The home and machine it was found on.
    pub origin: Origin,
    /// The program that wrote it.
    #[serde(default)]
    pub source: SessionSource,
    /// The kind of session.
    pub kind: Kind,
    /// The word for it in the files, where they have one: `main`, `subagent`, or one that this
    /// version does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_kind: Option<String>,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The person's own, else the summary, else the first human words.
    pub title: Option<String>,
    /// The summary that Gemini CLI made.
    pub summary: Option<String>,
    /// The first thing the person typed.
    pub first_prompt: Option<String>,
    /// The last thing the person typed.
    pub last_prompt: Option<String>,
    /// The earliest start ever written.
    pub started: Option<String>,
    /// The latest of the update and message times.
    pub updated: Option<String>,
    /// Every model that answered, in order of appearance.
    pub models: Vec<String>,
    /// Numbers of messages and calls.
    pub counts: Counts,
    /// The sum over all requests, subagents excluded.
    pub tokens: Tokens,
    /// The sum over all requests, subagents included.
    pub tokens_with_subagents: Tokens,
    /// The cost of the requests at list price, subagents excluded; null if no model has a price.
    #[serde(default)]
    pub cost: Option<Money>,
    /// The cost of the requests at list price, subagents included.
    #[serde(default)]
    pub cost_with_subagents: Option<Money>,
    /// Workspace directories besides the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<String>,
    /// The files.
    pub journals: Vec<Journal>,
    /// The number of subagents that worked for it.
    pub subagent_count: u64,
    /// The number of prompts that only the log has.
    pub logged_count: u64,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
    /// True if a human, the assistant or a shell command said anything in it.
    #[serde(skip)]
    pub has_conversation: bool,
}

impl SessionRow {
    /// True if it is in the plain `list`, which is what `@N` and `latest` count.
    pub fn is_listed(&self) -> bool {
        match self.kind {
            Kind::Main => self.has_conversation,
            Kind::Subagent => false,
            Kind::Log => self.logged_count > 0,
            Kind::Sealed => true,
        }
    }

    /// The paths of its files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.journals.iter().map(|journal| journal.path.as_str())
    }

    /// The session, without anything that was said in it.
    pub fn into_session(self) -> Session {
        Session {
            schema: super::SESSION_SCHEMA.to_owned(),
            reference: self.reference,
            id: self.id,
            stems: self.stems,
            project: self.project,
            origin: self.origin,
            source: self.source,
            kind: self.kind,
            recorded_kind: self.recorded_kind,
            parent: self.parent,
            parent_ref: self.parent_ref,
            title: self.title,
            marks: self.marks,
            summary: self.summary,
            started: self.started,
            updated: self.updated,
            models: self.models,
            counts: self.counts,
            tokens: self.tokens,
            directories: self.directories,
            journals: self.journals,
            extra: self.extra,
            ..Session::default()
        }
    }
}

/// The schema name of a line of `projects`.
pub const PROJECTS_SCHEMA: &str = "gemtrail.projects/1";

/// A project and its sessions, summed up.
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
    /// The source of the path.
    pub path_source: PathSource,
    /// The number of its sessions that `list` shows.
    pub sessions: u64,
    /// The number of agents that worked for these and other sessions.
    pub subagents: u64,
    /// The size of its session files.
    pub bytes: u64,
    /// The start of its first session.
    pub first: Option<String>,
    /// The last update of its sessions.
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

    /// The time it was last used.
    pub fn last_used(&self) -> Option<jiff::Timestamp> {
        self.last.as_deref().and_then(time::parse)
    }
}
