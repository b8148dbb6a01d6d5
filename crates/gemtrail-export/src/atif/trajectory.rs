//! From a session to its trajectory.

use std::borrow::Cow;

use gemtrail_core::model::{CallStatus, Message, Money, Role, Session, Tokens, ToolCall};
use gemtrail_core::prices::Prices;
use gemtrail_core::view::{own_requests, requests};

use super::ATIF_VERSION;
use super::document::{
    About, Agent, Billed, Call, CallEnd, CallKind, CallResult, Extra, FinalMetrics, MessageFacts,
    Metrics, Observation, OtherTokens, Source, Step, SubagentRef, Trajectory,
};
use crate::foreign::{
    HARNESS, Ids, arguments, completion_tokens, iso, prompt_tokens, reasoning, said, told,
};
use crate::{Selection, selected};

/// The trajectory of a session, those of its subagents in it.
pub(super) fn of(session: &Session, selection: Selection) -> Trajectory<'_> {
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
            gemtrail: About {
                title: session.title.as_deref(),
                summary: session.summary.as_deref(),
                project: session.project.path.as_deref(),
            },
        },
        subagent_trajectories: subagents.map(|it| of(it, selection)).collect(),
    }
}

fn steps(session: &Session, selection: Selection) -> Vec<Step<'_>> {
    let mut ids = Ids::default();
    let mut steps = Vec::new();
    for message in selected(session, selection) {
        if let Some(source) = source(message.role) {
            steps.push(step(session, message, source, steps.len() + 1, &mut ids));
        }
    }
    if steps.is_empty() {
        steps.push(nothing());
    }
    steps
}

/// A trajectory has at least one step, even if nothing was said.
fn nothing<'a>() -> Step<'a> {
    Step {
        id: 1,
        timestamp: None,
        source: Source::System,
        model_name: None,
        message: Cow::Borrowed(""),
        reasoning_content: None,
        tool_calls: Vec::new(),
        observation: None,
        metrics: None,
        llm_call_count: None,
        extra: None,
    }
}

/// Whose step a message is. What the user interface said is nobody's.
fn source(role: Role) -> Option<Source> {
    match role {
        Role::Human | Role::Agent | Role::Shell => Some(Source::User),
        Role::Assistant => Some(Source::Agent),
        Role::Context | Role::Hook | Role::Summary | Role::Tool => Some(Source::System),
        Role::Info | Role::Warning | Role::Error | Role::Unknown => None,
    }
}

fn step<'a>(
    session: &'a Session,
    message: &'a Message,
    source: Source,
    number: usize,
    ids: &mut Ids,
) -> Step<'a> {
    let step = Step {
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
        ..nothing()
    };
    match source {
        Source::Agent => with_work(step, session, message, ids),
        Source::System if message.role == Role::Tool => with_answer(step, message),
        Source::System | Source::User => step,
    }
}

/// The step with what only the model's steps may have.
fn with_work<'a>(
    step: Step<'a>,
    session: &'a Session,
    message: &'a Message,
    ids: &mut Ids,
) -> Step<'a> {
    let mut results = Vec::new();
    let mut calls = Vec::new();
    for call in &message.tool_calls {
        let id = ids.of_call(call);
        results.push(result(session, call, id.clone()));
        calls.push(tool_call(call, id));
    }
    let tokens = message.tokens.as_ref();
    Step {
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
fn with_answer<'a>(step: Step<'a>, message: &'a Message) -> Step<'a> {
    let result = CallResult {
        source_call_id: None,
        content: said(message),
        subagent_trajectory_ref: Vec::new(),
        extra: None,
    };
    Step {
        message: Cow::Borrowed(""),
        observation: Some(Observation {
            results: vec![result],
        }),
        ..step
    }
}

fn tool_call(call: &ToolCall, id: String) -> Call<'_> {
    Call {
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

fn metrics(message: &Message, tokens: &Tokens) -> Metrics {
    let (model, time) = (message.model.as_deref(), message.time.as_deref());
    let cost = model.and_then(|model| Prices::built_in().cost(model, time, tokens));
    Metrics {
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

/// What went wrong, as the user interface said it.
fn notes(session: &Session, selection: Selection) -> Option<String> {
    let messages = selected(session, selection).filter(|it| it.role == Role::Error);
    let notes: Vec<&str> = messages.map(|message| message.text.as_str()).collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}
