//! How a session ended.

use gemtrail_core::model::{Message, Role, SupersededBy};
use gemtrail_core::time::parse;
use gemtrail_core::view::Outcome;
use serde::Serialize;

use super::course::Course;
use super::signal::{Severity, Signal, SignalKind};
use super::thresholds::Thresholds;
use super::waits::{moments, seconds_between};

/// How a session ended, by the last thing that happened after its last prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionOutcome {
    /// An answer.
    Completed,
    /// Nothing, a cancelled call, or a call whose answer led to nothing.
    Abandoned,
    /// An error, or a call that failed.
    Errored,
}

/// How the session ended; `None` if nothing was asked in it. A subagent that left nothing behind
/// was not abandoned either: some versions do not record what it called.
pub(super) fn outcome_of(course: &Course<'_>) -> Option<SessionOutcome> {
    let (_, after) = since_last_prompt(course)?;
    let last = after.iter().rev().find_map(|message| last_of(message));
    match last.unwrap_or(SessionOutcome::Abandoned) {
        SessionOutcome::Abandoned if !course.has_person() => None,
        outcome => Some(outcome),
    }
}

/// The session ended soon after a prompt that was never finished.
pub(super) fn abandonment(course: &Course<'_>, thresholds: &Thresholds) -> Option<Signal> {
    let outcome = outcome_of(course)?;
    let (prompt, after) = since_last_prompt(course)?;
    let asked = prompt.time.as_deref().and_then(parse)?;
    let end = moments(course).last().map(|moment| moment.at)?;
    let seconds = seconds_between(asked, end);
    let is_soon = seconds <= thresholds.abandon_seconds;
    (outcome != SessionOutcome::Completed && is_soon && course.has_person()).then(|| {
        let why = match outcome {
            SessionOutcome::Errored => "an error",
            _ if after.is_empty() => "no answer",
            _ => "no final answer",
        };
        let detail = format!("ended {seconds} s after the last prompt, with {why}");
        let messages = [prompt].into_iter().chain(after);
        Signal::new(
            SignalKind::AbandonSignal,
            Severity::Medium,
            1,
            detail,
            messages,
        )
        .lasting(seconds)
    })
}

/// The last prompt and what followed it. What was rewound is left out: the person chose where to go
/// back to, and ended there.
fn since_last_prompt<'a>(course: &Course<'a>) -> Option<(&'a Message, Vec<&'a Message>)> {
    let stands = |message: &&Message| {
        message.is_current() || message.superseded_by != Some(SupersededBy::Rewind)
    };
    let messages: Vec<&Message> = course.messages.iter().filter(stands).collect();
    let last = messages
        .iter()
        .rposition(|message| course.is_prompt(message))?;
    Some((messages[last], messages[last + 1..].to_vec()))
}

/// The outcome if the message were the last one; `None` if it is inconclusive.
fn last_of(message: &Message) -> Option<SessionOutcome> {
    let answered = (!message.text.is_empty()).then_some(SessionOutcome::Completed);
    match message.role {
        Role::Assistant => match message.tool_calls.last() {
            None => answered,
            // How a subagent hands in its work.
            Some(call) if call.name == "complete_task" => Some(SessionOutcome::Completed),
            Some(call) => Some(match Outcome::of(call) {
                Outcome::Failed => SessionOutcome::Errored,
                Outcome::Succeeded | Outcome::Cancelled | Outcome::Unanswered => {
                    SessionOutcome::Abandoned
                }
            }),
        },
        Role::Error => Some(SessionOutcome::Errored),
        _ => None,
    }
}
