//! What kind of session it was.

use std::collections::{BTreeMap, BTreeSet};

use gemtrail_core::json::Node;
use gemtrail_core::tools::PATH_ARGUMENTS;
use gemtrail_core::view::Outcome;
use serde::Serialize;

use super::course::{Attempt, Course};
use super::ending::{SessionOutcome, outcome_of};
use super::waits::{moments, seconds_between};
use crate::present::language_of;

/// What kind of session it was.
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
    /// How it ended; null if nothing was asked, or if a subagent left nothing behind.
    pub outcome: Option<SessionOutcome>,
}

/// How often a tool was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

pub(super) fn of(course: &Course<'_>) -> Facets {
    let moments = moments(course);
    let ends = moments.first().zip(moments.last());
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
            calls: 0,
            failed: 0,
            cancelled: 0,
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
