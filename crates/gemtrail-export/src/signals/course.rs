//! The course of a session: prompts, calls, compressions and waits, how it ended, and what kind of
//! session it was.

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::json::Node;
use gemtrail_core::model::{Kind, Message, Role, Session, SupersededBy, ToolCall};
use gemtrail_core::time::{Timestamp, parse};
use gemtrail_core::tools::PATH_ARGUMENTS;
use gemtrail_core::view::{Compactions, Outcome};
use serde::Serialize;

use super::signal::{Severity, Signal, SignalKind, Thresholds};
use crate::present::language_of;

/// The events of a session, grouped by kind.
pub(super) struct Course<'a> {
    pub(super) messages: &'a [Message],
    /// The role whose prompts set the work.
    asker: Role,
    pub(super) prompts: Vec<&'a Message>,
    pub(super) calls: Vec<Attempt<'a>>,
    compressions: Vec<&'a Message>,
}

/// One call of a tool.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) message: &'a Message,
    pub(super) call: &'a ToolCall,
    pub(super) outcome: Outcome,
}

impl<'a> Course<'a> {
    pub(super) fn of(session: &'a Session) -> Self {
        let asker = if session.kind == Kind::Subagent {
            Role::Agent
        } else {
            Role::Human
        };
        let mut compactions = Compactions::of(session);
        let mut course = Self {
            messages: &session.messages,
            asker,
            prompts: Vec::new(),
            calls: Vec::new(),
            compressions: Vec::new(),
        };
        for message in &session.messages {
            if course.is_prompt(message) {
                course.prompts.push(message);
            }
            if compactions.shows_in(message) {
                course.compressions.push(message);
            }
            course
                .calls
                .extend(message.tool_calls.iter().map(|call| Attempt {
                    message,
                    call,
                    outcome: Outcome::of(call),
                }));
        }
        course
    }

    /// True if the message sets work.
    pub(super) fn is_prompt(&self, message: &Message) -> bool {
        message.role == self.asker && !message.text.is_empty()
    }

    /// True if there is a person who could walk away. A subagent has none: its parent goes on.
    pub(super) fn has_person(&self) -> bool {
        self.asker == Role::Human
    }

    /// Too frequent compressions of the context.
    pub(super) fn churn(&self, thresholds: &Thresholds) -> Option<Signal> {
        let count = self.compressions.len();
        (count >= thresholds.churn_compressions.max(1)).then(|| {
            Signal::new(
                SignalKind::ContextChurn,
                Severity::high_from(thresholds.churn_compressions * 2, count),
                count,
                format!("the context was compressed {count} times"),
                self.compressions.iter().copied(),
            )
        })
    }
}

/// A stall of this many thresholds is severe.
const BAD_STALL: u64 = 5;

/// Something that happened at a known time.
pub(super) struct TimedStep<'a> {
    pub(super) at: Timestamp,
    message: &'a Message,
    /// True if the model or a tool did it, so that the person was waiting for it.
    is_work: bool,
}

/// Everything that has a time, sorted by it.
pub(super) fn timed_steps<'a>(course: &Course<'a>) -> Vec<TimedStep<'a>> {
    let mut timed_steps = Vec::new();
    for message in course.messages {
        let mut add = |time: &Option<String>, is_work| {
            let at = time.as_deref().and_then(parse);
            timed_steps.extend(at.map(|at| TimedStep {
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
    timed_steps.sort_by_key(|moment| moment.at);
    timed_steps
}

/// Gaps that ended when the model or a tool had finished something. Time in which the person read,
/// thought or slept does not count.
pub(super) fn stalls(course: &Course<'_>, thresholds: &Thresholds) -> Vec<Signal> {
    let timed_steps = timed_steps(course);
    let gap = |pair: &[TimedStep<'_>]| seconds_between(pair[0].at, pair[1].at);
    let least = thresholds.stall_seconds.max(1);
    timed_steps
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

/// The outcome of a session, by the last thing that happened after its last prompt.
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

/// The outcome of the session; `None` if nothing was asked in it. A subagent that left nothing behind
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
    let end = timed_steps(course).last().map(|moment| moment.at)?;
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

/// The character of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facets {
    /// Languages of the files that tools were called with.
    pub languages: Vec<&'static str>,
    /// Tools by how often they were called.
    pub tools: Vec<ToolUse>,
    /// Failed calls as a fraction of those that succeeded or failed; null if there are none.
    pub failure_rate: Option<f64>,
    /// From the first to the last thing that happened; null without times.
    pub duration_seconds: Option<u64>,
    /// Prompts of the person, in a subagent's session those of the asking agent.
    pub turns: usize,
    /// The outcome; null if nothing was asked, or if a subagent left nothing behind.
    pub outcome: Option<SessionOutcome>,
}

/// The calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolUse {
    /// The tool's name for all versions.
    pub tool: String,
    /// All calls.
    pub calls: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that the person refused or stopped.
    pub cancelled: usize,
}

pub(super) fn facets_of(course: &Course<'_>) -> Facets {
    let timed_steps = timed_steps(course);
    let ends = timed_steps.first().zip(timed_steps.last());
    Facets {
        languages: languages(&course.calls),
        tools: tools(&course.calls),
        failure_rate: failure_rate(&course.calls),
        duration_seconds: ends.map(|(first, last)| seconds_between(first.at, last.at)),
        turns: course.prompts.len(),
        outcome: outcome_of(course),
    }
}

fn languages(calls: &[Attempt<'_>]) -> Vec<&'static str> {
    let mut languages = BTreeSet::new();
    for attempt in calls {
        let Some(args) = &attempt.call.args else {
            continue;
        };
        for name in PATH_ARGUMENTS {
            let path = args.node().get(name).and_then(Node::as_str);
            languages.extend(path.and_then(|path| language_of(&path)));
        }
    }
    languages.into_iter().collect()
}

fn tools(calls: &[Attempt<'_>]) -> Vec<ToolUse> {
    let mut uses: BTreeMap<&str, ToolUse> = BTreeMap::new();
    for attempt in calls {
        let name = attempt.call.canonical.as_str();
        let tool = uses.entry(name).or_insert_with(|| ToolUse {
            tool: name.to_owned(),
            ..ToolUse::default()
        });
        tool.calls += 1;
        tool.failed += usize::from(attempt.outcome == Outcome::Failed);
        tool.cancelled += usize::from(attempt.outcome == Outcome::Cancelled);
    }
    let mut uses: Vec<ToolUse> = uses.into_values().collect();
    uses.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    uses
}

fn failure_rate(calls: &[Attempt<'_>]) -> Option<f64> {
    let count = |wanted| calls.iter().filter(|call| call.outcome == wanted).count();
    let failed = count(Outcome::Failed);
    let ended = failed + count(Outcome::Succeeded);
    #[expect(clippy::cast_precision_loss, reason = "call counts are small")]
    let rate = failed as f64 / ended as f64;
    (ended > 0).then_some(rate)
}
