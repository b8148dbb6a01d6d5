//! The facts of one session that statistics need.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::model::{CallStatus, Message, Role, Session, Tokens};
use crate::time;
use crate::tools;
use crate::view::{Outcome, Selection, own_requests};

/// The facts of one session that statistics need, without its subagents, which have their own. It
/// holds names and numbers but nothing that was said, and is the same for every
/// [`Detail`](crate::Detail) the session was read with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The models that requests and calls name by position.
    pub models: Vec<String>,
    /// The tools that requests and calls name by position.
    pub tools: Vec<String>,
    /// Every request once.
    pub requests: Vec<RequestFacts>,
    /// The calls of tools, those of one answer to one tool together.
    pub calls: Vec<CallFacts>,
    /// The files that edits name by position, as they were recorded.
    pub files: Vec<String>,
    /// The changes of files, those of one answer to one file together.
    pub edits: Vec<EditFacts>,
    /// Lines with counters of messages that are not requests.
    pub strays: Vec<StrayLines>,
    /// The agents it called: the ids of their sessions, and their names.
    pub agents: Vec<(String, String)>,
}

/// One request to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestFacts {
    /// The time of the answer, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The model that answered.
    pub model: Option<u32>,
    /// The tool that the answer called first.
    pub tool: Option<u32>,
    /// True if the answer is still part of the conversation.
    pub is_current: bool,
    /// Its counters.
    pub tokens: Tokens,
    /// The number of lines that have counters for it.
    pub lines: u64,
    /// In how many files these lines are, each id counted for itself.
    pub places: u64,
    /// The sum of these lines.
    pub written: Tokens,
}

/// Lines with counters of a message that is not a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrayLines {
    /// The time of the message, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The number of lines.
    pub lines: u64,
    /// Their sum.
    pub tokens: Tokens,
}

/// The calls of one answer to one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFacts {
    /// The time of the answer, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The model that called.
    pub model: Option<u32>,
    /// The tool.
    pub tool: u32,
    /// The number of calls.
    pub calls: u64,
    /// The number of those with the status `error`.
    pub errors: u64,
    /// The number of those that were cancelled.
    pub cancelled: u64,
    /// The number of those that failed for the person, see [`Outcome`].
    pub failures: u64,
}

/// The changes that one answer made to one file. Calls that failed or were cancelled made none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditFacts {
    /// The time of the answer, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The model that called.
    pub model: Option<u32>,
    /// The file.
    pub file: u32,
    /// The number of changes.
    pub edits: u64,
}

impl SessionFacts {
    /// The facts of a session.
    pub fn of(session: &Session) -> Self {
        let mut facts = Self::default();
        let (mut models, mut tools, mut files) = (
            NameTable::default(),
            NameTable::default(),
            NameTable::default(),
        );
        for request in own_requests(session, Selection::All) {
            let message = request.message;
            let first = message.tool_calls.first();
            facts.requests.push(RequestFacts {
                time: time_of(message),
                model: message.model.as_deref().map(|name| models.place(name)),
                tool: first.map(|call| tools.place(&call.name)),
                is_current: message.is_current(),
                tokens: request.tokens,
                lines: message.written.lines,
                places: message.written.places,
                written: message.written.tokens,
            });
        }
        for message in &session.messages {
            let is_request = message.role == Role::Assistant && message.tokens.is_some();
            if !is_request && message.written.lines > 0 {
                facts.strays.push(StrayLines {
                    time: time_of(message),
                    lines: message.written.lines,
                    tokens: message.written.tokens,
                });
            }
            facts.add_calls(message, &mut models, &mut tools);
            facts.add_edits(message, &mut models, &mut files);
        }
        (facts.models, facts.tools, facts.files) = (models.list, tools.list, files.list);
        facts
    }

    fn add_calls(&mut self, message: &Message, models: &mut NameTable, tools: &mut NameTable) {
        let start = self.calls.len();
        for call in &message.tool_calls {
            let tool = tools.place(&call.name);
            let known = self.calls[start..].iter().position(|it| it.tool == tool);
            let at = known.map_or(self.calls.len(), |at| start + at);
            if known.is_none() {
                self.calls.push(CallFacts {
                    time: time_of(message),
                    model: message.model.as_deref().map(|name| models.place(name)),
                    tool,
                    ..CallFacts::default()
                });
            }
            let facts = &mut self.calls[at];
            let outcome = Outcome::of(call);
            facts.calls += 1;
            facts.errors += u64::from(call.status == Some(CallStatus::Error));
            facts.cancelled += u64::from(outcome == Outcome::Cancelled);
            facts.failures += u64::from(outcome.is_failed());
            if let Some(agent) = &call.agent {
                let name = tools::agent_name(call).into_owned();
                self.agents.push((agent.clone(), name));
            }
        }
    }

    fn add_edits(&mut self, message: &Message, models: &mut NameTable, files: &mut NameTable) {
        let start = self.edits.len();
        for call in &message.tool_calls {
            let outcome = Outcome::of(call);
            let is_done = !outcome.is_failed() && outcome != Outcome::Cancelled;
            let Some(path) = tools::file_changed_by(call).filter(|_| is_done) else {
                continue;
            };
            let file = files.place(&path);
            let known = self.edits[start..].iter().position(|it| it.file == file);
            match known {
                Some(at) => self.edits[start + at].edits += 1,
                None => self.edits.push(EditFacts {
                    time: time_of(message),
                    model: message.model.as_deref().map(|name| models.place(name)),
                    file,
                    edits: 1,
                }),
            }
        }
    }
}

fn time_of(message: &Message) -> Option<i64> {
    let time = message.time.as_deref().and_then(time::parse)?;
    Some(time.as_millisecond())
}

/// Names, each once, in order of appearance.
#[derive(Default)]
struct NameTable {
    list: Vec<String>,
    places: HashMap<String, u32>,
}

impl NameTable {
    fn place(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }
}
