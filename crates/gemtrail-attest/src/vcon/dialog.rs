//! What was said, as the dialog of a vCon, and where in it something else happened.

use gemtrail_core::model::{Kind, Message, Role, Session};
use gemtrail_core::time::is_before;
use gemtrail_core::view::Selection;

use crate::time::date;
use crate::vac::own_id;
use crate::value::{Object, object, put};

/// The prompts and answers of a session that have words.
pub(super) struct Dialog<'a> {
    turns: Vec<Turn<'a>>,
}

struct Turn<'a> {
    /// The position of the message among all messages of the session.
    at: usize,
    message: &'a Message,
    is_prompt: bool,
}

impl<'a> Dialog<'a> {
    pub(super) fn of(session: &'a Session, selection: Selection) -> Self {
        let is_subagent = session.kind == Kind::Subagent;
        let turn = |(at, message): (usize, &'a Message)| {
            let is_prompt = match message.role {
                Role::Human => true,
                Role::Agent if is_subagent => true,
                Role::Assistant => false,
                _ => return None,
            };
            let is_said = selection.takes(message) && !message.text.is_empty();
            is_said.then_some(Turn {
                at,
                message,
                is_prompt,
            })
        };
        let turns = session.messages.iter().enumerate().filter_map(turn);
        Self {
            turns: turns.collect(),
        }
    }

    /// The number of entries.
    pub(super) fn len(&self) -> u64 {
        self.turns.len() as u64
    }

    /// The entry to which a message belongs: its own; else the next answer to the same prompt; else
    /// the nearest earlier one.
    pub(super) fn index_of(&self, at: usize) -> u64 {
        let index = match self.turns.binary_search_by_key(&at, |turn| turn.at) {
            Ok(own) => own,
            Err(next) if self.turns.get(next).is_some_and(|turn| !turn.is_prompt) => next,
            Err(next) => next.saturating_sub(1),
        };
        index as u64
    }

    /// The last entry that is not later than a time.
    pub(super) fn last_before(&self, time: Option<&str>) -> u64 {
        let is_earlier = |turn: &Turn<'_>| match (turn.message.time.as_deref(), time) {
            (Some(said), Some(time)) => date(said).is_some() && !is_before(time, said),
            _ => false,
        };
        self.turns.iter().rposition(is_earlier).unwrap_or(0) as u64
    }

    /// The entries, recorded by the program of this name.
    pub(super) fn entries(&self, application: &str) -> Vec<Object> {
        let entry = |turn: &Turn<'_>| {
            let message = turn.message;
            let party = u64::from(!turn.is_prompt);
            let mut entry = object([("type", "text".into())]);
            put(&mut entry, "start", message.time.as_deref().and_then(date));
            entry.extend(object([
                ("parties", vec![party].into()),
                ("mediatype", "text/plain".into()),
                ("encoding", "none".into()),
                ("body", message.text.as_str().into()),
                ("application", application.into()),
            ]));
            put(&mut entry, "message_id", own_id(message));
            entry
        };
        self.turns.iter().map(entry).collect()
    }
}
