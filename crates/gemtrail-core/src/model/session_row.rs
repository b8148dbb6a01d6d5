//! A session without its messages: one line of `list --json`, schema `gemtrail.list/1`.

use serde::{Deserialize, Serialize};

use super::{
    Counts, Journal, Kind, Money, Origin, Project, Session, SessionId, SessionRef, Tokens,
};
use crate::json::Fields;

/// The schema name of a list row.
pub const ROW_SCHEMA: &str = "gemtrail.list/1";

/// What a list shows of a session.
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
    /// Whether at least one journal exists now.
    pub on_disk: bool,
    /// Whether the archive has it.
    pub archived: bool,
    /// The session id on disk.
    pub id: SessionId,
    /// File names without their extension.
    pub stems: Vec<String>,
    /// The project.
    pub project: Project,
    /// Where it was found.
    pub origin: Origin,
    /// What kind of session it is.
    pub kind: Kind,
    /// The word for it in the files, where they have one: `main`, `subagent`, or one that this
    /// version does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_kind: Option<String>,
    /// The session that a subagent worked for.
    pub parent: Option<SessionId>,
    /// The summary, else the first human words.
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
    /// How many messages and calls there are.
    pub counts: Counts,
    /// The sum over all requests, subagents excluded.
    pub tokens: Tokens,
    /// The same, subagents included.
    pub tokens_with_subagents: Tokens,
    /// What the requests cost at list price, subagents excluded; null if no model has a price.
    #[serde(default)]
    pub cost: Option<Money>,
    /// The same, subagents included.
    #[serde(default)]
    pub cost_with_subagents: Option<Money>,
    /// Workspace directories besides the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<String>,
    /// The files.
    pub journals: Vec<Journal>,
    /// How many subagents worked for it.
    pub subagent_count: u64,
    /// How many prompts are only in the log.
    pub logged_count: u64,
    /// Fields that this version does not know.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub extra: Fields,
    /// Whether a human, the assistant or a shell command said anything in it.
    #[serde(skip)]
    pub has_conversation: bool,
}

impl SessionRow {
    /// Whether it is in the plain `list`, which is what `@N` and `latest` count.
    pub fn is_listed(&self) -> bool {
        match self.kind {
            Kind::Main => self.has_conversation,
            Kind::Subagent => false,
            Kind::Log => self.logged_count > 0,
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
            kind: self.kind,
            recorded_kind: self.recorded_kind,
            parent: self.parent,
            parent_ref: self.parent_ref,
            title: self.title,
            summary: self.summary,
            started: self.started,
            updated: self.updated,
            models: self.models,
            counts: self.counts,
            tokens: self.tokens,
            directories: self.directories,
            journals: self.journals,
            messages: Vec::new(),
            logged: Vec::new(),
            subagents: Vec::new(),
            diagnostics: Vec::new(),
            records: Vec::new(),
            extra: self.extra,
        }
    }
}
