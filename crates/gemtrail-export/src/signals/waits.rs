//! Long waits.

use gemtrail_core::model::{Message, Role};
use gemtrail_core::time::{Timestamp, parse};
use gemtrail_core::view::Outcome;

use super::course::Course;
use super::signal::{Severity, Signal, SignalKind};
use super::thresholds::Thresholds;

/// A stall of this many thresholds is severe.
const BAD_STALL: u64 = 5;

/// Something that happened at a known time.
pub(super) struct Moment<'a> {
    pub(super) at: Timestamp,
    message: &'a Message,
    /// Whether the model or a tool did it, so that the person was waiting for it.
    is_work: bool,
}

/// Everything that has a time, sorted by it.
pub(super) fn moments<'a>(course: &Course<'a>) -> Vec<Moment<'a>> {
    let mut moments = Vec::new();
    for message in course.messages {
        let mut add = |time: &Option<String>, is_work| {
            let at = time.as_deref().and_then(parse);
            moments.extend(at.map(|at| Moment {
                at,
                message,
                is_work,
            }));
        };
        for thought in &message.thoughts {
            add(&thought.time, true);
        }
        add(&message.time, message.role == Role::Assistant);
        for call in &message.tool_calls {
            // The person ends a call by refusing it, or by answering a question.
            let by_person =
                Outcome::of(call) == Outcome::Cancelled || call.category == "communicate";
            add(&call.time, !by_person);
        }
    }
    moments.sort_by_key(|moment| moment.at);
    moments
}

/// Gaps that ended when the model or a tool had finished something. Time in which the person read,
/// thought or slept does not count.
pub(super) fn stalls(course: &Course<'_>, thresholds: &Thresholds) -> Vec<Signal> {
    let moments = moments(course);
    let gap = |pair: &[Moment<'_>]| seconds_between(pair[0].at, pair[1].at);
    let least = thresholds.stall_seconds.max(1);
    moments
        .windows(2)
        .filter(|pair| pair[1].is_work && gap(pair) >= least)
        .map(|pair| {
            let seconds = gap(pair);
            let severity = if seconds >= least.saturating_mul(BAD_STALL) {
                Severity::High
            } else {
                Severity::Medium
            };
            let messages = [pair[0].message, pair[1].message];
            let detail = format!("nothing happened for {seconds} s");
            Signal::new(SignalKind::LongStall, severity, 1, detail, messages).lasting(seconds)
        })
        .collect()
}

/// Whole seconds; zero if the clock went backwards.
pub(super) fn seconds_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second() - from.as_second()).unwrap_or(0)
}
