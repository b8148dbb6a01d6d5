//! Where a client wrote less than what happened, or something else: data, each entry with its
//! reason.
//!
//! A tree that deviates gets an entry here, for the versions and scenarios known to behave that
//! way. The comparison is never loosened in general: without an entry, every difference is a
//! problem.

mod losses;
mod states;

use crate::document::Counters;
use crate::fixtures::Version;

/// One known deviation.
#[derive(Clone, Copy, Debug)]
pub struct Quirk {
    /// The first version that has it.
    pub since: Version,
    /// The first version that no longer has it.
    pub until: Version,
    /// The scenarios that show it; all if the list is empty.
    pub scenarios: &'static [&'static str],
    /// What it does to the record of what happened.
    pub effect: Effect,
    /// Why.
    pub reason: &'static str,
}

/// What a deviation does to the record of what happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// No journal at all: prompts are in `logs.json`, answers nowhere.
    OnlyLogged,
    /// The journal is gone; what is left of the session contains nothing of the conversation.
    Deleted,
    /// No path can be found, because the files that would name it were not copied.
    PathUnknown,
    /// No tool call is on disk, and of an answer without text only its thoughts are, on the next
    /// answer.
    NoCalls,
    /// An answer that consists only of calls has no record of its own unless it opens the turn: its
    /// calls are on the previous record, its counters nowhere.
    CallsJoinRecordBefore,
    /// These prompts and their answers were cut out of the journal; the prompt log still has the
    /// prompts.
    PromptsCutOut(&'static [&'static str]),
    /// What arrived of a broken stream is on disk as an answer.
    CutStreamIsAnswer(Counters),
    /// A call that never got its answer is not on disk.
    UnansweredCallsLost,
    /// A call that never got its answer is on disk as cancelled.
    UnansweredCallsCancelled,
    /// The thoughts of an answer that was cancelled while it streamed are on the next answer.
    AbortedThoughtsMoveOn,
    /// A record without text and counters follows this answer and repeats the previous call.
    CallMadeAgainAfter(&'static str),
    /// The output of this answer's calls was replaced in place by a note that it was masked.
    OutputMaskedOf(&'static str),
    /// Zero-width joiners are missing from the model's words.
    JoinersDropped,
    /// The client adds this argument to calls of this tool.
    ArgumentAdded {
        /// The tool.
        tool: &'static str,
        /// The argument.
        key: &'static str,
    },
    /// The snapshot of a compression is on disk, followed by these words that the client puts into
    /// the model's mouth.
    SnapshotRecorded {
        /// The words.
        reply: &'static str,
    },
    /// The client puts these words into the model's mouth, once.
    ClientSays(&'static str),
    /// This prompt (with `from` 0) or its answers from this one on (counted from 1) are superseded.
    Superseded {
        /// The prompt.
        prompt: &'static str,
        /// The first superseded message of the turn.
        from: usize,
        /// Why it is superseded.
        by: &'static str,
    },
    /// No file holds what the subagent did.
    SubagentUnrecorded,
    /// The subagent's file has only its prompt; it may be shown as a session, or with its parent.
    SubagentPromptOnly,
    /// The subagent's file has its answers without their calls.
    SubagentCallsUnrecorded,
    /// The subagent's answers, without their calls, are in the parent's file, and the parent's call
    /// is on the last of them.
    SubagentInParent,
}

/// For states that were copied while a scenario ran: they hold only the chats.
pub const STEP_WITHOUT_MARKER: Quirk = Quirk {
    since: FIRST,
    until: LATER,
    scenarios: &[],
    effect: Effect::PathUnknown,
    reason: "a copy of the chats between two invocations has neither marker nor registry",
};

/// Before every release.
const FIRST: Version = Version(0, 0, 0);
/// After every release so far.
const LATER: Version = Version(u16::MAX, 0, 0);

/// All quirks of a version in a scenario, in the order in which they apply.
pub fn quirks_of(version: Version, scenario: &str) -> Vec<&'static Quirk> {
    let all = states::STATES.iter().chain(losses::LOSSES);
    all.filter(|quirk| quirk.applies(version, scenario))
        .collect()
}

impl Quirk {
    fn applies(&self, version: Version, scenario: &str) -> bool {
        let in_scenario = self.scenarios.is_empty() || self.scenarios.contains(&scenario);
        in_scenario && (self.since..self.until).contains(&version)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fixtures::fixtures;

    #[test]
    fn a_quirk_holds_in_its_versions_and_scenarios_only() {
        let has = |version, scenario, effect| {
            let quirks = quirks_of(version, scenario);
            quirks.iter().any(|quirk| quirk.effect == effect)
        };
        let merged = Effect::CallsJoinRecordBefore;
        assert!(has(Version(0, 31, 0), "tools", merged));
        assert!(!has(Version(0, 36, 0), "tools", merged));
        let lost = Effect::UnansweredCallsLost;
        assert!(has(Version(0, 26, 0), "killed", lost));
        assert!(!has(Version(0, 26, 0), "tools", lost));
    }

    #[test]
    fn every_quirk_is_seen_in_a_recorded_tree() {
        let seen: BTreeSet<&str> = fixtures()
            .flat_map(|fixture| fixture.quirks())
            .map(|quirk| quirk.reason)
            .collect();
        for quirk in states::STATES.iter().chain(losses::LOSSES) {
            assert!(
                seen.contains(quirk.reason),
                "no tree shows: {}",
                quirk.reason
            );
        }
    }
}
