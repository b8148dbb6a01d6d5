//! The row of a session: what lists show of it.

use super::own_cost;
use super::usage::with_cost_of_subagents;
use crate::model::{Journal, ROW_SCHEMA, Role, Session, SessionRow, Tokens};
use crate::prices::Prices;

impl SessionRow {
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
        let prices = Prices::built_in();
        let own = own_cost(&session, prices);
        let all = with_cost_of_subagents(own, &session, prices);
        let subagents = std::mem::take(&mut session.subagents);
        let row = Self {
            schema: ROW_SCHEMA.to_owned(),
            has_conversation: session.has_conversation(),
            first_prompt,
            last_prompt,
            tokens_with_subagents,
            cost: own,
            cost_with_subagents: all,
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
