//! Where clients wrote less than what happened, or something else.

use super::{Effect, FIRST, LATER, Quirk};
use crate::document::Counters;
use crate::fixtures::Version;

/// Since this version there are session files.
const FILES: Version = Version(0, 4, 0);
/// Since this version they hold tool calls.
const CALLS: Version = Version(0, 10, 0);
/// Since this version an answer of calls alone has a record of its own.
const OWN_RECORDS: Version = Version(0, 32, 0);
/// Since this version subagents have a file of their own next to the parent's.
const AGENT_FILES: Version = Version(0, 31, 0);
/// Since this version that file is in a directory of its own.
const AGENT_DIRECTORIES: Version = Version(0, 37, 0);
/// Since this version journals are logs.
const LOGS: Version = Version(0, 39, 0);
/// Since this version the history is rewritten as a checkpoint whenever it changes.
const CHECKPOINTS: Version = Version(0, 44, 0);
/// Since this version a prompt that failed or was cancelled while it was answered is taken back.
const ROLLBACK: Version = Version(0, 54, 4);

pub(super) const LOSSES: &[Quirk] = &[
    Quirk {
        since: FIRST,
        until: FILES,
        scenarios: &[],
        effect: Effect::OnlyLogged,
        reason: "before 0.4.0 nothing but the prompt log was written without being asked",
    },
    only(
        Version(0, 56, 0),
        &["multi_gap"],
        Effect::Deleted,
        "0.56.0 deleted the session at its next start and left two stubs of --resume",
    ),
    only(
        Version(0, 41, 2),
        &["multi_then_0.61.0"],
        Effect::Deleted,
        "0.61.0 deleted the session it was to resume and left a stub",
    ),
    Quirk {
        since: FILES,
        until: CALLS,
        scenarios: &[],
        effect: Effect::NoCalls,
        reason: "0.8 recorded no tool calls and no answer without text",
    },
    Quirk {
        since: CALLS,
        until: OWN_RECORDS,
        scenarios: &[],
        effect: Effect::CallsJoinRecordBefore,
        reason: "before 0.32.0 the recorder added calls to the last answer it had",
    },
    Quirk {
        since: FIRST,
        until: LOGS,
        scenarios: &["tui_rewind"],
        effect: Effect::PromptsCutOut(&["And what about tax.", "Write a greeting file."]),
        reason: "while a journal was one JSON object, /rewind cut the messages out of it",
    },
    Quirk {
        since: FILES,
        until: CHECKPOINTS,
        scenarios: &["errors_stream"],
        effect: Effect::CutStreamIsAnswer(Counters {
            input: 800,
            output: 2,
            cached: 0,
            thoughts: 0,
            tool: 0,
            total: 802,
        }),
        reason: "a stream that ended too early was recorded before it was asked for again",
    },
    always(
        &["killed"],
        Effect::UnansweredCallsLost,
        "calls are recorded when they end; the client was killed before",
    ),
    always(
        &["tui_cancel"],
        Effect::UnansweredCallsCancelled,
        "the person pressed Escape when asked to allow the call",
    ),
    Quirk {
        since: FILES,
        until: ROLLBACK,
        scenarios: &["tui_cancel_stream", "tui_cancel_after_tool"],
        effect: Effect::AbortedThoughtsMoveOn,
        reason: "thoughts wait for the next record; cancelling did not clear them",
    },
    always(
        &["tui_restore"],
        Effect::CallMadeAgainAfter("hello.txt is written."),
        "/restore offers the call again, without the model, and a new record holds it",
    ),
    Quirk {
        since: FIRST,
        until: LOGS,
        scenarios: &["tui_mask"],
        effect: Effect::OutputMaskedOf("Opening the first."),
        reason: "while a journal was one JSON object, masking replaced old outputs in it",
    },
    Quirk {
        since: ROLLBACK,
        until: LATER,
        scenarios: &[],
        effect: Effect::JoinersDropped,
        reason: "0.54.4 and later drop the zero-width joiner from what the model said",
    },
    Quirk {
        since: CHECKPOINTS,
        until: LATER,
        scenarios: &[],
        effect: Effect::ArgumentAdded {
            tool: "grep_search",
            key: "context",
        },
        reason: "0.44.0 and later fill in how many lines of context a search gives",
    },
    Quirk {
        since: CHECKPOINTS,
        until: LATER,
        scenarios: &["tui_compress", "tui_compress_resume", "tui_compress_twice"],
        effect: Effect::SnapshotRecorded {
            reply: "Got it. Thanks for the additional context!",
        },
        reason: "since 0.44.0 the compressed history is on disk as the model is to see it",
    },
    always(
        &["tui_error_tool_mask"],
        Effect::ClientSays("[The previous response was interrupted before it completed.]"),
        "an answer that failed gets these words, which only a later copy of the history records",
    ),
    Quirk {
        since: FIRST,
        until: Version(0, 33, 0),
        scenarios: &["subagent"],
        effect: Effect::SubagentUnrecorded,
        reason: "only the prompt of an agent was recorded, in the parent's file",
    },
    Quirk {
        since: Version(0, 33, 0),
        until: Version(0, 36, 0),
        scenarios: &["subagent"],
        effect: Effect::SubagentInParent,
        reason: "0.33 wrote an agent that began in the same minute into the parent's file",
    },
    Quirk {
        since: Version(0, 36, 0),
        until: AGENT_DIRECTORIES,
        scenarios: &["subagent"],
        effect: Effect::SubagentUnrecorded,
        reason: "0.36 let the parent's file replace the agent's, which had the same name",
    },
    Quirk {
        since: FIRST,
        until: AGENT_FILES,
        scenarios: &["subagent_gap"],
        effect: Effect::SubagentPromptOnly,
        reason: "before 0.31.0 an agent's file held its prompt alone",
    },
    Quirk {
        since: AGENT_FILES,
        until: AGENT_DIRECTORIES,
        scenarios: &["subagent_gap"],
        effect: Effect::SubagentCallsUnrecorded,
        reason: "before 0.37.0 calls of agents were not recorded",
    },
];

/// A deviation of every version.
const fn always(scenarios: &'static [&'static str], effect: Effect, reason: &'static str) -> Quirk {
    Quirk {
        since: FIRST,
        until: LATER,
        scenarios,
        effect,
        reason,
    }
}

/// A deviation of one recorded tree.
const fn only(
    version: Version,
    scenarios: &'static [&'static str],
    effect: Effect,
    reason: &'static str,
) -> Quirk {
    Quirk {
        since: version,
        until: Version(version.0, version.1, version.2 + 1),
        scenarios,
        effect,
        reason,
    }
}
