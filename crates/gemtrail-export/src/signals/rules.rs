//! Friction with tools and in prompts.

use gemtrail_core::internal::squeezed;
use gemtrail_core::model::Message;
use gemtrail_core::view::Outcome;

use super::course::{Attempt, Course};
use super::signal::{Severity, Signal, SignalKind, Thresholds, similarity};

/// Cancelled calls needed to count as a pattern.
const MANY_REFUSALS: usize = 3;

/// Consecutive failed calls. A cancelled or unanswered call says nothing about whether the tool
/// works, so it neither counts nor ends a cascade.
pub(super) fn cascades(course: &Course<'_>, thresholds: &Thresholds) -> Vec<Signal> {
    let ended: Vec<Attempt<'_>> = with_outcome(course, &[Outcome::Succeeded, Outcome::Failed]);
    let least = thresholds.cascade_failures.max(1);
    ended
        .chunk_by(|a, b| a.outcome == b.outcome)
        .filter(|run| run[0].outcome == Outcome::Failed && run.len() >= least)
        .map(|run| {
            let detail = format!("{} calls in a row failed: {}", run.len(), tally(run));
            signal(SignalKind::ToolFailureCascade, least * 2, run, detail)
        })
        .collect()
}

/// The same tool with nearly the same arguments, again and again.
pub(super) fn retry_loops(course: &Course<'_>, thresholds: &Thresholds) -> Vec<Signal> {
    let least = thresholds.retry_uses.max(2);
    course
        .calls
        .chunk_by(|a, b| is_retry(a, b, thresholds.retry_similarity))
        .filter(|run| run.len() >= least)
        .map(|run| {
            let detail = format!(
                "{} was called {} times with nearly the same arguments",
                run[0].call.name,
                run.len()
            );
            signal(SignalKind::RetryLoop, least * 2, run, detail)
        })
        .collect()
}

/// Calls that the person refused or stopped.
pub(super) fn refusals(course: &Course<'_>, thresholds: &Thresholds) -> Option<Signal> {
    let cancelled = with_outcome(course, &[Outcome::Cancelled]);
    (cancelled.len() >= thresholds.cancelled_calls.max(1)).then(|| {
        let calls = match cancelled.len() {
            1 => "1 call was".to_owned(),
            count => format!("{count} calls were"),
        };
        let detail = format!("{calls} cancelled: {}", tally(&cancelled));
        let high = MANY_REFUSALS.max(thresholds.cancelled_calls);
        signal(SignalKind::PermissionFriction, high, &cancelled, detail)
    })
}

/// Identical calls are a loop whatever their outcome. Similar ones are only if the first did not do
/// its job: reading one file after another is work, although the arguments look alike.
fn is_retry(first: &Attempt<'_>, second: &Attempt<'_>, least: f64) -> bool {
    if first.call.name != second.call.name {
        return false;
    }
    let (Some(a), Some(b)) = (&first.call.args, &second.call.args) else {
        return false;
    };
    let went_wrong = matches!(first.outcome, Outcome::Failed | Outcome::Cancelled);
    a.text() == b.text() || went_wrong && similarity(a.text(), b.text()) > least
}

fn with_outcome<'a>(course: &Course<'a>, wanted: &[Outcome]) -> Vec<Attempt<'a>> {
    let calls = course.calls.iter().copied();
    calls
        .filter(|call| wanted.contains(&call.outcome))
        .collect()
}

fn signal(kind: SignalKind, high: usize, run: &[Attempt<'_>], detail: String) -> Signal {
    let severity = Severity::high_from(high, run.len());
    let messages = run.iter().map(|attempt| attempt.message);
    Signal::new(kind, severity, run.len(), detail, messages)
}

/// `run_shell_command ×4, replace`, in order of appearance.
fn tally(attempts: &[Attempt<'_>]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for attempt in attempts {
        let name = attempt.call.name.as_str();
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let words = counts.iter().map(|(name, count)| match count {
        1 => (*name).to_owned(),
        _ => format!("{name} ×{count}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Prompts that say nearly the same as the previous one.
pub(super) fn rephrase_storms(course: &Course<'_>, thresholds: &Thresholds) -> Vec<Signal> {
    let least = thresholds.rephrase_prompts.max(2);
    let prompts: Vec<(&Message, String)> = course
        .prompts
        .iter()
        .filter(|message| !message.text.starts_with('/'))
        .map(|message| (*message, squeezed(&message.text).to_lowercase()))
        .filter(|(_, text)| text.chars().count() >= thresholds.rephrase_characters)
        .collect();
    prompts
        .chunk_by(|(_, a), (_, b)| similarity(a, b) > thresholds.rephrase_similarity)
        .filter(|run| run.len() >= least)
        .map(|run| {
            Signal::new(
                SignalKind::RephraseStorm,
                Severity::high_from(least * 2, run.len()),
                run.len(),
                format!("{} prompts in a row say nearly the same", run.len()),
                run.iter().map(|(message, _)| *message),
            )
        })
        .collect()
}
