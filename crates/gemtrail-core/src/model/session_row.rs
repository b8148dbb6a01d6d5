//! A session without its messages: one line of `list --json`, schema `gemtrail.list/1`.

use serde::{Deserialize, Serialize};

use super::{Counts, Journal, Kind, Origin, Project, Role, Session, SessionId, SessionRef, Tokens};
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

    /// The row of a session that was read from disk.
    pub fn from_session(session: Session) -> Self {
        Self::split(session).0
    }

    /// Splits a session into its row and its subagents.
    pub fn split(mut session: Session) -> (Self, Vec<Session>) {
        let mut prompts = session
            .messages
            .iter()
            .filter(|m| m.role == Role::Human && !m.text.is_empty())
            .map(|m| m.text.as_str());
        let first_prompt = prompts.next().map(str::to_owned);
        let last_prompt = prompts
            .next_back()
            .map(str::to_owned)
            .or_else(|| first_prompt.clone());
        let tokens_with_subagents = with_subagents(&session);
        let subagents = std::mem::take(&mut session.subagents);
        let row = Self {
            schema: ROW_SCHEMA.to_owned(),
            has_conversation: session.has_conversation(),
            first_prompt,
            last_prompt,
            tokens_with_subagents,
            on_disk: !session.journals.is_empty(),
            archived: false,
            subagent_count: subagents.len() as u64,
            logged_count: session.logged.len() as u64,
            reference: session.reference,
            id: session.id,
            stems: session.stems,
            project: session.project,
            origin: session.origin,
            kind: session.kind,
            recorded_kind: session.recorded_kind,
            parent: session.parent,
            parent_ref: session.parent_ref,
            title: session.title,
            summary: session.summary,
            started: session.started,
            updated: session.updated,
            models: session.models,
            counts: session.counts,
            tokens: session.tokens,
            directories: session.directories,
            journals: session
                .journals
                .into_iter()
                .map(|journal| Journal {
                    sha256: None,
                    ..journal
                })
                .collect(),
            extra: session.extra,
        };
        (row, subagents)
    }
}

fn with_subagents(session: &Session) -> Tokens {
    let mut sum = session.tokens;
    for subagent in &session.subagents {
        sum += with_subagents(subagent);
    }
    sum
}
