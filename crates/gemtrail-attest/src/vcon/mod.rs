//! A session as a vCon, the container of the IETF for conversations.
//!
//! The agents of the session are parties, what was said is the dialog, and what else is known is
//! around it: the records of all agents, unchanged, as analyses, and the environment and changes of
//! files as attachments. The same session always yields the same vCon, whether it was read from
//! disk or from an archive.

mod agent;
mod attachment;
mod change;
mod dialog;
mod identity;

use gemtrail_core::model::{Kind, Session};

use crate::time::date;
use crate::vac::{Note, Profile, RecordOptions};
use crate::validate::{EXTENSION, SYNTAX, TRACE};
use crate::value::{Object, Value, object, put};

use agent::Agent;
use dialog::Dialog;
use identity::{created_at, uuid};

/// The draft that the records inside follow (2026-02-25).
const RECORD_SCHEMA: &str =
    "https://datatracker.ietf.org/doc/draft-birkholz-verifiable-agent-conversations/00/";

/// Everything about a vCon that is not in the session.
#[derive(Clone, Debug, Default)]
pub struct VconOptions {
    /// The options of the records inside, which always follow the newest schema.
    pub record: RecordOptions,
    /// The way in which the session differs from the one on disk, if it does.
    pub redaction: Option<Redaction>,
}

/// The way in which a session was changed before it was written.
#[derive(Clone, Copy, Debug)]
pub struct Redaction {
    /// What was taken out: `secrets`.
    pub kind: &'static str,
    /// True if something was taken out of this text, so that a digest of it would be of no use.
    pub has_changed: fn(&str) -> bool,
}

/// A vCon, and notes on what the records inside do not show.
#[derive(Clone, Debug)]
pub struct Vcon {
    /// The vCon.
    pub value: Value,
    /// The changes and omissions on the way.
    pub notes: Vec<Note>,
}

/// Builds the vCon of a session and its subagents.
pub fn vcon(session: &Session, options: &VconOptions) -> Vcon {
    let options = VconOptions {
        record: RecordOptions {
            profile: Profile::V3,
            ..options.record.clone()
        },
        ..options.clone()
    };
    let created = created_at(session);
    let dialog = Dialog::of(session, options.record.selection);
    let (agents, notes) = Agent::all(session, &dialog, &options.record);

    let mut vcon = object([
        ("vcon", SYNTAX.into()),
        ("uuid", uuid(session, &created, &options).into()),
        ("extensions", vec![EXTENSION].into()),
        ("created_at", created.as_str().into()),
    ]);
    let updated = session.updated.as_deref().and_then(date);
    put(&mut vcon, "updated_at", updated);
    put(&mut vcon, "subject", session.title.as_deref());
    if let Some(redaction) = &options.redaction {
        let original = VconOptions {
            redaction: None,
            ..options.clone()
        };
        let original = uuid(session, &created, &original);
        let redacted = object([("uuid", original.into()), ("type", redaction.kind.into())]);
        vcon.insert("redacted".to_owned(), redacted.into());
    }
    let attachments = attachment::all(session, &agents, &dialog, &created, &options);
    let application = agents.first().map_or("", Agent::client).to_owned();
    vcon.insert("parties".to_owned(), parties(session, &agents).into());
    vcon.insert("dialog".to_owned(), dialog.entries(&application).into());
    vcon.insert("analysis".to_owned(), traces(agents, &dialog).into());
    if !attachments.is_empty() {
        vcon.insert("attachments".to_owned(), attachments.into());
    }
    Vcon {
        value: vcon.into(),
        notes,
    }
}

/// Whoever asked, then the agents. A person asks the main agent, and that one its subagents.
fn parties(session: &Session, agents: &[Agent<'_>]) -> Vec<Object> {
    let asking = match (session.kind, agents.first()) {
        (Kind::Subagent, Some(agent)) => agent::party(agent.client()),
        _ => object([("type", "person".into()), ("role", "user".into())]),
    };
    let agents = agents.iter().map(Agent::party);
    std::iter::once(asking).chain(agents).collect()
}

/// The records, each with what was said when its agent worked.
fn traces(agents: Vec<Agent<'_>>, dialog: &Dialog<'_>) -> Vec<Object> {
    let trace = |agent: Agent<'_>| {
        let turns: Vec<u64> = match agent.started_at {
            None => (0..dialog.len()).collect(),
            Some(turn) => (turn..dialog.len()).take(1).collect(),
        };
        object([
            ("type", TRACE.into()),
            ("dialog", turns.into()),
            ("vendor", agent.provider().into()),
            ("product", agent.model().into()),
            ("schema", RECORD_SCHEMA.into()),
            ("mediatype", "application/json".into()),
            ("encoding", "json".into()),
            ("body", agent.record),
        ])
    };
    agents.into_iter().map(trace).collect()
}

/// True if a document is a vCon, as far as its outermost members tell.
pub fn is_vcon(document: &Value) -> bool {
    document.get("vcon").is_some() && document.get("parties").is_some()
}

/// The record of the session that a vCon is about: the first trace in it.
pub fn record_in(vcon: &Value) -> Option<&Value> {
    let mut analyses = vcon.get("analysis")?.as_array()?.iter();
    let is_trace = |it: &&Value| it.get("type").and_then(Value::as_text) == Some(TRACE);
    analyses.find(is_trace)?.get("body")
}
