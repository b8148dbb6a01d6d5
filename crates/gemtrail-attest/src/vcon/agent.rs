//! The agents of a session: the one that the person talked to, and those that worked for it.

use gemtrail_core::json::Node;
use gemtrail_core::model::{Kind, Session, SessionId, ToolCall};

use crate::vac::{Note, RecordOptions, UNKNOWN, record};
use crate::validate::EXTENSION;
use crate::value::{Object, Value, object, put};

use super::dialog::Dialog;

/// The name of a subagent if nothing names it.
const UNNAMED: &str = "subagent";

/// One agent, with its record.
pub(super) struct Agent<'a> {
    pub(super) session: &'a Session,
    pub(super) record: Value,
    /// Its name in the call that started it.
    name: Option<String>,
    /// The entry of the dialog at which it was started; `None` if the vCon is about it.
    pub(super) started_at: Option<u64>,
}

/// A subagent to visit, with the session that it worked for and where in the dialog that was
/// started.
struct Waiting<'a> {
    session: &'a Session,
    parent: &'a Session,
    parent_started_at: Option<u64>,
}

impl<'a> Agent<'a> {
    /// The agent that a session is about, then its subagents, depth first; and notes on their
    /// records.
    pub(super) fn all(
        session: &'a Session,
        dialog: &Dialog<'_>,
        options: &RecordOptions,
    ) -> (Vec<Self>, Vec<Note>) {
        let mut notes = Vec::new();
        let mut recorded = |session: &Session| {
            let record = record(session, options);
            notes.extend(record.notes);
            record.value
        };
        let mut agents = vec![Self {
            session,
            record: recorded(session),
            name: None,
            started_at: None,
        }];
        // A list instead of recursion: files decide how deep subagents are nested.
        let mut waiting = Vec::new();
        wait(&mut waiting, session, None);
        while let Some(next) = waiting.pop() {
            let call = starting_call(next.parent, &next.session.id);
            let started_at = match (call, next.parent_started_at) {
                (Some((at, _)), None) => dialog.index_of(at),
                (Some(_), Some(parent)) => parent,
                (None, _) => dialog.last_before(next.session.started.as_deref()),
            };
            let name = call.and_then(|(_, call)| agent_name(call));
            agents.push(Self {
                session: next.session,
                record: recorded(next.session),
                name,
                started_at: Some(started_at),
            });
            wait(&mut waiting, next.session, Some(started_at));
        }
        (agents, notes)
    }

    /// The agent as a party.
    pub(super) fn party(&self) -> Object {
        let client = match self.meta("cli-version") {
            Some(version) => format!("{}/{version}", self.client()),
            None => self.client().to_owned(),
        };
        let mut details = object([
            ("model_id", self.model().into()),
            ("provider", self.provider().into()),
            ("recording_agent", client.into()),
            ("agent_id", self.id().into()),
        ]);
        if self.session.kind == Kind::Subagent {
            let parent = self.session.parent.as_ref().map(SessionId::as_str);
            put(&mut details, "parent_agent_id", parent);
        }
        put(&mut details, "environment", self.environment());
        let details = object([(EXTENSION, details.into())]);
        let usual = match self.session.kind {
            Kind::Subagent => UNNAMED,
            Kind::Main | Kind::Log | Kind::Sealed => self.client(),
        };
        let mut party = party(self.name.as_deref().unwrap_or(usual));
        party.insert("meta".to_owned(), details.into());
        party
    }

    /// The surroundings it worked in, as far as its record has them.
    pub(super) fn environment(&self) -> Option<Object> {
        let directory = self.record.at(["session", "environment", "working-dir"])?;
        Some(object([("cwd", directory.clone())]))
    }

    /// The program that it ran in.
    pub(super) fn client(&self) -> &str {
        self.meta("cli-name").unwrap_or(UNKNOWN)
    }

    /// The model that answered last.
    pub(super) fn model(&self) -> &str {
        self.meta("model-id").unwrap_or(UNKNOWN)
    }

    /// Whose model that is.
    pub(super) fn provider(&self) -> &str {
        self.meta("model-provider").unwrap_or(UNKNOWN)
    }

    fn meta(&self, name: &str) -> Option<&str> {
        self.record.at(["session", "agent-meta", name])?.as_text()
    }

    fn id(&self) -> &str {
        let id = self.record.at(["session", "session-id"]);
        id.and_then(Value::as_text).unwrap_or(UNKNOWN)
    }
}

/// An agent of which only the name is told.
pub(super) fn party(name: &str) -> Object {
    object([
        ("name", name.into()),
        ("type", "bot".into()),
        ("role", "agent".into()),
        ("validation", "none".into()),
    ])
}

/// Adds the subagents of a session, so that the first one is next.
fn wait<'a>(waiting: &mut Vec<Waiting<'a>>, parent: &'a Session, started_at: Option<u64>) {
    let subagents = parent.subagents.iter().rev();
    waiting.extend(subagents.map(|session| Waiting {
        session,
        parent,
        parent_started_at: started_at,
    }));
}

/// The call of the parent that started a subagent, and the position of its message.
fn starting_call<'a>(parent: &'a Session, id: &SessionId) -> Option<(usize, &'a ToolCall)> {
    let messages = parent.messages.iter().enumerate();
    let mut calls =
        messages.flat_map(|(at, message)| message.tool_calls.iter().map(move |call| (at, call)));
    calls.find(|(_, call)| call.agent.as_deref() == Some(id.as_str()))
}

/// The subagent that a call asked for.
fn agent_name(call: &ToolCall) -> Option<String> {
    let name = call.args.as_ref()?.node().get("agent_name")?;
    let name = Node::as_str(name)?.into_owned();
    (!name.is_empty()).then_some(name)
}
