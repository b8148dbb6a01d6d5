//! What the browser keeps of a session: there may be a hundred thousand.

use std::sync::Arc;

use gemtrail_core::model::{Kind, Origin, Project, SessionRef};
use gemtrail_core::prices::Money;
use gemtrail_store::ListRow;

/// A session of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its unique reference.
    pub reference: SessionRef,
    /// The reference of a subagent's parent session.
    pub parent_ref: Option<SessionRef>,
    /// What kind of session it is.
    pub kind: Kind,
    /// Whether at least one of its files exists now.
    pub on_disk: bool,
    /// Whether the archive has it.
    pub archived: bool,
    /// Whether it is in the plain list.
    pub is_listed: bool,
    /// All messages.
    pub messages: u32,
    /// What the person typed, or what is left of it.
    pub prompts: u32,
    /// Answers of the model.
    pub answers: u32,
    /// Tool calls.
    pub calls: u32,
    /// Those that failed.
    pub failures: u32,
    /// The project.
    pub project: Arc<Project>,
    /// Where it was found.
    pub origin: Arc<Origin>,
    /// The summary, else the first human words.
    pub title: Option<Box<str>>,
    /// When something was last said in it.
    pub updated: Option<Box<str>>,
    /// Every model that answered.
    pub models: Arc<[String]>,
    /// The tokens of all requests, subagents included.
    pub tokens: u64,
    /// What they cost at list price; `None` if no model has a price.
    pub cost: Option<Money>,
}

impl From<ListRow> for Row {
    fn from(row: ListRow) -> Self {
        let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let counts = row.counts;
        Self {
            is_listed: row.is_listed(),
            reference: row.reference,
            parent_ref: row.parent_ref,
            kind: row.kind,
            on_disk: row.on_disk,
            archived: row.archived,
            messages: count(counts.messages),
            prompts: count(match row.kind {
                Kind::Log => row.logged_count,
                _ => counts.human,
            }),
            answers: count(counts.assistant),
            calls: count(counts.tool_calls),
            failures: count(counts.tool_failures),
            project: row.project,
            origin: row.origin,
            title: row.title.map(String::into_boxed_str),
            updated: row.updated.map(String::into_boxed_str),
            models: row.models,
            tokens: row.tokens_with_subagents.total,
            cost: row.cost_with_subagents,
        }
    }
}
