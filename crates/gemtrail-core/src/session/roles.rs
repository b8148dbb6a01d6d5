//! Whose words each message holds, where its content alone does not tell.

use crate::agents;
use crate::logs::LogEntry;
use crate::model::{Kind, MessageKind, Role};
use crate::replay::Entry;
use crate::time;
use crate::words::Hint;

use super::join::Joined;

/// Answers that Gemini CLI writes in the model's place.
const SYNTHETIC_ANSWERS: [&str; 4] = [
    "Got it. Thanks for the context!",
    "Got it. Thanks for the additional context!",
    "[The previous response was interrupted before it completed.]",
    "Binary content received. Proceeding with analysis.",
];

/// A prompt in the log this close to a record is the same prompt.
const SAME_PROMPT_SECONDS: i64 = 60;

/// How many messages around a prompt may hold the call that caused it.
const TURN: usize = 24;

/// Assigns every message its role.
pub(super) fn assign(joined: &mut Joined, kind: Kind, prompts: &[LogEntry]) {
    for at in 0..joined.entries.len() {
        joined.roles[at] = role(&joined.entries, &joined.roles, at, kind, prompts);
    }
}

fn role(entries: &[Entry], roles: &[Role], at: usize, kind: Kind, prompts: &[LogEntry]) -> Role {
    let entry = &entries[at];
    match &entry.kind {
        MessageKind::Gemini if is_synthetic(entry) => Role::Context,
        MessageKind::Gemini => Role::Assistant,
        MessageKind::Info => Role::Info,
        MessageKind::Warning => Role::Warning,
        MessageKind::Error => Role::Error,
        MessageKind::User | MessageKind::Human => match entry.words.hint {
            Hint::ToolResult => Role::Tool,
            Hint::Context => Role::Context,
            Hint::Hook => Role::Hook,
            Hint::Shell => Role::Shell,
            Hint::Summary => Role::Summary,
            Hint::Plain | Hint::Continue if kind == Kind::Subagent => Role::Agent,
            Hint::Continue if !was_typed(entry, prompts) => Role::Context,
            Hint::Plain if is_agent_prompt(entries, roles, at) => Role::Agent,
            Hint::Plain | Hint::Continue => Role::Human,
        },
        MessageKind::Other(_) => Role::Unknown,
    }
}

fn is_synthetic(entry: &Entry) -> bool {
    entry.bare
        && SYNTHETIC_ANSWERS
            .iter()
            .any(|known| entry.says_exactly(known))
}

fn was_typed(entry: &Entry, prompts: &[LogEntry]) -> bool {
    let Some(recorded) = entry.time.as_deref().and_then(time::parse) else {
        return false;
    };
    prompts
        .iter()
        .filter(|prompt| prompt.text.trim() == entry.words.text)
        .any(|prompt| {
            time::parse(&prompt.time).is_some_and(|typed| {
                recorded.duration_since(typed).as_secs().abs() <= SAME_PROMPT_SECONDS
            })
        })
}

/// Versions 0.10 to 0.31 wrote a subagent's prompt into the main file as the user's words. It comes
/// after the prompt that started the turn, and a call of that turn asks for exactly this.
fn is_agent_prompt(entries: &[Entry], roles: &[Role], at: usize) -> bool {
    let text = entries[at].words.text.as_str();
    let turn_start = roles[..at].iter().rposition(|role| *role == Role::Human);
    let Some(turn_start) = turn_start.filter(|start| at - start <= TURN) else {
        return false;
    };
    // Asking the same again after a failure is the person's doing.
    if entries[turn_start].words.text == text {
        return false;
    }
    let in_turn = |entry: &&Entry| entry.kind == MessageKind::Gemini;
    let asks = |entry: &Entry| {
        entry.calls.iter().any(|call| {
            let in_time = match (entries[at].time.as_deref(), call.time.as_deref()) {
                (Some(said), Some(ended)) => !time::is_before(ended, said),
                _ => true,
            };
            in_time
                && agents::requests(call)
                    .iter()
                    .any(|request| text.contains(request.as_str()))
        })
    };
    entries[turn_start..]
        .iter()
        .take(2 * TURN)
        .filter(in_turn)
        .any(asks)
}
