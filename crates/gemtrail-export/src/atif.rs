//! `atif`: agent trajectories as Harbor and the tools around it read them, version 1.7.
//!
//! The objects of the format take no keys of their own, so what it has no place for is under
//! `extra.gemtrail`. Subagents are embedded, and the result of the call that started one refers to
//! it.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use gemtrail_core::json::Raw;
use gemtrail_core::model::{
    CallStatus, Message, Money, Role, Session, SessionRef, State, SupersededBy, Tokens, ToolCall,
};
use gemtrail_core::prices::Prices;
use gemtrail_core::view::{own_requests, requests};

use crate::foreign::{
    HARNESS, arguments, completion_tokens, iso, prompt_tokens, reasoning, said, told,
};
use crate::ids::UniqueIds;
use crate::jsonl::write_line;
use crate::options::FormatOptions;
use crate::{Result, Selection, selected};

/// The version that is written: the newest that all readers know.
pub const ATIF_VERSION: &str = "ATIF-v1.7";

/// Writes the trajectory and a newline.
pub fn write(session: &Session, options: &FormatOptions, out: &mut impl Write) -> Result {
    write_line(
        &trajectory(session, options.selection.unwrap_or_default()),
        out,
    )
}

/// The trajectory of a session, those of its subagents in it.
fn trajectory(session: &Session, selection: Selection) -> Trajectory<'_> {
    let steps = steps(session, selection);
    let subagents = session.subagents.iter();
    Trajectory {
        schema_version: ATIF_VERSION,
        session_id: session.id.as_str(),
        id: session.reference,
        agent: Agent {
            name: HARNESS,
            version: "unknown",
            model_name: session.models.first().map(String::as_str),
        },
        notes: notes(session, selection),
        final_metrics: final_metrics(session, selection, steps.len()),
        steps,
        extra: Extra {
            gemtrail: TrajectoryAbout {
                title: session.title.as_deref(),
                summary: session.summary.as_deref(),
                project: session.project.path.as_deref(),
            },
        },
        subagent_trajectories: subagents.map(|it| trajectory(it, selection)).collect(),
    }
}

fn steps(session: &Session, selection: Selection) -> Vec<TrajectoryStep<'_>> {
    let mut ids = UniqueIds::default();
    let mut steps = Vec::new();
    for message in selected(session, selection) {
        if let Some(source) = source(message.role) {
            steps.push(step(session, message, source, steps.len() + 1, &mut ids));
        }
    }
    if steps.is_empty() {
        // A trajectory has at least one step, even if nothing was said.
        steps.push(TrajectoryStep {
            id: 1,
            ..TrajectoryStep::default()
        });
    }
    steps
}

/// The source of a message. What the user interface said has none.
fn source(role: Role) -> Option<StepSource> {
    match role {
        Role::Human | Role::Agent | Role::Shell => Some(StepSource::User),
        Role::Assistant => Some(StepSource::Agent),
        Role::Context | Role::Hook | Role::Summary | Role::Tool => Some(StepSource::System),
        Role::Info | Role::Warning | Role::Error | Role::Unknown => None,
    }
}

fn step<'a>(
    session: &'a Session,
    message: &'a Message,
    source: StepSource,
    number: usize,
    ids: &mut UniqueIds,
) -> TrajectoryStep<'a> {
    let step = TrajectoryStep {
        id: number,
        timestamp: iso(message.time.as_deref()),
        source,
        message: said(message),
        extra: Some(Extra {
            gemtrail: MessageFacts {
                id: message.id.as_str(),
                role: message.role.as_str(),
                state: message.state,
                superseded_by: message.superseded_by,
            },
        }),
        ..TrajectoryStep::default()
    };
    match source {
        StepSource::Agent => with_work(step, session, message, ids),
        StepSource::System if message.role == Role::Tool => with_answer(step, message),
        StepSource::System | StepSource::User => step,
    }
}

/// The step with what only the model's steps may have.
fn with_work<'a>(
    step: TrajectoryStep<'a>,
    session: &'a Session,
    message: &'a Message,
    ids: &mut UniqueIds,
) -> TrajectoryStep<'a> {
    let mut results = Vec::new();
    let mut calls = Vec::new();
    for call in &message.tool_calls {
        let id = ids.of_call(call);
        results.push(result(session, call, id.clone()));
        calls.push(tool_call(call, id));
    }
    let tokens = message.tokens.as_ref();
    TrajectoryStep {
        model_name: message.model.as_deref(),
        reasoning_content: reasoning(message),
        tool_calls: calls,
        observation: (!results.is_empty()).then_some(Observation { results }),
        metrics: tokens.map(|tokens| metrics(message, tokens)),
        llm_call_count: tokens.map(|_| 1),
        ..step
    }
}

/// The step of a tool's answer whose call is not known.
fn with_answer<'a>(step: TrajectoryStep<'a>, message: &'a Message) -> TrajectoryStep<'a> {
    let result = CallResult {
        source_call_id: None,
        content: said(message),
        subagent_trajectory_ref: Vec::new(),
        extra: None,
    };
    TrajectoryStep {
        message: Cow::Borrowed(""),
        observation: Some(Observation {
            results: vec![result],
        }),
        ..step
    }
}

fn tool_call(call: &ToolCall, id: String) -> StepCall<'_> {
    StepCall {
        tool_call_id: id,
        function_name: &call.name,
        arguments: arguments(call),
        extra: Extra {
            gemtrail: CallKind {
                canonical: &call.canonical,
                category: &call.category,
                server: call.server.as_deref(),
            },
        },
    }
}

fn result<'a>(session: &'a Session, call: &'a ToolCall, id: String) -> CallResult<'a> {
    let agent = call.agent.as_deref();
    let is_its = |subagent: &&Session| agent == Some(subagent.id.as_str());
    let refs = session.subagents.iter().filter(is_its);
    CallResult {
        source_call_id: Some(id),
        content: told(call),
        subagent_trajectory_ref: refs
            .map(|subagent| SubagentRef {
                trajectory_id: subagent.reference,
                session_id: subagent.id.as_str(),
            })
            .collect(),
        extra: Some(Extra {
            gemtrail: CallEnd {
                status: call.status.as_ref().map(CallStatus::as_str),
                error: call.error.as_deref(),
                exit_code: call.exit_code,
                time: call.time.as_deref(),
            },
        }),
    }
}

fn metrics(message: &Message, tokens: &Tokens) -> StepMetrics {
    let (model, time) = (message.model.as_deref(), message.time.as_deref());
    let cost = model.and_then(|model| Prices::built_in().cost(model, time, tokens));
    StepMetrics {
        prompt_tokens: prompt_tokens(tokens),
        completion_tokens: completion_tokens(tokens),
        cached_tokens: tokens.cached,
        cost_usd: cost.map(|cost| cost.amount),
        extra: OtherTokens {
            reasoning: tokens.thoughts,
            tool: tokens.tool,
            total: tokens.total,
        },
    }
}

/// Totals are sums over the steps; money includes that of the subagents.
fn final_metrics(session: &Session, selection: Selection, steps: usize) -> FinalMetrics {
    let sum: Tokens = own_requests(session, selection).map(|it| it.tokens).sum();
    let costs = requests(session, selection).into_iter();
    let costs = costs.map(|request| Some(request.cost(Prices::built_in())?.amount));
    let costs: Option<Vec<Money>> = costs.collect();
    FinalMetrics {
        total_prompt_tokens: prompt_tokens(&sum),
        total_completion_tokens: completion_tokens(&sum),
        total_cached_tokens: sum.cached,
        // Without the price of one request there is no total.
        total_cost_usd: costs.map(|costs| costs.into_iter().sum()),
        total_steps: steps,
        extra: Extra {
            gemtrail: Billed {
                billed: session.tokens,
            },
        },
    }
}

/// The errors, as the user interface said it.
fn notes(session: &Session, selection: Selection) -> Option<String> {
    let messages = selected(session, selection).filter(|it| it.role == Role::Error);
    let notes: Vec<&str> = messages.map(|message| message.text.as_str()).collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}

#[derive(Debug, Serialize)]
struct Trajectory<'a> {
    schema_version: &'static str,
    session_id: &'a str,
    #[serde(rename = "trajectory_id")]
    id: SessionRef,
    agent: Agent<'a>,
    steps: Vec<TrajectoryStep<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    final_metrics: FinalMetrics,
    extra: Extra<TrajectoryAbout<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subagent_trajectories: Vec<Trajectory<'a>>,
}

/// The one place for what the format does not know.
#[derive(Debug, Serialize)]
struct Extra<T> {
    gemtrail: T,
}

#[derive(Debug, Serialize)]
struct TrajectoryAbout<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Agent<'a> {
    name: &'static str,
    /// Journals do not name it.
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_name: Option<&'a str>,
}

#[derive(Debug, Default, Serialize)]
struct TrajectoryStep<'a> {
    #[serde(rename = "step_id")]
    id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    source: StepSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_name: Option<&'a str>,
    message: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<StepCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<Observation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<StepMetrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    llm_call_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Extra<MessageFacts<'a>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum StepSource {
    #[default]
    System,
    User,
    Agent,
}

#[derive(Debug, Serialize)]
struct MessageFacts<'a> {
    id: &'a str,
    role: &'static str,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<SupersededBy>,
}

#[derive(Debug, Serialize)]
struct StepCall<'a> {
    tool_call_id: String,
    function_name: &'a str,
    arguments: Raw,
    extra: Extra<CallKind<'a>>,
}

#[derive(Debug, Serialize)]
struct CallKind<'a> {
    canonical: &'a str,
    category: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Observation<'a> {
    results: Vec<CallResult<'a>>,
}

#[derive(Debug, Serialize)]
struct CallResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source_call_id: Option<String>,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subagent_trajectory_ref: Vec<SubagentRef<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Extra<CallEnd<'a>>>,
}

#[derive(Debug, Serialize)]
struct CallEnd<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct SubagentRef<'a> {
    trajectory_id: SessionRef,
    session_id: &'a str,
}

#[derive(Debug, Serialize)]
struct StepMetrics {
    prompt_tokens: u64,
    completion_tokens: u64,
    cached_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<Money>,
    extra: OtherTokens,
}

/// Counters that the format does not know, under the names that others use.
#[derive(Debug, Serialize)]
struct OtherTokens {
    #[serde(rename = "reasoning_tokens")]
    reasoning: u64,
    #[serde(rename = "tool_tokens")]
    tool: u64,
    #[serde(rename = "total_tokens")]
    total: u64,
}

#[derive(Debug, Serialize)]
struct FinalMetrics {
    total_prompt_tokens: u64,
    total_completion_tokens: u64,
    total_cached_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_cost_usd: Option<Money>,
    total_steps: usize,
    extra: Extra<Billed>,
}

/// Everything that was requested, whatever became of it.
#[derive(Debug, Serialize)]
struct Billed {
    billed: Tokens,
}
