//! The attachments of a vCon: where the agent worked, and which files were changed.

use gemtrail_core::model::Session;

use crate::time::date;
use crate::value::{Object, object};

use super::VconOptions;
use super::agent::Agent;
use super::change::FileChange;
use super::dialog::Dialog;

/// The party that the vCon is about. Its subagents follow.
const AGENT: u64 = 1;

/// All attachments. An attachment belongs to an entry of the dialog, so without a dialog there are
/// none.
pub(super) fn all(
    session: &Session,
    agents: &[Agent<'_>],
    dialog: &Dialog<'_>,
    created: &str,
    options: &VconOptions,
) -> Vec<Object> {
    if dialog.len() == 0 {
        return Vec::new();
    }
    let environment = agents.first().and_then(Agent::environment);
    let mut attachments: Vec<Object> = environment
        .map(|body| attachment("agent_environment", created, AGENT, 0, body))
        .into_iter()
        .collect();
    let root = session.project.path.as_deref();
    for (party, agent) in (AGENT..).zip(agents) {
        let messages = agent.session.messages.iter().enumerate();
        let messages = messages.filter(|(_, message)| options.record.selection.takes(message));
        for (at, message) in messages {
            let entry = agent.started_at.unwrap_or_else(|| dialog.index_of(at));
            for call in &message.tool_calls {
                let Some(change) = FileChange::of(call) else {
                    continue;
                };
                let times = [call.time.as_deref(), message.time.as_deref()];
                let start = times.into_iter().flatten().find_map(date);
                let start = start.as_deref().unwrap_or(created);
                let body = change.body(root, options.redaction.as_ref());
                attachments.push(attachment("agent_file_change", start, party, entry, body));
            }
        }
    }
    attachments
}

fn attachment(purpose: &str, start: &str, party: u64, dialog: u64, body: Object) -> Object {
    object([
        ("purpose", purpose.into()),
        ("start", start.into()),
        ("party", party.into()),
        ("dialog", dialog.into()),
        ("mediatype", "application/json".into()),
        ("encoding", "json".into()),
        ("body", body.into()),
    ])
}
